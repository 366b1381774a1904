package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// MapData is what the vehicles of a map are made of, as the API has them.
type MapData struct {
	Now      int64
	State    live.RealtimeState
	Fetched  int64 // Unix seconds of the last poll that succeeded; 0: none did
	Vehicles []realtime.Located
	Whole    bool // there are no more
	Closed   bool // live positions are not for this reader
}

// How a position ages, in seconds. The script has the same.
const (
	OldAfter  = 90
	GoneAfter = 300
)

// Listed is how many vehicles a page lists and draws.
const Listed = 150

// Fill writes the vehicles in words. The head and the chart's frame are there already.
func (v *Map) Fill(s Speaker, d *MapData) {
	v.status(s, d)
	if d.Closed {
		return
	}
	v.Now = d.Now
	hidden := 0
	all := slices.Clone(d.Vehicles)
	slices.SortStableFunc(all, func(x, y realtime.Located) int {
		return cmp.Or(compareNames(lineOf(&x), lineOf(&y)), cmp.Compare(text(x.Headsign, ""), text(y.Headsign, "")), cmp.Compare(x.ID, y.ID))
	})
	for i := range all {
		l := &all[i]
		age := max(d.Now-l.Timestamp, 0)
		switch {
		case age > GoneAfter:
			continue
		case len(v.Vehicles) >= Listed:
			hidden++
			continue
		}
		row := Vehicle{ID: l.ID, Line: lineOf(l), Badge: NewBadge(l.RouteColor, nil), To: text(l.Headsign, text(l.RouteLongName, "")), Where: where(s, l),
			Age: s.Text("map.js.age", s.Age(age)), Old: age > OldAfter, Color: Shade(l.RouteColor)}
		row.Light = row.Color == "" || shaded(row.Color)
		if utf8.RuneCountInString(row.Line) <= 4 {
			row.Marker = row.Line
		}
		if x, y, ok := v.Chart.At(l.Lon, l.Lat); ok {
			row.Spot = &Spot{X: x, Y: y}
			if l.Bearing != nil {
				row.Spot.Turn = strconv.Itoa(int(*l.Bearing))
			}
		}
		v.Vehicles = append(v.Vehicles, row)
	}
	if hidden > 0 || !d.Whole {
		v.More = s.Text("map.js.more", max(hidden, 1))
	}
	if d.State == live.StateLive {
		v.Nothing = s.Text("map.js.nothing")
	}
	v.Chart.Spots = v.Vehicles
}

// lineOf is what riders call the route of a vehicle.
func lineOf(l *realtime.Located) string {
	return text(l.RouteShortName, text(l.RouteLongName, l.RouteID))
}

// compareNames orders names of lines as people count: 2 before 10.
func compareNames(a, b string) int {
	number := func(s string) int {
		n, err := strconv.Atoi(strings.TrimRightFunc(s, func(r rune) bool { return r < '0' || r > '9' }))
		if err != nil {
			return 1 << 30
		}
		return n
	}
	return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
}

// where says where a vehicle is.
func where(s Speaker, l *realtime.Located) string {
	if l.StopName == nil {
		return s.Text("map.js.nowhere")
	}
	words := s.Text("map.js."+l.Status, *l.StopName)
	if full := "full." + text(l.OccupancyStatus, ""); s.Words[full] != "" {
		words += ", " + s.Text(full)
	}
	return words
}

// status is how fresh the positions are.
func (v *Map) status(s Speaker, d *MapData) {
	v.Status.Kind = string(d.State)
	switch {
	case d.Closed:
		v.Status.Kind, v.Status.Text = "closed", s.Text("map.closed")
	case d.State == live.StateLive:
		v.Status.Told = d.Fetched
		v.Status.Text = s.Text("map.js.live", s.Age(d.Now-d.Fetched))
	case d.State == live.StateSilent:
		v.Status.Told = d.Fetched
		v.Status.Text = s.Text("map.js.silent", s.Age(d.Now-d.Fetched))
	default:
		v.Status.Text = s.Text("map.js." + string(d.State))
	}
}

// State is what a frame reports to the site around it.
func (v *Map) State() string {
	switch {
	case v.Status.Kind != string(live.StateLive):
		return site.FrameTimetable
	case len(v.Vehicles) == 0:
		return site.FrameEmpty
	}
	return site.FrameLive
}

// nextRows is how many departures a direction shows.
const nextRows = 3

// Fill writes the departures and alerts of a line in words. The head and the directions are there already.
func (v *RoutePage) Fill(s Speaker, d *BoardData) {
	b := &Board{Head: v.Head, Variant: "phone", Now: d.Now.Unix()}
	m := boardMaker{Board: b, say: s, wish: BoardWish{Variant: "phone"}, data: d, zones: map[string]*time.Location{}}
	for _, f := range d.Feeds {
		m.zones[f.Alias] = f.Zone
	}
	m.status()
	m.notices()
	v.Status, v.Notices = b.Status, b.Notices
	for i := range v.Directions {
		side := &v.Directions[i]
		for k := range d.Departures {
			dep := &d.Departures[k]
			if dep.StopID != side.StopID || dep.DirectionID != "" && dep.DirectionID != side.ID || len(side.Next) >= nextRows {
				continue
			}
			side.Next = append(side.Next, m.row(dep))
		}
		if len(side.Stops) > 0 {
			side.From = s.Text("route.next", side.Stops[0].Name)
		}
	}
}
