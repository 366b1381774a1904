package onebusaway

import (
	"cmp"
	"context"
	"strings"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Situation is an alert in the form of the OneBusAway API.
type Situation struct {
	ActiveWindows      []TimeWindow  `json:"activeWindows"`
	AllAffects         []Affects     `json:"allAffects"` // only entities of the answer
	Consequences       []Consequence `json:"consequences"`
	CreationTime       int64         `json:"creationTime"`
	Description        *Text         `json:"description,omitempty"`
	ID                 string        `json:"id"`
	PublicationWindows []TimeWindow  `json:"publicationWindows"`
	Reason             string        `json:"reason"`
	Severity           string        `json:"severity"`
	Summary            *Text         `json:"summary,omitempty"`
	URL                *Text         `json:"url,omitempty"`
}

// A TimeWindow is a period in milliseconds.
type TimeWindow struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// openEnd is the end of a period without an end: apps read 0 as 1970. It is in 2286.
const openEnd = 9_999_999_999_999

// Affects names one entity of an alert; its other fields are "".
type Affects struct {
	AgencyID      string `json:"agencyId"`
	ApplicationID string `json:"applicationId"`
	DirectionID   string `json:"directionId"`
	RouteID       string `json:"routeId"`
	StopID        string `json:"stopId"`
	TripID        string `json:"tripId"`
}

// A Consequence is the effect of an alert on riders.
type Consequence struct {
	Condition string `json:"condition"`
}

// A Text is a text in a language.
type Text struct {
	Language string `json:"lang"`
	Value    string `json:"value"`
}

type alerts struct {
	x       *answer
	matched []realtime.MatchedAlert
	made    []string // id of each alert's situation; "" until it is used
}

// alertsAbout finds the alerts about stops and about the trips of calls.
func (x *answer) alertsAbout(ctx context.Context, stops []string, calls []board.Departure) (*alerts, error) {
	if !x.live.Feeds[0].HasAlerts(x.call) {
		return &alerts{x: x}, nil
	}
	filter, err := board.AlertFilter(ctx, x.Feed, stops, calls, &board.Query{Arrivals: true})
	if err != nil {
		return nil, err
	}
	found, err := x.live.Feeds[0].Matching(x.call, filter)
	return &alerts{x, found, make([]string, len(found))}, err
}

// oneSituation returns an alert that is active, by the id of its entity.
func oneSituation(_ context.Context, x *answer, p idTimeParams) (made Situation, err error) {
	for _, id := range x.split(p.ID) {
		found, err := x.live.Feeds[0].AlertByID(x.call, id)
		if err != nil {
			return made, err
		}
		if found != nil {
			return x.situation(found), nil
		}
	}
	return made, errNotFound
}

func (l *alerts) ofStop(s *edition.Stop) []string {
	return l.matching(&realtime.AlertFilter{Stops: l.x.AlertNames(s.StopID)})
}

// ofCall returns the ids of the situations about a call's route or trip and, if withStop is set,
// its stop.
func (l *alerts) ofCall(d *board.Departure, withStop bool) []string {
	if len(l.matched) == 0 {
		return []string{}
	}
	filter := &realtime.AlertFilter{Trips: []realtime.RiddenTrip{{TripID: d.TripID, RouteID: d.RouteID,
		Direction: d.DirectionID}}}
	if withStop {
		filter.Stops = l.x.AlertNames(d.StopID)
	}
	if r := l.x.Route(d.RouteID); r != nil {
		filter.Routes = []*edition.Route{r}
	}
	return l.matching(filter)
}

func (l *alerts) matching(filter *realtime.AlertFilter) []string {
	ids := []string{}
	for i := range l.matched {
		if !l.matched[i].Concerns(filter) {
			continue
		}
		if l.made[i] == "" {
			l.made[i] = l.x.situationID(l.x.situation(&l.matched[i]))
		}
		ids = append(ids, l.made[i])
	}
	return ids
}

func (x *answer) situation(m *realtime.MatchedAlert) Situation {
	s := Situation{ID: combine(x.agencyID(x.main), m.ID), ActiveWindows: []TimeWindow{},
		AllAffects: []Affects{}, Consequences: []Consequence{}, PublicationWindows: []TimeWindow{},
		CreationTime: m.Timestamp * 1000, Reason: cmp.Or(wire.Text(m.Cause), "UNKNOWN_CAUSE"),
		Severity: severities[wire.Text(m.SeverityLevel)],
		Summary:  x.translated(m.HeaderText), Description: x.translated(m.DescriptionText), URL: x.translated(m.URL)}
	if s.Severity == "" {
		s.Severity = "unknown"
	}
	for i, p := range m.Impact() {
		from, until := p.Bounds()
		w := TimeWindow{From: from * 1000, To: openEnd}
		if until != 0 {
			w.To = until * 1000
		}
		if i == 0 && w.From != 0 {
			s.CreationTime = w.From
		}
		s.ActiveWindows = append(s.ActiveWindows, w)
	}
	if m.Effect != nil {
		s.Consequences = append(s.Consequences, Consequence{camelCase(*m.Effect)})
	}
	for _, a := range m.Affected() {
		s.AllAffects = append(s.AllAffects, x.affects(a))
	}
	return s
}

var severities = map[string]string{"SEVERE": "severe", "WARNING": "normal", "INFO": "noImpact"}

// affects resolves the entities of a selector. It omits entities that are not in the feed.
func (x *answer) affects(a realtime.Affected) (made Affects) {
	made.DirectionID = a.DirectionID
	if x.Agency(a.AgencyID) != nil {
		made.AgencyID = x.agencyID(a.AgencyID)
	}
	if r := x.Route(a.RouteID); r != nil {
		made.RouteID = x.routeID(r)
	}
	if t := x.Trip(a.TripID); t != nil {
		made.TripID = x.tripID(t)
	}
	if names := x.Identities(a.StopID); a.StopID != "" {
		if s := x.Stop(names[len(names)-1]); s != nil {
			made.StopID = x.stopID(s)
		}
	}
	return made
}

func (x *answer) translated(t *realtime.TranslatedString) *Text {
	best := t.In(x.call.Translated())
	if best.Text == "" {
		return nil
	}
	return &Text{wire.Text(best.Language), best.Text}
}

// camelCase converts NO_SERVICE to noService.
func camelCase(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// A Frequency is the headway of a trip that has a headway instead of times.
type Frequency struct {
	EndTime   int64 `json:"endTime"`
	Headway   int64 `json:"headway"` // in seconds
	StartTime int64 `json:"startTime"`
}

// frequency returns the headway of a window; nil if the trip has times.
func frequency(w *edition.Window, day edition.Day) *Frequency {
	if w == nil || w.Exact {
		return nil
	}
	return &Frequency{StartTime: (day.Start + int64(w.Start)) * 1000, EndTime: (day.Start + int64(w.End)) * 1000,
		Headway: w.Every()}
}
