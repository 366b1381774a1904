package portal

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

// legistar serves the portal that the town uses since the move: the Web API and the public pages.
//
// Its rows have the fields and the peculiarities of the API: local midnights and times as text,
// sections as items without a matter, a row for each action, rosters without positions, voice votes
// without a row, and copies of the last meetings of the first portal. It publishes votes as data
// from the evening of the meeting, before the minutes.
func (p *Portals) legistar(mux *http.ServeMux) {
	api := func(path, name string, choose func(v *listing, r *http.Request, id int)) {
		mux.HandleFunc("GET /v1/"+Client+path, func(w http.ResponseWriter, r *http.Request) {
			v := p.list(r)
			id, _ := strconv.Atoi(r.PathValue("id")) // no row has the id 0
			choose(v, r, id)
			p.show(w, "application/json; charset=utf-8", name, v)
		})
	}
	api("/Bodies", "bodies", func(*listing, *http.Request, int) {})
	api("/Events", "events", func(v *listing, r *http.Request, _ int) { v.choose(r.URL.Query().Get("$filter")) })
	api("/Events/{id}/EventItems", "items", func(v *listing, _ *http.Request, id int) { v.one(id) })
	api("/EventItems/{id}/Votes", "votes", func(v *listing, _ *http.Request, id int) { v.roll(id, false) })
	api("/EventItems/{id}/RollCalls", "rollcalls", func(v *listing, _ *http.Request, id int) { v.roll(id, true) })
	mux.HandleFunc("GET /Calendar.aspx", func(w http.ResponseWriter, r *http.Request) {
		p.show(w, htmlPage, "legistar calendar", p.list(r))
	})
	mux.HandleFunc("GET /MeetingDetail.aspx", func(w http.ResponseWriter, r *http.Request) {
		v := p.list(r)
		v.one(number(r, "LEGID"))
		p.show(w, htmlPage, "legistar meeting", v)
	})
	mux.HandleFunc("GET /View.ashx", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("M") != "M" { // A is the agenda, F a file of an item
			sheet(w, r)
			return
		}
		minutes(w, r, p.list(r).Events, func(e entry) bool { return e.ID == number(r, "ID") && p.HasMinutes(e.Meeting) })
	})
}

// listing is the data of an answer: events, the actions of the selected event, and the roll call of
// an action.
type listing struct {
	*Portals
	Host    string
	Events  []entry
	Actions []action
	Seats   []seat
}

// lower is how much lower ids are than on the first portal.
const lower = 11_900

// list returns all events, by start.
func (p *Portals) list(r *http.Request) *listing {
	return &listing{Portals: p, Host: r.Host, Events: entries(p.Present(), lower)}
}

// choose selects the events that match a filter.
func (v *listing) choose(filter string) {
	v.Events = slices.DeleteFunc(v.Events, func(e entry) bool { return !v.matches(e, filter) })
	slices.SortFunc(v.Events, func(a, b entry) int { return cmp.Compare(a.ID, b.ID) })
}

// condition matches one comparison in a filter.
var condition = regexp.MustCompile(`^(EventDate|EventLastModifiedUtc) (ge|lt) datetime'([0-9T:.-]+)'$`)

// matches reports whether an event passes a filter: comparisons joined by "and", one of which may
// be an "or" in brackets. It returns false for any other filter.
func (p *Portals) matches(e entry, filter string) bool {
	passes := func(comparison string) bool {
		c := condition.FindStringSubmatch(comparison)
		if c == nil {
			return false
		}
		value := e.Starts.Format("2006-01-02T00:00:00")
		if c[1] == "EventLastModifiedUtc" {
			value = utc(p.Changed(e))
		}
		return (value >= c[3]) == (c[2] == "ge")
	}
	for _, clause := range strings.Split(filter, " and ") {
		if filter != "" && !slices.ContainsFunc(strings.Split(strings.Trim(clause, "()"), " or "), passes) {
			return false
		}
	}
	return true
}

// Changed returns the time of an event's last change.
func (p *Portals) Changed(e entry) time.Time {
	last := town.Moved().AddDate(0, 0, -7) // the import from the first portal
	for _, at := range []time.Time{e.AgendaPosted, e.Entered(), e.MinutesPosted} {
		if p.Posted(at) && at.After(last) {
			last = at
		}
	}
	return last
}

func (p *Portals) AgendaStatus(e entry) string {
	switch {
	case e.Cancelled:
		return "Cancelled"
	case p.HasAgenda(e.Meeting):
		return "Final"
	}
	return "Draft"
}

// one selects the event with an id, and its actions.
func (v *listing) one(id int) {
	v.Events = slices.DeleteFunc(v.Events, func(e entry) bool { return e.ID != id })
	for _, e := range v.Events {
		v.Actions = v.actions(e)
	}
}

// An action is a row of EventItems: a heading, an item of the agenda, or a motion about an item.
type action struct {
	ID, Place int
	Number    string
	Section   *town.Section
	Item      *town.Item   // nil for a heading
	Motion    *town.Motion // nil before the meeting, or if there is no motion
}

// Title returns the title of the item, or of the section.
func (a action) Title() string {
	if a.Item == nil {
		return a.Section.Heading
	}
	return a.Item.Title
}

// Consent reports whether the item is on the consent calendar.
func (a action) Consent() bool {
	return a.Item != nil && a.Section.Consent != nil && a.Item.Pulled == ""
}

func (a action) Word() string { return a.Motion.Word[:1] + strings.ToLower(a.Motion.Word[1:]) }

// Flag returns 1 if the motion passed, 0 if it failed, and null if there was no vote.
func (a action) Flag() string {
	switch {
	case a.Motion == nil || len(a.Motion.Rolls) == 0:
		return "null"
	case len(a.Motion.Rolls["Aye"]) > len(a.Motion.Rolls["Nay"]):
		return "1"
	}
	return "0"
}

// Ids of items are computed from the event's id and the position in the event, so they stay the
// same when votes are entered.
const (
	motionsOfItem   = 8
	itemsOfSection  = 64
	sectionsOfEvent = 32
)

// actions returns the rows of an event.
func (p *Portals) actions(e entry) []action {
	var out []action
	if !p.HasAgenda(e.Meeting) {
		return nil
	}
	done, headings := p.Posted(e.Entered()), 0
	add := func(section, nth, motion int, a action) {
		a.ID = ((e.ID*sectionsOfEvent+section)*itemsOfSection+nth)*motionsOfItem + motion
		a.Section, a.Place = e.Sections[section], len(out)+1
		out = append(out, a)
	}
	for i, s := range e.Sections {
		if s.Later() && !done {
			continue
		}
		add(i, 0, 0, action{Number: town.Roman(headings)})
		headings++
		for k, it := range s.Items {
			motions := []*town.Motion{nil}
			if moved := s.Votes(it); done && len(moved) > 0 {
				motions = moved
			}
			for n, m := range motions {
				add(i, k+1, n, action{Number: it.Number, Item: it, Motion: m})
			}
		}
	}
	return out
}

// seat is a row of a roll call, for a vote or for the attendance.
type seat struct {
	town.Attendee
	ID, Place int
	Item      int    // id of the item
	Word      string // position; "" in a roster
}

// roll selects the roll call of an item, in roster order: for the first heading the attendance, for
// a motion the votes. A voice vote has none. Before the meeting an item on the consent calendar has
// a roster without positions.
func (v *listing) roll(id int, heading bool) {
	v.one(id / sectionsOfEvent / itemsOfSection / motionsOfItem)
	i := slices.IndexFunc(v.Actions, func(a action) bool { return a.ID == id && (a.Item == nil) == heading })
	if i < 0 {
		return
	}
	a, e := v.Actions[i], v.Events[0]
	entered := v.Posted(e.Entered())
	for _, who := range e.Attendance {
		s := seat{Attendee: who, ID: id*16 + len(v.Seats), Place: len(v.Seats) + 1, Item: id}
		if a.Motion != nil {
			s.Word = a.Motion.Position(who.Person)
		}
		roster := a.Motion == nil && a.Consent() && !entered
		if s.Word != "" || roster || a.Place == 1 && entered {
			v.Seats = append(v.Seats, s)
		}
	}
}
