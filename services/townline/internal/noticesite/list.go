package noticesite

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/townline/internal/gate"
	transitapi "github.com/townline/townline/services/transit-api"
)

// A listView lists the notices that hold or are planned, or those that have ended.
type listView struct {
	site.Head
	Notices []notice
	Over    bool // the list has the ended ones
	Other   string
	Done    *notice // the notice that was stored or ended last
	Token   string
	Add     string
}

// A notice is an annotation in words.
type notice struct {
	operator.Annotation
	State  string // now, later, hours or over
	Of     []entity
	HTML   template.HTML
	Period string
	Again  string // address of a form that is filled in like it; "" if there is none
}

// mostEnded is the number of ended notices that the list shows.
const mostEnded = 100

// list serves the start page.
func (s *pages) list(w http.ResponseWriter, r *http.Request, who *gate.Visitor) error {
	v := &listView{Head: s.Head(r, "notices.title"), Over: r.URL.Query().Has("over"), Token: who.Token}
	stored, err := operator.ListAnnotations(r.Context(), s.deps.DB, nil)
	if err != nil {
		return err
	}
	done, _ := strconv.Atoi(r.URL.Query().Get("done")) // 0 is no notice
	slices.Reverse(stored)
	ended := 0
	stored = slices.DeleteFunc(stored, func(a operator.Annotation) bool {
		if a.Over {
			ended++
		}
		return a.ID != done && (a.Over != v.Over || a.Over && ended > mostEnded)
	})
	all, err := s.notices(r.Context(), &v.Head, stored)
	if err != nil {
		return err
	}
	for i, n := range all {
		if n.ID == done {
			v.Done = &all[i]
		}
		if n.Over == v.Over {
			v.Notices = append(v.Notices, n)
		}
	}
	order := []string{"now", "hours", "later", "over"}
	slices.SortStableFunc(v.Notices, func(x, y notice) int {
		return slices.Index(order, x.State) - slices.Index(order, y.State)
	})
	v.Other, v.Add = v.To(Start), v.To("/notices/about")
	if !v.Over {
		v.Other = v.ToQuery(url.Values{"over": {"yes"}}, Start)
	}
	return s.Write(w, http.StatusOK, "notices.html", v)
}

// notices makes the notices of annotations.
func (s *pages) notices(ctx context.Context, h *site.Head, stored []operator.Annotation) ([]notice, error) {
	subjects := make([]operator.Subject, len(stored))
	for i := range stored {
		subjects[i] = stored[i].Subject()
	}
	found, err := operator.Entities(ctx, s.deps.DB, subjects...)
	if err != nil {
		return nil, err
	}
	all := make([]notice, len(stored))
	for i, a := range stored {
		n := notice{Annotation: a, Period: s.period(h.Lang, a), State: stateOf(a, time.Now())}
		for _, e := range found[i] {
			n.Of = append(n.Of, s.entity(e))
		}
		if a.OverrideEntityID == nil && len(n.Of) > 0 {
			n.Again = h.ToQuery(url.Values{"like": {strconv.Itoa(a.ID)}}, "/notices/new")
		}
		body, err := transitapi.RenderBody(a.Format, a.Source)
		if err != nil {
			return nil, fmt.Errorf("show notice %d: %w", a.ID, err)
		}
		n.HTML = safe(body)
		all[i] = n
	}
	return all, nil
}

// localTime is the form of an annotation's times.
const localTime = "2006-01-02 15:04"

// stateOf returns whether a notice is shown now, later, at its hours, or is over.
func stateOf(a operator.Annotation, now time.Time) string {
	zone, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	switch {
	case a.Over:
		return "over"
	case a.Active:
		return "now"
	case a.From != nil && *a.From > now.In(zone).Format(localTime):
		return "later"
	}
	return "hours"
}

// period writes when a notice holds. An end at midnight is the day before.
func (s *pages) period(lang string, a operator.Annotation) string {
	say := s.Speaker(lang)
	moment := func(text string, ends bool) string {
		t, err := time.Parse(localTime, text)
		switch whole := err == nil && t.Hour() == 0 && t.Minute() == 0; {
		case err != nil:
			return text
		case whole && ends:
			return say.Text("period.through", say.Date(t.AddDate(0, 0, -1)))
		case whole:
			return say.Text("period.from", say.Date(t))
		case ends:
			return say.Text("period.until", say.Date(t), say.Clock(t))
		default:
			return say.Text("period.fromtime", say.Date(t), say.Clock(t))
		}
	}
	var parts []string
	if a.From != nil {
		parts = append(parts, moment(*a.From, false))
	}
	if a.Until != nil {
		parts = append(parts, moment(*a.Until, true))
	} else {
		parts = append(parts, say.Text("period.open"))
	}
	if a.Hours != nil {
		parts = append(parts, hours(say, *a.Hours))
	}
	return strings.Join(parts, ", ")
}

// hours writes hours of the week, days with equal hours together.
func hours(say site.Speaker, set string) string {
	var order []string
	days := map[string][]string{}
	for _, span := range operator.Spans(set) {
		at := ""
		if span.From > 0 || span.Until < 24*60 {
			midnight := time.Time{}
			clock := func(minutes int) string { return say.Clock(midnight.Add(time.Duration(minutes) * time.Minute)) }
			at = " " + clock(span.From) + "–" + clock(span.Until)
		}
		if days[at] == nil {
			order = append(order, at)
		}
		days[at] = append(days[at], say.Text("day."+dayKeys[span.Day]))
	}
	for i, at := range order {
		order[i] = strings.Join(days[at], ", ") + at
	}
	return strings.Join(order, "; ")
}

// end ends a notice now.
func (s *pages) end(w http.ResponseWriter, r *http.Request, who *gate.Visitor) error {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		return errNotFound
	}
	found, err := operator.ListAnnotations(r.Context(), s.deps.DB, []int{id})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errNotFound
	}
	if !found[0].Over {
		if err := operator.EndAnnotations(r.Context(), s.deps.DB, []int{id}); err != nil {
			return err
		}
		s.Log.Info("notice ended", "id", id, "by", who.Name)
	}
	return s.done(w, r, id)
}

// done returns to the list, which says what was stored or ended.
func (s *pages) done(w http.ResponseWriter, r *http.Request, id int) error {
	h := s.Head(r, "notices.title")
	http.Redirect(w, r, h.ToQuery(url.Values{"done": {strconv.Itoa(id)}}, Start), http.StatusSeeOther)
	return nil
}
