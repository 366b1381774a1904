package pages

import (
	"context"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/microcosm-cc/bluemonday"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
)

type alertsPage struct {
	site.Head
	*realtimeapi.FeedAlerts
	Now, Coming []shownAlert // the most severe first
}

type shownAlert struct {
	realtime.Alert
	in localized
}

func (a *Pages) pageAlerts(ctx context.Context, c *rest.Call, _ static.FeedParams, s *snapshot) ([]byte, error) {
	h := a.head(c)
	a.title(&h, "alerts", s.feed.Name)
	in, err := a.in(ctx, &h, s.feed)
	if err != nil {
		return nil, err
	}
	v, err := in.alerts(s.alerts[s.feed.Alias])
	return a.render("alerts.html", v, err)
}

func (l localized) alerts(of *realtimeapi.FeedAlerts) (*alertsPage, error) {
	v := &alertsPage{Head: *l.head, FeedAlerts: of}
	all, err := of.Alerts()
	severe := 0
	for _, alert := range all {
		holds, comes := alert.IsActive(l.Current.Now().Unix())
		switch {
		case holds && cell(alert.SeverityLevel) == "SEVERE":
			v.Now = slices.Insert(v.Now, severe, shownAlert{alert, l})
			severe++
		case holds:
			v.Now = append(v.Now, shownAlert{alert, l})
		case comes:
			v.Coming = append(v.Coming, shownAlert{alert, l})
		}
	}
	return v, err
}

func (a shownAlert) Notice() Notice {
	return newNotice(a.in.head.Lang, a.SeverityLevel, a.HeaderText, a.DescriptionText, a.URL)
}

func (v *alertsPage) Top() []shownAlert { return v.Now[:min(len(v.Now), homeAlerts)] }

// MoreThanTop counts the active alerts beyond Top.
func (v *alertsPage) MoreThanTop() int { return max(len(v.Now)-homeAlerts, 0) }

func (a shownAlert) Lines() []RouteLine {
	return named(a, func(in realtime.InformedEntity) (line RouteLine, known bool) {
		r := a.in.feed.Route(cell(in.RouteID))
		if r != nil {
			line = a.in.line(r)
		}
		return line, r != nil
	})
}

func (a shownAlert) Stops() []Stop {
	return named(a, func(in realtime.InformedEntity) (stop Stop, known bool) {
		id := cell(in.StopID)
		return a.in.stop(id), a.in.feed.Stop(id) != nil
	})
}

const maxNamed = 30

func named[T comparable](a shownAlert, find func(realtime.InformedEntity) (T, bool)) (all []T) {
	for _, in := range a.InformedEntity {
		if x, known := find(in); known && len(all) < maxNamed && !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// When returns the first period of the alert in words; "" if it has no bounds.
func (a shownAlert) When() string {
	say := a.in.say
	day := func(seconds int64) string {
		at := time.Unix(seconds, 0).In(a.in.feed.Zone)
		return say.Text("alerts.at", say.Day(at), say.Clock(at))
	}
	for _, p := range a.ActivePeriod {
		switch {
		case p.Start != nil && p.End != nil:
			return say.Text("alerts.fromto", day(int64(*p.Start)), day(int64(*p.End)))
		case p.Start != nil:
			return say.Text("alerts.from", day(int64(*p.Start)))
		case p.End != nil:
			return say.Text("alerts.until", day(int64(*p.End)))
		}
	}
	return ""
}

// A Notice is an alert or a message of the operator.
type Notice struct {
	Severe bool
	Text   string
	More   string // more text
	Link   string
}

// Short returns the text for the line that opens the notice.
func (n Notice) Short() string { return short(n.Text, maxName) }

// noticesOf returns alerts about stops, the most severe first, then the operator's notes, then
// alerts about lines and agencies.
func noticesOf(lang string, alerts []realtime.DepartureAlert, notes []string) (all []Notice) {
	add := func(n Notice) {
		if n.Text != "" && !slices.ContainsFunc(all, func(o Notice) bool { return o.Text == n.Text }) {
			all = append(all, n)
		}
	}
	about := func(stops bool) {
		for i := range alerts {
			if a := &alerts[i]; stops == (len(a.StopIDs) > 0) {
				add(newNotice(lang, a.SeverityLevel, a.HeaderText, a.DescriptionText, a.URL))
			}
		}
	}
	about(true)
	for _, note := range notes {
		add(Notice{Text: plain(note)})
	}
	about(false)
	return all
}

func newNotice(lang string, severity *string, header, description, link *realtime.TranslatedString) Notice {
	n := Notice{Severe: cell(severity) == "SEVERE", Text: plain(header.In(lang).Text),
		More: plain(description.In(lang).Text), Link: plain(link.In(lang).Text)}
	if n.Text == "" {
		n.Text, n.More = n.More, ""
	}
	return n
}

// maxPlain bounds text from feeds, in characters.
const maxPlain = 1000

// plain returns text that may contain HTML as one line without tags.
func plain(s string) string {
	if strings.ContainsAny(s, "<&") {
		s = html.UnescapeString(bluemonday.StrictPolicy().AddSpaceWhenStrippingTag(true).Sanitize(s))
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return short(s, maxPlain)
}

// Maximum lengths of texts in a row, in characters.
const (
	maxName = 200
	maxSign = 60 // of a line, a platform or a code
)

func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
