package view

import (
	"math"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/live"
)

// A Board is the departures of one or several stops.
type Board struct {
	site.Head
	// Variant is phone, lcd or eink.
	Variant string
	Name    string // of the stops, or the screen's own
	Letters string // class of Name's size on a screen
	Stops   []Stop // what Name stands for, when that says less
	Refresh string // address of the block "rows"; "" leaves the page as it is
	Rows    []Row
	Shown   int // rows that are shown at once
	// Platforms says that a row names one.
	Platforms bool
	Names     string // class: how long the names of lines are
	Size      string // class: how many rows a screen divides its height among
	Long      string // class: how long the destinations are
	First     int    // of Notices, which a screen shows first
	Towards   string // in words, where trips from the one stop of a page go
	Here      *Here  // what else there is to know of the one stop of a page
	// Cancelled is how many more trips are cancelled than are shown.
	Cancelled string
	Status    Status
	Notices   []Notice
	Quiet     []string // in words, why there is no departure
	Now       int64    // Unix seconds
	Clock     string   // the same for people
	Walk      int      // seconds to the stop
	Later     string   // address of the page with later departures, "" where there is none
	Zone      int      // seconds east of UTC, of Clock
	Twelve    bool     // Clock has twelve hours
	Again     string   // address of the page itself
	Whole     string   // address of the page that has more, for a board that another site shows
	Languages string   // of a screen, in turn, with blanks between; "" is that of the page
	Spoken    string   // Name as it is pronounced
	Speak     int      // seconds between two times that the departures are said; 0 is never
	Build     string   // of program and screen: a script that meets another one fetches the page anew
}

// State is what a board shows, for the site that shows it in a frame.
func (v *Board) State() string {
	shown := v.Rows[:min(v.Shown, len(v.Rows))]
	switch {
	case !slices.ContainsFunc(shown, func(r Row) bool { return !r.Gone }):
		return site.FrameEmpty
	case slices.ContainsFunc(shown, func(r Row) bool { return r.Live }), v.Status.Kind == string(live.StateLive):
		return site.FrameLive
	}
	return site.FrameTimetable
}

// Here is what riders find at a stop beside its departures.
type Here struct {
	Lines     []RouteLine
	Platforms []Stop // of a station, or the other ones of it
	Map       string // address
}

// A Stop is a stop of a board.
type Stop struct{ Name, Code, Platform, Address, Spoken string }

// A Status is where the times come from, in words.
type Status struct {
	Kind string // live, timetable, silent, never, closed
	Text string
	Told int64 // Unix seconds of the last news of a source; 0 where there are none
}

// A Notice is an alert or what the operator says: one line, and the rest behind it.
type Notice struct {
	Severe bool
	Text   string
	More   string // further text
	Link   string
}

// Short is as much of the text as stands in a line that opens to show all.
func (n Notice) Short() string { return short(n.Text, maxName) }

// A Row is one departure.
type Row struct {
	Line, To, Platform string
	Trip               string // address of the trip; "" where the timetable has none
	From               string // in words, where a board has several stops
	Badge
	At, Planned int64  // Unix seconds; Planned is 0 for a trip without a timetable
	Clock       string // of At
	WasClock    string // of Planned, where that reads otherwise
	Minutes     string // until At, "" when that is long
	Every       string // in place of Minutes for a trip that keeps a headway and no times
	Origin      string // live, estimated, timetable: a word of the page
	Live        bool   // it is one of the first two
	Delay       string // in words
	Late        bool
	Note        string // in words: cancelled, not stopping here …
	Extra       string // in words: how full, room for a wheelchair
	Gone        bool   // cancelled or skipped
	Hidden      bool   // behind those that are shown
	Missed      bool   // leaves before one can walk there
}

// A Badge is the colour of a line: six hexadecimal digits, "" for none, and whether text on it is light.
type Badge struct {
	Color string
	Light bool
}

// NewBadge is the badge of a route's colours. The text is light or dark, whichever can be read better; the feed's own choice counts
// where it can be read.
func NewBadge(color, text *string) Badge {
	ground, ok := luminance(color)
	if !ok {
		return Badge{}
	}
	light, dark := (1.05)/(ground+.05), (ground+.05)/.05
	b := Badge{Color: *color, Light: light >= dark}
	const readable = 4.5 // WCAG 2.2, 1.4.3
	if own, ok := luminance(text); ok {
		wants := own > .4
		switch {
		case wants && light >= readable:
			b.Light = true
		case !wants && dark >= readable:
			b.Light = false
		}
	}
	return b
}

// luminance is the relative luminance of a colour (WCAG 2.2), which is six hexadecimal digits.
func luminance(hex *string) (float64, bool) {
	if hex == nil || len(*hex) != 6 {
		return 0, false
	}
	n, err := strconv.ParseUint(*hex, 16, 32)
	if err != nil {
		return 0, false
	}
	part := func(c uint64) float64 {
		v := float64(c&255) / 255
		if v <= .04045 {
			return v / 12.92
		}
		return math.Pow((v+.055)/1.055, 2.4)
	}
	return .2126*part(n>>16) + .7152*part(n>>8) + .0722*part(n), true
}
