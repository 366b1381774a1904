package transitapi

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/transit-api/internal/annotation"
)

// midday is noon of a future Wednesday in New York, because the service ignores past annotations.
var midday = time.Date(2037, 3, 4, 17, 0, 0, 0, time.UTC)

// annotated returns the ids of the annotations in an answer.
func (w *world) annotated(t *testing.T, path string) string {
	t.Helper()
	a := decoded[struct {
		Meta struct{ TotalCount, DataCount, Limit int }
		Data []annotation.Annotation
	}](t, w, "/display/annotations/"+path)
	ids := []int{}
	for _, d := range a.Data {
		ids = append(ids, d.ID)
		if !d.Active {
			t.Errorf("%s: %d is listed but not active", path, d.ID)
		}
	}
	if a.Meta.TotalCount != len(ids) || a.Meta.DataCount != len(ids) || a.Meta.Limit != 0 {
		t.Errorf("%s: %+v", path, a.Meta)
	}
	return fmt.Sprint(ids)
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.exec(t, `
		INSERT INTO transit.annotation (annotation_type, alias, entity_type, entity_id, secondary_entity_type, secondary_entity_id, body, format, override_entity_id, time_zone, starts_at, ends_at, hours)
		VALUES ('comment', NULL, 'stops', '100', NULL, NULL, 'Use **Birch** <script>alert(1)</script>', 'markdown', NULL, 'America/New_York', NULL, NULL, NULL),
		       ('comment', 'metro', 'stops', '100', 'routes', 'R/1', '<p onclick="x()">Hi</p>', 'html', NULL, 'America/New_York', '2037-03-04 12:00', '2037-03-04 13:00', NULL),
		       ('override', 'soon', 'stops', '100', NULL, NULL, '', 'markdown', 'C', 'America/New_York', NULL, NULL, NULL),
		       ('comment', NULL, 'stops', '100', NULL, NULL, 'Mornings', 'markdown', NULL, 'America/New_York', NULL, NULL, '{[3240,3420)}'),
		       ('comment', NULL, 'agency', 'M T', NULL, NULL, 'x', 'markdown', NULL, 'UTC', NULL, '2001-01-01', NULL),
		       ('comment', NULL, 'agency', 'M T', NULL, NULL, 'x', 'markdown', NULL, 'No/Where', NULL, NULL, NULL),
		       ('comment', NULL, 'routes', 'R/1', NULL, NULL, 'x', 'markdown', NULL, 'UTC', NULL, NULL, '{}')`)
	w.clockAt(midday)
	w.refresh(t)
	golden(t, "display.annotations", w.ask(t, "/display/annotations/stops/100"))
	for path, want := range map[string]string{
		"stops/100": "[1 2 3]", "stops/100?feed=metro": "[1 2]", "agency/M%20T": "[]", "routes/R%2F1": "[]",
		"routes/nobody": "[]",
	} {
		if got := w.annotated(t, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	w.statuses(t, map[string]int{"/display/annotations/stop/100": 404,
		"/display/annotations/stops/100?feed=nobody": 404})
	// The answers and their validator change with time only.
	tag := w.get(t, "/display/annotations/stops/100").Header.Get("ETag")
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	w = w.again(t)
	for i, c := range []struct {
		at    string // local time
		want  string
		until string
	}{
		{"2037-03-04 05:59:59", "[1 3]", "2037-03-04 06:00:00"},
		{"2037-03-04 06:00:00", "[1 3 4]", "2037-03-04 09:00:00"}, // Wednesday 6:00 to 9:00
		{"2037-03-04 11:59:58.5", "[1 3]", "2037-03-04 12:00:00"},
		{"2037-03-04 12:59:59.9", "[1 2 3]", "2037-03-04 13:00:00"},
		{"2037-03-04 13:00:00", "[1 3]", "2037-03-08 03:00:00"},
		{"2037-03-05 06:00:00", "[1 3]", "2037-03-08 03:00:00"},
		{"2037-03-11 08:59:57", "[1 3 4]", "2037-03-11 09:00:00"},
		{"2037-03-11 09:00:00", "[1 3]", "2037-03-18 06:00:00"},
	} {
		at, err := time.ParseInLocation(time.DateTime, c.at, zone)
		if err != nil {
			t.Fatal(err)
		}
		w.clockAt(at) // a later read activates the change
		if i == 0 {
			refreshFeeds(t, w.api)
			w.refresh(t)
		}
		if got := w.annotated(t, "stops/100"); got != c.want {
			t.Errorf("at %s: %s, want %s", c.at, got, c.want)
		}
		if until := w.api.annotations.At(at).Generation.Until.In(zone).Format(time.DateTime); until != c.until {
			t.Errorf("at %s: valid until %s, want %s", c.at, until, c.until)
		}
		if got := w.get(t, "/display/annotations/stops/100"); (got.Header.Get("ETag") == tag) != (c.want == "[1 2 3]") {
			t.Errorf("at %s: ETag %s", c.at, got.Header.Get("ETag"))
		}
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.sent(t, "trip_updates", midday,
		updateOf("late", "100"), updateOf("l1", "100", "C"), updateOf("back", "C"), updateOf("branch/é", "E"),
		updateOf("f1", "D"))
	override := func(stop, to, more string) {
		t.Helper()
		w.exec(t,
			`INSERT INTO transit.annotation (annotation_type, entity_type, entity_id, override_entity_id, time_zone) VALUES ('override', 'stops', '`+stop+`', '`+to+`', 'America/New_York')`)
		if more != "" {
			w.exec(t, `UPDATE transit.annotation SET `+more+` WHERE annotation_id = (SELECT max(annotation_id)
				FROM transit.annotation)`)
		}
		w.refresh(t)
	}
	see := func(stop, want string) {
		t.Helper()
		if got := tripsIn(w.rt(t, "/rt/tripupdates/"+stop)); got != want {
			t.Errorf("%s: %s, want %s", stop, got, want)
		}
	}
	w.clockAt(midday)
	see("100", "[late l1]")
	override("100", "D", "starts_at = '2037-03-04 13:00'")
	see("100", "[late l1]")
	if until := w.api.annotations.At(w.now()).Redirects.Until; !until.Equal(midday.Add(time.Hour)) {
		t.Error(until)
	}
	w.clockAt(midday.Add(time.Hour))
	see("100", "[f1]")
	see("A", "[f1]") // the override names the stop by its code
	see("C", "[l1 back]")
	override("C", "100", "secondary_entity_type = 'routes', secondary_entity_id = 'loop'")
	see("C", "[back]") // at C, the loop's trips become those at D; D has none
	w.exec(t, `UPDATE transit.annotation SET ends_at = '2037-03-04 14:00', changed = nextval('transit.operator_change')
		WHERE entity_id = '100'`)
	w.clockAt(midday.Add(2 * time.Hour))
	w.refresh(t)
	see("100", "[late l1]")
	see("C", "[l1 back]") // l1 through stop 100
	override("E", "B", "")
	override("B", "E", "") // an override in a cycle is followed only a few times
	w.rt(t, "/rt/tripupdates/E")
	override("D", "E", "alias = 'other'")
	see("D", "[f1]")
}

// annotationOf returns an unread store of one annotation of stop A. cells are its starts_at, ends_at
// and hours.
func annotationOf(t *testing.T, zone, cells string, changed func()) *annotation.Store {
	t.Helper()
	db := pgtest.New(t)
	if _, err := db.Exec(t.Context(), `
		INSERT INTO transit.annotation (annotation_type, entity_type, entity_id, body, format, time_zone, starts_at,
		  ends_at, hours)
		VALUES ('comment', 'stops', 'A', 'x', 'markdown', '`+zone+`', `+cells+`)`); err != nil {
		t.Fatal(err)
	}
	deps := run.Deps{DB: db, Log: slog.New(slog.DiscardHandler)}
	return annotation.New(deps, func() time.Time { return midday }, changed)
}

// The state of annotations does not change until the moment that it predicts.
func TestAnnotationsChangeOnlyWhenPredicted(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// Sundays from 1:30 to 2:30 and from 23:00 to Monday 1:00, over both changes of the clock.
	s := annotationOf(t, "Europe/Berlin", `'2037-03-20 00:00', '2037-11-02 00:30', '{[0,60),[8730,8790),[10020,10080)}'`,
		func() {})
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, last := time.Date(2037, 3, 20, 0, 0, 0, 0, berlin), time.Date(2037, 11, 2, 0, 30, 0, 0, berlin)
	truth := func(at time.Time) bool {
		l := at.In(berlin)
		minute := l.Hour()*60 + l.Minute()
		in := l.Weekday() == time.Sunday && (minute >= 90 && minute < 150 || minute >= 23*60) || l.Weekday() == time.Monday &&
			minute < 60
		return in && !at.Before(first) && at.Before(last)
	}
	all := func(*string, string, string) bool { return true }
	active := func(state *annotation.State) bool { return len(state.About("stops", "A", nil, all)) > 0 }
	for _, begin := range []time.Time{first.AddDate(0, 0, -1), last.AddDate(0, 0, -9)} {
		state := s.At(begin)
		for at := begin; at.Before(begin.AddDate(0, 0, 12)); at = at.Add(time.Minute) {
			if until := state.Generation.Until; !until.IsZero() && !at.Before(until) {
				state = s.At(at)
			}
			if active(state) != truth(at) {
				t.Fatalf("at %s: active = %v, but no change was predicted before %s", at.In(berlin), active(state),
					state.Generation.Until.In(berlin))
			}
		}
	}
	if state := s.At(last); active(state) || !state.Generation.Until.IsZero() {
		t.Errorf("after the end: %v %s", active(state), state.Generation.Until)
	}
}

// When the hours of an annotation start or end, only one of the concurrent requests computes the
// new state. A slow request does not restore the old state.
func TestAnnotationsAreActivatedOnce(t *testing.T) {
	t.Parallel()
	var s *annotation.Store
	var before *annotation.State
	states, changes := make([]*annotation.State, 50), 0
	var started, done sync.WaitGroup
	s = annotationOf(t, "UTC", `NULL, '2037-03-04 18:00', NULL`, func() {
		if changes++; changes > 1 {
			return
		}
		// The store is locked now, so the requests wait after they have seen the old state.
		before = s.At(midday)
		for i := range states {
			started.Add(1)
			done.Go(func() {
				started.Done()
				states[i] = s.At(midday.Add(time.Hour))
			})
		}
		started.Wait()
	})
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	done.Wait()
	for _, state := range states {
		if state == before || state != states[0] {
			t.Fatal("more than one request computed the state")
		}
	}
	if s.At(midday) != states[0] || changes != 2 {
		t.Errorf("an earlier state was restored, or %d changes", changes)
	}
}
