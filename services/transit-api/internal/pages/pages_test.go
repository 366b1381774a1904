package pages

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

func open(t *testing.T) *site.Site {
	t.Helper()
	s, err := site.New(files, notice.Sentences())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func of[T any](v T) *T { return &v }

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// at returns the Unix time a number of minutes after noon.
func at(minutes int) int64 { return noon.Unix() + int64(minutes)*60 }

// call returns a departure scheduled some minutes after noon, with the origin and delay of its
// prediction.
func call(line string, planned int, origin string, late int) board.Departure {
	return board.Departure{Prediction: board.Prediction{Headsign: of("To " + line), Origin: origin, Feed: "metro",
		RouteID: line, PredictedDepartureEpoch: at(planned + late)},
		RouteShortName: of(line), ScheduleRelationship: board.Scheduled, ScheduledDepartureEpoch: of(at(planned))}
}

func gone(line string, planned int) board.Departure {
	d := call(line, planned, "scheduled", 0)
	d.ScheduleRelationship = board.Canceled
	return d
}

// data returns a board of one stop, with realtime data that is a minute old.
func data(calls ...board.Departure) *Board {
	return &Board{Departures: &realtimeapi.Departures{Time: noon.Unix(), Departures: calls,
		Stops: []board.DepartureStop{{Feed: "metro", StopID: "C", Known: true, StopName: of("Centre"),
			ServiceToday: of(true)}},
		Feeds: []realtimeapi.DepartureFeed{{Feed: "metro", Name: "Metro", TimeZone: "UTC", Realtime: live.StateLive,
			LastFetched: at(-1)}}}}
}

// fill returns the board of d in words.
func fill(t *testing.T, lang string, q boardQuery, d *Board) *Board {
	t.Helper()
	v := newBoard(site.Head{Lang: lang, Bare: q.Variant != "phone"}, Speaker{site.Speaker{Words: open(t).Words(lang)}}, q,
		d.Departures)
	v.Missing = d.Missing
	v.Closed = d.Closed
	v.NoTrips = d.NoTrips
	v.fill()
	return v
}

var phone = boardQuery{Variant: "phone", Shown: 10, DepartureParams: realtimeapi.DepartureParams{Minutes: 180}}

// A departure links to the page of its trip only if the reader may see that page.
func TestLinksToTrips(t *testing.T) {
	t.Parallel()
	d := call("5", 4, "asserted", 0)
	d.AgencyID, d.TripID = "A", "late"
	for _, noTrips := range []bool{false, true} {
		in := data(d)
		in.NoTrips = noTrips
		if link := fill(t, "en", phone, in).Rows[0].Trip; (link == "") != noTrips {
			t.Errorf("without the permission (%t) the trip links to %q", noTrips, link)
		}
	}
}

// The page of a stop groups departures by line, destination and bay, and first shows three of each.
func TestGroupsOfLines(t *testing.T) {
	t.Parallel()
	bay := func(minutes int, platform string) board.Departure {
		d := call("5", minutes, "scheduled", 0)
		d.PlatformCode = &platform
		return d
	}
	d := data(call("7", 1, "scheduled", 0), bay(2, "A"), bay(3, "A"), bay(4, "B"), bay(5, "A"), bay(6, "A"))
	q := phone
	q.ByLine, q.Shown = true, 3
	v := fill(t, "en", q, d)
	var got []string
	for _, g := range v.Groups {
		text := g[0].Line + g[0].Platform
		for _, row := range g {
			text += fmt.Sprintf(" %d", (row.At-v.Time)/60)
			if row.Hidden {
				text += "-"
			}
		}
		got = append(got, text)
	}
	if want := []string{"7 1", "5A 2 3 5 6-", "5B 4"}; !slices.Equal(got, want) || !v.HasMore() {
		t.Errorf("groups %q, want %q", got, want)
	}
	q.ByLine, q.Shown = false, 10
	if v := fill(t, "en", q, d); len(v.Groups) != 1 || len(v.Groups[0]) != 6 || v.Groups[0][3].Group != 2 || v.HasMore() {
		t.Errorf("in the order of time: %+v", v.Groups)
	}
}

// The basic and the extended route types have the same means of transport.
func TestModes(t *testing.T) {
	t.Parallel()
	for routeType, want := range map[string]string{"0": "tram", "900": "tram", "1": "metro", "401": "metro", "2": "rail",
		"109": "rail", "3": "bus", "11": "bus", "200": "bus", "715": "bus", "800": "bus", "4": "ferry", "1000": "ferry",
		"1200": "ferry", "6": "lift", "7": "lift", "1400": "lift", "1500": "other", "1700": "other", "": "other"} {
		if got := modeOf(routeType); got != want {
			t.Errorf("route type %q is %s, want %s", routeType, got, want)
		}
	}
	for _, lang := range site.Languages() {
		for _, mode := range modes {
			if open(t).Words(lang)["mode."+mode] == "" {
				t.Errorf("%s has no word for %s", lang, mode)
			}
		}
	}
}

// A departure stands under the branch that it takes, and a trip that ends early under the first.
func TestBranchesHaveTheirOwnDepartures(t *testing.T) {
	t.Parallel()
	side := func(stops ...string) routeSide {
		s := routeSide{}
		s.StopIDs = append(s.StopIDs, stops...)
		return s
	}
	to := func(line string, minutes int, stops ...string) board.Departure {
		d := call(line, minutes, "scheduled", 0)
		d.StopID = stops[0]
		p := &edition.Pattern{}
		for i := range stops {
			p.StopID = append(p.StopID, &stops[i])
		}
		d.Run = &edition.Run{Pattern: p}
		return d
	}
	v := fill(t, "en", phone, data(to("coast", 1, "A", "B", "C"), to("short", 2, "A", "B"),
		to("college", 3, "A", "B", "D"), to("back", 4, "C", "A")))
	sides := []routeSide{side("A", "B", "C"), side("A", "B", "D")}
	v.next(sides)
	var got []string
	for _, s := range sides {
		for _, row := range s.Next {
			got = append(got, row.Line)
		}
		got = append(got, "|")
	}
	if want := []string{"coast", "short", "|", "college", "|"}; !slices.Equal(got, want) {
		t.Errorf("departures of two branches: %q, want %q", got, want)
	}
}

// Passed stops are folded, except the last.
func TestPassedStops(t *testing.T) {
	t.Parallel()
	for gone, want := range map[int]int{0: 0, 2: 0, 3: 2, 5: 4, 6: 0} {
		v := &tripPage{Calls: make([]tripCall, 6)}
		for i := range gone {
			v.Calls[i].Gone = true
		}
		if n := len(v.Passed()); n != want || len(v.Ahead()) != 6-want {
			t.Errorf("of %d passed stops %d are folded, want %d", gone, n, want)
		}
	}
}

// Words of a name in capitals are in title case; bays, points of the compass and numbers are not.
func TestTitleCase(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SPRING GARDEN TO BRIDGE TERM": "Spring Garden To Bridge Term", "ÉGLISE SAINT-ÉTIENNE": "Église Saint-Étienne",
		"L'ÎLE VIA 9A": "L'Île Via 9A", "MAIN ST NW": "Main St NW", "PARK&RIDE (BAY 2)": "Park&Ride (Bay 2)",
		"Barrington ST": "Barrington ST", "42": "42", "": "",
		"ST. MARY'S AT 42ND ST": "St. Mary's At 42nd St", "BROOKS’S 1ST-2ND B12": "Brooks’s 1st-2nd B12",
		"S'AGARÓ": "S'Agaró", "LOUIS XIV.": "Louis XIV.", "ΑΘΗΝΑ": "Αθηνα", "A\xff": "A\uFFFD",
	} {
		if got := titleCase(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A sign that begins with the line's name shows the rest, in capitals or not.
func TestSignsWithoutLines(t *testing.T) {
	t.Parallel()
	line := "BLUE"
	for sign, want := range map[string]string{"BLUE Harbor": "Harbor", "Blue - Harbor": "Harbor", "Bluebird": "Bluebird",
		"Blue": "Blue", "BLUE – ": "BLUE – ", "": ""} {
		if got := withoutLine(sign, &line); got != want {
			t.Errorf("%q is %q, want %q", sign, got, want)
		}
	}
	if got := withoutLine(" Harbor", nil); got != " Harbor" {
		t.Errorf("without a line: %q", got)
	}
}

// A severe notice is open; the others are folded.
func TestNoticesOnPhones(t *testing.T) {
	t.Parallel()
	v := &Board{Notices: []Notice{{Severe: true, Text: "closed"}, {Text: "elevator"}}}
	open, folded := v.Notices.Warnings(), v.Notices.Folded()
	if len(open) != 1 || len(folded) != 1 || open[0].Text != "closed" {
		t.Errorf("open %v, folded %v", open, folded)
	}
}

func TestRowsInWords(t *testing.T) {
	t.Parallel()
	added := call("5", 40, "asserted", 0)
	added.ScheduleRelationship, added.ScheduledDepartureEpoch = board.Added, nil
	skipped := call("6", 45, "scheduled", 0)
	skipped.ScheduleRelationship = board.Skipped
	full := call("7", 70, "scheduled", 0)
	full.OccupancyStatus, full.PickupType, full.WheelchairAccessible = of("FEW_SEATS_AVAILABLE"), of("3"), "1"
	v := fill(t, "en", phone, data(call("1", 0, "asserted", 0), call("2", 5, "asserted", 4),
		call("3", 12, "propagated", -2), call("4", 30, "scheduled", 0), added, skipped, full))
	want := []string{
		"1 To 1 12:00 was  now live on time",
		"2 To 2 12:09 was 12:05 9 min live 4 min late",
		"3 To 3 12:10 was 12:12 10 min estimated 2 min early",
		"4 To 4 12:30 was  30 min timetable ",
		"5 To 5 12:40 was  40 min live extra trip",
		"6 To 6 12:45 was    does not stop here",
		"7 To 7 13:10 was   timetable tell the driver to stop, room for a wheelchair, few seats free",
	}
	for i, r := range v.Rows {
		if got := fmt.Sprintf("%s %s %s was %s %s %s %s", r.Line, r.To, r.Clock, r.WasClock, r.Minutes, r.Origin, r.Note+
			r.Delay+r.Extra); got != want[i] {
			t.Errorf("row %d:\n got %q\nwant %q", i, got, want[i])
		}
	}
	if len(v.Rows) != len(want) {
		t.Errorf("%d rows", len(v.Rows))
	}
}

// Some cancelled trips are shown, but they do not displace the other trips.
func TestFewCancelledTripsAreShown(t *testing.T) {
	t.Parallel()
	v := fill(t, "en", boardQuery{Variant: "lcd", Shown: 3}, data(gone("1", 1), gone("2", 2), gone("3", 3),
		call("4", 4, "scheduled", 0), gone("5", 5), call("6", 6, "scheduled", 0)))
	var lines, hidden []string
	for _, r := range v.Rows {
		lines = append(lines, r.Line)
		if r.Hidden {
			hidden = append(hidden, r.Line)
		}
	}
	if strings.Join(lines, " ") != "1 2 4 6" || strings.Join(hidden, " ") != "6" ||
		v.Cancelled != "More cancelled trips: 2" {
		t.Errorf("shown %v, hidden %v, %q", lines, hidden, v.Cancelled)
	}
}

// Each reason for missing departures or live times has its own text.
func TestReasonsHaveTheirOwnWords(t *testing.T) {
	t.Parallel()
	with := func(change func(*Board)) *Board {
		d := data()
		change(d)
		return d
	}
	feed := func(state live.RealtimeState, fetched, stamp int64) *Board {
		return with(func(d *Board) {
			d.Feeds[0].Realtime, d.Feeds[0].LastFetched, d.Feeds[0].FeedTimestamp = state, fetched, stamp
		})
	}
	next := func(minutes int, today *bool) *Board {
		return with(func(d *Board) {
			d.Stops[0].Next, d.Stops[0].ServiceToday = &board.NextDeparture{DepartureEpoch: at(minutes)}, today
		})
	}
	for name, c := range map[string]struct {
		data *Board
		want string
	}{
		"later today":    {next(5*60+12, of(true)), "No departures until 17:12."},
		"after midnight": {next(11*60, of(true)), "No departures until 23:00."},
		"over for today": {next(17*60+12, of(true)),
			"No more departures today. The next one is on Thursday 5 March at 05:12."},
		"not today": {next(5*24*60, of(false)),
			"No service here today. The next departure is on Monday 9 March at 12:00."},
		"not for two weeks": {data(), "No departures are planned here for the next two weeks."},
		"not of these routes": {with(func(d *Board) {
			d.Stops[0].ServiceToday = nil
		}), "No departures in the next 180 minutes."},
		"unknown": {with(func(d *Board) {
			d.Stops[0] = board.DepartureStop{Feed: "metro", StopID: "X"}
		}), "metro has no stop X."},
		"feed unreadable": {with(func(d *Board) {
			d.Missing = []string{"ferry"}
		}), "The timetable of ferry is not available right now."},
		"live": {feed(live.StateLive, at(-1), 0), "Live times, updated 60 s ago."},
		"feed silent": {feed(live.StateSilent, at(-9), at(-11)),
			"No live times since 11:49. Times are from the timetable."},
		"feed never polled": {feed(live.StateNever, 0, 0),
			"Times are from the timetable. No live times have arrived yet."},
		"feed without": {feed(live.StateNone, 0, 0), "Times are from the timetable."},
		"not granted": {with(func(d *Board) {
			d.Closed = true
		}), "Times are from the timetable. Live times are not public here."},
		"two feeds": {with(func(d *Board) {
			d.Feeds = append(d.Feeds, realtimeapi.DepartureFeed{Feed: "ferry", Name: "Ferry", TimeZone: "UTC",
				Realtime: live.StateNone})
		}), "Live times, updated 60 s ago. Ferry: Times are from the timetable."},
	} {
		v := fill(t, "en", phone, c.data)
		if !slices.Contains(append(v.Quiet, v.Status.Text), c.want) {
			t.Errorf("%s: %q, %q; want %q", name, v.Quiet, v.Status.Text, c.want)
		}
	}
	quiet := fill(t, "es", phone, next(5*24*60, of(false))).Quiet
	if quiet[0] != "Hoy no hay servicio aquí. La próxima salida es el lunes 9 de marzo a las 12:00." {
		t.Error(quiet)
	}
}

// A board adapts to its longest line name. Alerts of the stop precede alerts of lines. An annotation
// has its whole text.
func TestBoardsMakeRoom(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"501": "", "Hudson": "names4", "New Haven": "names8",
		"Antioch to Millbrae": "names8"} {
		if v := fill(t, "en", boardQuery{Variant: "lcd", Shown: 8},
			data(call("1", 1, "scheduled", 0), call(line, 3, "scheduled", 0))); v.Names != want || v.Size != "n2" {
			t.Errorf("%s: %q, %q; want %q, n2", line, v.Names, v.Size, want)
		}
	}
	alert := func(text string, stops ...string) realtime.DepartureAlert {
		return realtime.DepartureAlert{StopIDs: stops, HeaderText: texts("", text)}
	}
	d := data(call("1", 1, "scheduled", 0))
	note := alert("no…", "C")
	note.DescriptionText, note.Operator = texts("", "note"), true
	d.Alerts = []realtime.DepartureAlert{alert("line"), alert("stop", "C"), note}
	var texts []string
	for _, n := range fill(t, "en", phone, d).Notices {
		texts = append(texts, n.Text)
	}
	if strings.Join(texts, " ") != "stop note line" {
		t.Errorf("notices: %v", texts)
	}
}

// Rows mention only what differs from most trips.
func TestRowsMentionExceptions(t *testing.T) {
	t.Parallel()
	calls := []board.Departure{call("1", 1, "scheduled", 0), call("2", 2, "scheduled", 0), call("3", 3, "scheduled", 0)}
	for i, room := range []string{"1", "1", "2"} {
		calls[i].WheelchairAccessible, calls[i].PlatformCode, calls[i].StopID = room, of("A"), "C"
	}
	d := data(calls...)
	d.Feeds[0].Realtime = live.StateNone
	v := fill(t, "en", phone, d)
	for i, want := range []string{"", "", "no room for a wheelchair"} {
		if r := v.Rows[i]; r.Extra != want || r.Origin != "" || r.Platform != "" {
			t.Errorf("row %d: %q, %q, %q", i, r.Extra, r.Origin, r.Platform)
		}
	}
	d.Stops[0].StopID = "station"
	if v := fill(t, "en", phone, d); v.Rows[0].Platform != "A" {
		t.Error("the platform at a station is missing")
	}
}

// Text from feeds is escaped in all variants and languages.
func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	const evil = `"><script>alert(1)</script>'`
	d := data(call(evil, 3, "asserted", 0))
	d.Departures.Departures[0].Headsign, d.Departures.Departures[0].PlatformCode,
		d.Departures.Departures[0].RouteColor = of(evil), of(evil), of(`red"/>`)
	d.Stops[0].StopName = of(evil)
	d.Alerts = []realtime.DepartureAlert{{StopIDs: []string{"C"}, HeaderText: texts("", "A < B & <img src=x "+
		"onerror=alert(1)>C"),
		URL: texts("", "javascript:alert(1)")}}
	d.Alerts = append(d.Alerts, realtime.DepartureAlert{StopIDs: []string{"C"}, Operator: true,
		DescriptionText: texts("", "Use door 2\ntoday")})
	s := open(t)
	for _, variant := range []string{"phone", "lcd", "eink"} {
		for _, lang := range site.Languages() {
			v := fill(t, lang, boardQuery{Variant: variant, Shown: 5}, d)
			html, err := s.Render("board.html", v)
			if err != nil {
				t.Fatal(err)
			}
			for _, bad := range []string{"<script>alert", "<img", `href="javascript:`, "red\"/>", "onerror="} {
				if strings.Contains(string(html), bad) {
					t.Errorf("%s %s holds %s", variant, lang, bad)
				}
			}
			if v.Notices[0].Text != "A < B & C" || v.Notices[1].Text != "Use door 2 today" {
				t.Errorf("%+v", v.Notices)
			}
		}
	}
}

// Text on a line's colour is readable, for any colours of a feed.
func TestBadgesCanBeRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		color, text := rapid.StringMatching(`[0-9A-Fa-f]{6}`).Draw(t, "color"), rapid.StringMatching(`[0-9A-Fa-f]{6}`).Draw(t,
			"text")
		b := newBadge(&color, &text)
		c, _ := colorOf(&color)
		ground := c.Luminance()
		contrast := (ground + .05) / .05
		if b.Light {
			contrast = 1.05 / (ground + .05)
		}
		if contrast < 4.5 {
			t.Fatalf("%s with %s: light is %t, contrast %.2f", color, text, b.Light, contrast)
		}
	})
	for _, bad := range []string{"", "12345", "gggggg", "-12345", "1234567"} {
		if b := newBadge(&bad, nil); b.Color != "" {
			t.Errorf("%q was accepted as a colour", bad)
		}
	}
	if !newBadge(of("767676"), of("FFFFFF")).Light || newBadge(of("767676"), of("000000")).Light {
		t.Error("the feed's text colour is ignored")
	}
}

// texts returns a text in several languages, from pairs of language and text.
func texts(pairs ...string) *realtime.TranslatedString {
	t := &realtime.TranslatedString{}
	for i := 0; i+1 < len(pairs); i += 2 {
		t.Translation = append(t.Translation, realtime.Translation{Language: &pairs[i], Text: pairs[i+1]})
	}
	return t
}

func TestWordsOfBoards(t *testing.T) {
	t.Parallel()
	s := Speaker{site.Speaker{Words: open(t).Words("en")}}
	for _, c := range []struct{ got, want string }{
		{s.Name([]string{"A", "A", "B"}), "A · B"},
		{s.Name([]string{"A", "B", "C", "D", "E"}), "A · B · C and 2 more"},
		{texts("en", "x", "fr-CA", "y", "", "z").In("fr").Text, "y"},
		{texts("de", "w", "en", "x", "", "z").In("es").Text, "z"},
		{texts("de", "w").In("es").Text, "w"},
		{site.Speaker{Locale: lang.Locale{Twelve: true}}.Clock(noon), "12:00 pm"},
		{s.Minutes(44), "now"}, {s.Minutes(45), "1 min"}, {s.Minutes(3601), ""},
		{s.Age(89), "89 s"}, {s.Age(90), "1 min"}, {s.Age(-3), "0 s"},
		{s.Delay(29), "on time"}, {s.Delay(31), "1 min late"}, {s.Delay(-100), "2 min early"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

var (
	keysOfTemplates = regexp.MustCompile(`\{\{-? ?t "([^"]+)"`)
	keysOfCode      = regexp.MustCompile(`(?:Text|add)\("([a-z]+\.[A-Za-z]+)"`)
	keysOfScripts   = regexp.MustCompile(`\bsay\.([a-z]+)\b`)
)

// Each key in a template, in code or in a script has a sentence.
func TestSentencesExist(t *testing.T) {
	t.Parallel()
	words, found := open(t).Words("en"), 0
	for pattern, keys := range map[string]*regexp.Regexp{"*.html": keysOfTemplates, "*.go": keysOfCode,
		"assets/board.js": keysOfScripts} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range keys.FindAllStringSubmatch(string(text), -1) {
				key := m[1]
				if keys == keysOfScripts {
					key = "js." + key
				}
				if found++; words[key] == "" {
					t.Errorf("%s uses the key %q, which has no sentence", name, key)
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d keys were found: does the test search the right files?", found)
	}
}

// Screens have slow processors and connections, so scripts must be small.
func TestScriptsAreSmall(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"assets/board.js": 3000, "assets/sw.js": 1000, "assets/near.js": 1000,
		"assets/stop.js": 1500, "assets/yours.js": 1200,
		"assets/suggest.js": 1000, "assets/board.css": 3000} {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if b.Len() > most {
			t.Errorf("%s has %d bytes, want at most %d", name, b.Len(), most)
		}
	}
}

// A page says how many stops it does not show; a field of its own once hid one of the layout.
func TestMoreStopsThanShown(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := &stopsPage{Head: site.Head{Lang: "en", Title: "Find a stop"}, Q: "a", More: 10}
	v.Found = make([]Stop, 1)
	html, err := s.Render("stops.html", v)
	if err != nil || !strings.Contains(string(html), s.Words("en").Text("find.more", 10)) {
		t.Errorf("%v\n%s", err, html)
	}
}
