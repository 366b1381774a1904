package pages

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/annotation"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type alertsPage struct {
	site.Head
	*realtimeapi.FeedAlerts
	Shown []realtime.Alert // active, the most severe first, then future ones
	Now   int              // number of active alerts
	in    localized
}

func (a *Pages) pageAlerts(ctx context.Context, c *rest.Call, _ wire.FeedParams, s *snapshot) ([]byte, error) {
	h := a.head(c)
	a.title(&h, "alerts", s.feed.Name)
	in, err := a.in(ctx, &h, s.feed)
	if err != nil {
		return nil, err
	}
	h.Accessed = true
	v, err := in.alerts(s.alerts[s.feed.Alias])
	return a.render("alerts.html", v, err)
}

func (l localized) alerts(of *realtimeapi.FeedAlerts) (*alertsPage, error) {
	v := &alertsPage{Head: *l.head, FeedAlerts: of, in: l}
	all, err := of.Alerts()
	var severe, active, future []realtime.Alert
	for _, alert := range all {
		holds, comes := alert.IsActive(l.Current.Now().Unix())
		switch {
		case holds && cell(alert.SeverityLevel) == "SEVERE":
			severe = append(severe, alert)
		case holds:
			active = append(active, alert)
		case comes:
			future = append(future, alert)
		}
	}
	v.Shown, v.Now = slices.Concat(severe, active, future), len(severe)+len(active)
	return v, err
}

// Notice returns the text of an alert.
func (v *alertsPage) Notice(a realtime.Alert) Notice {
	return newNotice(v.in.head.Lang, a.SeverityLevel, a.HeaderText, a.DescriptionText, a.URL, a.Operator)
}

// Top returns the alerts for the start page.
func (v *alertsPage) Top() []realtime.Alert { return v.Shown[:min(v.Now, homeAlerts)] }

// MoreThanTop counts the active alerts beyond Top.
func (v *alertsPage) MoreThanTop() int { return max(v.Now-homeAlerts, 0) }

// Lines returns the lines that an alert names.
func (v *alertsPage) Lines(a realtime.Alert) []RouteLine {
	return named(a, func(in realtime.InformedEntity) (line RouteLine, known bool) {
		id := cell(in.RouteID)
		if in.Trip != nil && id == "" {
			id = cell(in.Trip.RouteID)
			if t := v.in.feed.Trip(cell(in.Trip.TripID)); t != nil {
				id = t.Route.RouteID
			}
		}
		r := v.in.feed.Route(id)
		if r != nil {
			line = v.in.line(r)
		}
		return line, r != nil
	})
}

// Stops returns the stops that an alert names.
func (v *alertsPage) Stops(a realtime.Alert) []site.Link {
	return named(a, func(in realtime.InformedEntity) (to site.Link, known bool) {
		names := v.in.feed.Identities(cell(in.StopID))
		s := v.in.feed.Stop(names[len(names)-1])
		if s == nil {
			return to, false
		}
		stop := v.in.stop(s.StopID)
		if up := v.in.feed.Stop(cell(s.ParentStation)); up != nil && !strings.Contains(stop.Name, up.Label) {
			stop.Name = v.in.row(up).Label + ", " + stop.Name
		}
		return site.Link{Text: stop.Name, Address: stop.Address}, true
	})
}

// Trips returns the trips that an alert names: when and where to they leave, and on which day.
func (v *alertsPage) Trips(a realtime.Alert) []site.Link {
	return named(a, func(in realtime.InformedEntity) (link site.Link, known bool) {
		if in.Trip == nil {
			return link, false
		}
		day := ""
		date, dated := edition.ParseDay(cell(in.Trip.StartDate))
		if dated {
			day = v.in.say.date(date, edition.DayNumber(v.in.Current.Now(), v.in.feed.Zone))
		}
		t := v.in.feed.Trip(cell(in.Trip.TripID))
		if t == nil {
			link.Text = joinNonempty(" ", cell(in.Trip.StartTime), day)
			return link, cell(in.Trip.StartTime) != ""
		}
		link.Text = joinNonempty(" ", v.in.tripClock(t), v.in.towards(t))
		link.Text = joinNonempty(", ", link.Text, day)
		link.Address = v.in.head.To(tripPath, v.in.feed.Alias, t.Route.AgencyID, t.Route.RouteID, t.TripID)
		if dated {
			link.Address = v.in.head.ToQuery(url.Values{"date": {cell(in.Trip.StartDate)}}, tripPath, v.in.feed.Alias,
				t.Route.AgencyID, t.Route.RouteID, t.TripID)
		}
		return link, link.Text != ""
	})
}

// Agencies returns the names of the agencies that an alert names without a line or a stop.
func (v *alertsPage) Agencies(a realtime.Alert) []string {
	return named(a, func(in realtime.InformedEntity) (name string, known bool) {
		agency := v.in.feed.Agency(cell(in.AgencyID))
		if agency == nil || in.RouteID != nil || in.StopID != nil || in.Trip != nil {
			return "", false
		}
		name = v.in.texts.Text(edition.AgencyName, agency.AgencyID, agency.AgencyName)
		return name, name != ""
	})
}

const maxNamed = 30

func named[T comparable](a realtime.Alert, find func(realtime.InformedEntity) (T, bool)) (all []T) {
	for _, in := range a.InformedEntity {
		if x, known := find(in); known && len(all) < maxNamed && !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// When returns the current or next period of an alert in words; "" if it has no bounds.
func (v *alertsPage) When(a realtime.Alert) string {
	say := v.in.say
	day := func(seconds int64) string {
		at := time.Unix(seconds, 0).In(v.in.feed.Zone)
		return say.Text("alerts.at", say.Day(at), say.Clock(at))
	}
	p, _ := a.Period(v.in.Current.Now().Unix())
	from, until := p.Bounds()
	switch {
	case from != 0 && until != 0:
		return say.Text("alerts.fromto", day(from), day(until))
	case from != 0:
		return say.Text("alerts.from", day(from))
	case until != 0:
		return say.Text("alerts.until", day(until))
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

// maxWarnings is the maximum number of notices that a page shows in full.
const maxWarnings = 2

type notices []Notice

// Warnings returns the severe notices that a page shows in full.
func (all notices) Warnings() (open []Notice) {
	for _, n := range all {
		if n.Severe && len(open) < maxWarnings {
			open = append(open, n)
		}
	}
	return open
}

// Folded returns the other notices.
func (all notices) Folded() (folded []Notice) {
	open := all.Warnings()
	for _, n := range all {
		if !slices.Contains(open, n) {
			folded = append(folded, n)
		}
	}
	return folded
}

// noticesOf returns alerts about stops, the most severe first, then alerts about lines, trips and
// agencies. about returns which part of the page an alert is about; "" if it is about all of it.
func noticesOf(
	lang string, alerts []realtime.DepartureAlert, about func(*realtime.DepartureAlert) string,
) (all notices) {
	for _, stops := range []bool{true, false} {
		for i := range alerts {
			a := &alerts[i]
			n := newNotice(lang, a.SeverityLevel, a.HeaderText, a.DescriptionText, a.URL, a.Operator)
			if stops != (len(a.StopIDs) > 0) || n.Text == "" {
				continue
			}
			if part := about(a); part != "" {
				n.Text = part + ": " + n.Text
			}
			if !slices.ContainsFunc(all, func(o Notice) bool { return o.Text == n.Text }) {
				all = append(all, n)
			}
		}
	}
	return all
}

func newNotice(
	lang string, severity *string, header, description, link *realtime.TranslatedString, operator bool,
) Notice {
	n := Notice{Severe: cell(severity) == "SEVERE", Text: plain(header.In(lang).Text),
		More: plain(description.In(lang).Text), Link: plain(link.In(lang).Text)}
	if n.Text == "" || operator { // the header of an annotation is the beginning of its text
		n.Text, n.More = n.More, ""
	}
	return n
}

// maxPlain bounds text from feeds, in characters.
const maxPlain = 1000

// plain returns text that may contain HTML as one line without tags.
func plain(s string) string {
	if strings.ContainsAny(s, "<&") {
		s = annotation.Plain(s, false)
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
