package view

import (
	"slices"
	"time"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// Alerts is the alerts of a feed, as the API has them.
type Alerts struct {
	site.Head
	Speaker Speaker
	Zone    *time.Location
	State   live.RealtimeState
	Notes   []string         // what the operator says
	Now     []realtime.Alert // the severest first
	Coming  []realtime.Alert
	Line    func(routeID string) *RouteLine
	Stop    func(stopID string) *Stop
}

// Fill sorts the alerts into those that hold and those to come.
func (v *Alerts) Fill(all []realtime.Alert, now time.Time) {
	severe := 0
	for _, a := range all {
		holds, comes := a.Holds(now.Unix())
		switch {
		case holds && text(a.SeverityLevel, "") == "SEVERE":
			v.Now = slices.Insert(v.Now, severe, a)
			severe++
		case holds:
			v.Now = append(v.Now, a)
		case comes:
			v.Coming = append(v.Coming, a)
		}
	}
}

// An Alert is one of them, for a block of the template.
type Alert struct {
	realtime.Alert
	of *Alerts
}

// With is an alert of the page.
func (v *Alerts) With(a realtime.Alert) Alert { return Alert{a, v} }

// Notice is its text.
func (a Alert) Notice() Notice {
	return newNotice(a.of.Lang, a.SeverityLevel, a.HeaderText, a.DescriptionText, a.URL)
}

// mostConcerned is how many lines and how many stops of one alert are named.
const mostConcerned = 30

// Lines are the lines that the alert names, Stops the stops.
func (a Alert) Lines() []RouteLine {
	return named(a, a.of.Line, func(in realtime.InformedEntity) *string { return in.RouteID })
}

func (a Alert) Stops() []Stop {
	return named(a, a.of.Stop, func(in realtime.InformedEntity) *string { return in.StopID })
}

func named[T comparable](a Alert, find func(string) *T, id func(realtime.InformedEntity) *string) (all []T) {
	for _, in := range a.InformedEntity {
		if of := id(in); of != nil && len(all) < mostConcerned {
			if x := find(*of); x != nil && !slices.Contains(all, *x) {
				all = append(all, *x)
			}
		}
	}
	return all
}

// When is the first period of the alert, in words; "" where it has no bounds.
func (a Alert) When() string {
	day := func(seconds int64) string {
		at := time.Unix(seconds, 0).In(a.of.Zone)
		return a.of.Speaker.Text("alerts.at", a.of.Speaker.Day(at), a.of.Speaker.Clock(at))
	}
	for _, p := range a.ActivePeriod {
		switch {
		case p.Start != nil && p.End != nil:
			return a.of.Speaker.Text("alerts.fromto", day(int64(*p.Start)), day(int64(*p.End)))
		case p.Start != nil:
			return a.of.Speaker.Text("alerts.from", day(int64(*p.Start)))
		case p.End != nil:
			return a.of.Speaker.Text("alerts.until", day(int64(*p.End)))
		}
	}
	return ""
}
