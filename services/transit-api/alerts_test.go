package transitapi

import (
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// text is a text without a language.
func text(s string) *rt.TranslatedString {
	return &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{{Text: &s}}}
}

func period(from, to int) *rt.TimeRange {
	r := &rt.TimeRange{}
	if from != 0 {
		r.Start = proto.Uint64(uint64(from))
	}
	r.End = proto.Uint64(uint64(to))
	return r
}

// alertOn returns an alert about entities, with its id as its text.
func alertOn(id string, in ...*rt.EntitySelector) *rt.FeedEntity {
	return &rt.FeedEntity{Id: &id, Alert: &rt.Alert{InformedEntity: in, HeaderText: text(id)}}
}

func onStop(id string) *rt.EntitySelector { return &rt.EntitySelector{StopId: &id} }

func onTrip(id, date string) *rt.EntitySelector {
	d := &rt.TripDescriptor{TripId: &id}
	if date != "" {
		d.StartDate = &date
	}
	return &rt.EntitySelector{Trip: d}
}

// alertsAt returns the ids of the alerts on a board.
func (w *world) alertsAt(t *testing.T, query string) (ids []string) {
	t.Helper()
	for _, a := range w.departures(t, query).Data.Alerts {
		ids = append(ids, a.ID)
	}
	return ids
}

func TestAlertPeriods(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := in(t, "2026-03-04 05:55:00")
	now := int(at.Unix())
	w.clockAt(at)
	with := func(id string, change func(*rt.Alert)) *rt.FeedEntity {
		e := alertOn(id, onStop("C"))
		change(e.Alert)
		return e
	}
	unknownPeriod := func(field protowire.Number, from, to int) func(*rt.Alert) {
		return func(a *rt.Alert) {
			body, err := proto.Marshal(period(from, to))
			if err != nil {
				t.Fatal(err)
			}
			unknown(a, map[protowire.Number]any{field: body})
		}
	}
	const hour = 3600
	w.sent(t, "alerts", at,
		with("gap", func(a *rt.Alert) {
			a.ActivePeriod = []*rt.TimeRange{period(now+5*hour, now+6*hour), period(now-2*hour, now-hour),
				period(now+hour, now+2*hour)}
		}),
		with("endzero", func(a *rt.Alert) { a.ActivePeriod = []*rt.TimeRange{period(now-hour, 0)} }),
		with("millis", func(a *rt.Alert) { a.ActivePeriod = []*rt.TimeRange{period((now-hour)*1000, (now+hour)*1000)} }),
		with("millis over", func(a *rt.Alert) {
			a.ActivePeriod = []*rt.TimeRange{period((now-2*hour)*1000, (now-hour)*1000)}
		}),
		with("told", unknownPeriod(2, now-hour, now+hour)), with("told later", unknownPeriod(2, now+hour, now+2*hour)),
		with("impact", unknownPeriod(3, now-hour, now+3*hour)), with("impact later", unknownPeriod(3, now+hour, now+2*hour)),
		with("told before", func(a *rt.Alert) {
			unknownPeriod(2, now-hour, now+hour)(a)
			a.ActivePeriod = []*rt.TimeRange{period(now+hour, now+2*hour)}
		}),
		with("noscheme", func(a *rt.Alert) { a.Url = text("www.agency.example:8080/alert") }),
		alertOn("tomorrow", onTrip("early", "20260305")), alertOn("today", onTrip("early", "20260304")))
	want := []string{"endzero", "millis", "told", "impact", "told before", "noscheme", "today"}
	if got := w.alertsAt(t, "stop_id=metro:C&minutes=60"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	page := w.page(t, "/f/metro/alerts").Body.String()
	current, planned, _ := strings.Cut(page, "Planned")
	for part, texts := range map[string][]string{
		current: {"<bdi>endzero</bdi>", "<bdi>told</bdi>", "From Wednesday, March 4, 4:55 am to Wednesday, March 4, 6:55 am",
			`href="https://www.agency.example:8080/alert"`, `date=20260304">6:05 am Dock, Wednesday, March 4</a>`,
			`date=20260305">6:05 am Dock, Thursday, March 5</a>`, ">Cedar</a>"},
		planned: {"<bdi>gap</bdi>", "From Wednesday, March 4, 6:55 am to Wednesday, March 4, 7:55 am",
			"<bdi>told later</bdi>", "<bdi>impact later</bdi>"}} {
		for _, text := range texts {
			if !strings.Contains(part, text) {
				t.Errorf("the alerts page lacks %q\n%s", text, page)
			}
		}
	}
	if strings.Contains(page, "millis over") {
		t.Error("an alert that is over is listed")
	}
}

// Annotations of a line, an agency, a trip and a bay reach every page that shows these, and
// annotations of what the feed lacks reach none.
func TestAnnotationsReachRiders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	add := func(kind, id, body string) {
		t.Helper()
		w.exec(t, `INSERT INTO transit.annotation (annotation_type, alias, entity_type, entity_id, body, format, time_zone)
			VALUES ('comment', 'metro', '`+kind+`', '`+id+`', '`+body+`', 'markdown', 'America/New_York')`)
	}
	add("routes", "R/1", "The *line* note")
	add("agency", "M T", "The agency note")
	add("trips", "early", "The trip note")
	add("stops", "C", "The stop note")
	add("stops", "S1", "The bay note")
	add("stops", "nowhere", "The ghost note")
	w.refresh(t)
	line := []string{"The line note", "The agency note", "6:05 am Dock: The trip note", "The stop note"}
	board := []string{"The line note", "The agency note", "1 6:20 am Harbor: The trip note", "The stop note"}
	for _, c := range []struct {
		target string
		want   []string
	}{
		{"/f/metro/stops/C?minutes=60", board}, {"/board?stop=metro:C&minutes=60", board},
		{"/embed/board?stop=metro:C&minutes=60", board}, {"/f/metro/routes/M%20T/R%2F1", line},
		{"/f/metro/routes/M%20T/R%2F1/timetable", line}, {"/f/metro/routes/M%20T/R%2F1/timetable?date=2026-03-05", line},

		{"/f/metro/routes/M%20T/R%2F1/trips/early", []string{"The line note", "The agency note", "The trip note", "The stop note"}},
		{"/f/metro/stops/S", []string{"The bay note"}}, {"/f/metro/stops/S1", []string{"The bay note"}},
		{"/f/metro/alerts", []string{"The line note", "The agency note", "The trip note", "6:05 am Dock", "The stop note",
			"The bay note", ">Station platform 1<"}},
	} {
		page := w.page(t, c.target).Body.String()
		for _, text := range c.want {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %q\n%s", c.target, text, page)
			}
		}
		if strings.Contains(page, "ghost") {
			t.Errorf("%s shows an annotation of a stop that does not exist", c.target)
		}
	}
	if page := w.page(t, "/f/metro/stops/S2").Body.String(); strings.Contains(page, "The bay note") {
		t.Error("another bay shows the annotation")
	}
	for path, want := range map[string]string{"stops/nowhere": "[]", "stops/C": "[4]"} {
		if got := w.annotated(t, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// A board marks the departures that an alert of effect NO_SERVICE closes at their time.
func TestClosuresMarkDepartures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := in(t, "2026-03-04 05:55:00")
	now := int(at.Unix())
	w.clockAt(at)
	closed := alertOn("closed", onStop("C"))
	closed.Alert.Effect = rt.Alert_NO_SERVICE.Enum()
	closed.Alert.ActivePeriod = []*rt.TimeRange{period(now+600, now+7200)} // from 6:05, later than the first departures
	other := alertOn("other", &rt.EntitySelector{StopId: proto.String("100"), RouteId: proto.String("R/1")})
	other.Alert.Effect = rt.Alert_NO_SERVICE.Enum()
	detour := alertOn("detour", onStop("D"))
	w.sent(t, "alerts", at, closed, other, detour)
	marked := func(query string) (trips []string) {
		t.Helper()
		for _, d := range w.departures(t, query).Data.Departures {
			if d.NoService {
				trips = append(trips, time.Unix(d.PredictedDepartureEpoch, 0).In(at.Location()).Format("15:04 ")+d.TripID)
			}
		}
		return trips
	}
	for query, want := range map[string][]string{
		"stop_id=metro:C&minutes=60":   {"06:20 early"},
		"stop_id=metro:C&minutes=8":    nil,
		"stop_id=metro:100&minutes=60": {"06:05 early"},
	} {
		if got := marked(query); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := w.alertsAt(t, "stop_id=metro:C&minutes=60"); !slices.Equal(got, []string{"closed"}) {
		t.Errorf("alerts: %q", got)
	}
	if got := w.alertsAt(t, "stop_id=metro:C&minutes=8"); got != nil {
		t.Errorf("alerts: %q", got)
	}
	for _, target := range []string{"/f/metro/stops/C", "/board?stop=metro:C", "/f/metro/routes/M%20T/R%2F1/trips/early"} {
		if page := w.page(t, target).Body.String(); !strings.Contains(page, "no service, see the notice") {
			t.Errorf("%s does not mark the departure", target)
		}
	}
}

// A closed call is no next departure, and the timetable of its day strikes it through.
func TestClosuresAreNotNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := in(t, "2026-03-04 05:55:00")
	now := int(at.Unix())
	w.clockAt(at)
	next := func(query string) string {
		t.Helper()
		n := w.departures(t, query).Data.Stops[0].Next
		if n == nil {
			return ""
		}
		return time.Unix(n.DepartureEpoch, 0).In(at.Location()).Format("2 15:04 ") + n.TripID
	}
	const board, minute = "stop_id=metro:C&minutes=60", "stop_id=metro:C&minutes=1"
	before := next(minute)
	const timetable = "/f/metro/routes/M%20T/R%2F1/timetable?date=2026-03-04"
	if page := w.page(t, timetable).Body.String(); strings.Contains(page, "No service here") {
		t.Error("the timetable marks calls without a closure")
	}
	closed := alertOn("closed", onStop("C"))
	closed.Alert.Effect = rt.Alert_NO_SERVICE.Enum()
	closed.Alert.ActivePeriod = []*rt.TimeRange{period(now-600, now+7200)}
	w.sent(t, "alerts", at, closed)
	after := next(minute)
	if after == "" || after == before || before == "" {
		t.Errorf("next is %q, and %q without the closure", after, before)
	}
	if got := next(board); got != after {
		t.Errorf("while all departures of the board are closed, next is %q, want %q", got, after)
	}
	page := w.page(t, timetable).Body.String()
	if !strings.Contains(page, "No service here at this time") || !strings.Contains(page, "<s>~6:20") ||
		!strings.Contains(page, "closed") {
		t.Errorf("the timetable does not mark the closed call\n%s", page)
	}
	page = w.page(t, strings.Replace(timetable, "03-04", "03-05", 1)).Body.String()
	if strings.Contains(page, "No service here") {
		t.Error("the timetable of the next day is marked")
	}
}
