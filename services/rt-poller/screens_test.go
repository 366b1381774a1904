package rtpoller

import (
	"log/slog"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// What several APIs report of screens comes in any order; the latest holds, and only screens of the configuration are written.
func TestScreensAreWrittenDown(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	s := newScreens(&conf.Transit{Screens: []conf.Screen{{Name: "hall"}, {Name: "yard"}}}, run.Deps{DB: pool, Log: slog.New(slog.DiscardHandler)})
	tell := func(seen ...*eventsv1.ScreenSeen) {
		t.Helper()
		if err := s.write(t.Context(), &eventsv1.ScreensSeen{Screens: seen}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pool.Exec(t.Context(), `INSERT INTO transit.screen VALUES ('gone', 'rows', now() - interval '91 days', 'a'), ('rare', 'rows', now() - interval '89 days', 'a')`); err != nil {
		t.Fatal(err)
	}
	tell(&eventsv1.ScreenSeen{Name: "hall", Form: FormRows, AgeMs: 10_000, Build: "new"}, &eventsv1.ScreenSeen{Name: "hall", Form: FormRows, AgeMs: 20_000, Build: "twice"},
		&eventsv1.ScreenSeen{Name: "yard", Form: FormPicture, AgeMs: 600_000, Build: "new"}, &eventsv1.ScreenSeen{Name: "hall", Form: FormPage, AgeMs: 3_600_000, Build: "new"})
	tell(&eventsv1.ScreenSeen{Name: "hall", Form: FormRows, AgeMs: 3_000_000, Build: "old"})
	tell(&eventsv1.ScreenSeen{Name: "unknown", Form: FormRows}, &eventsv1.ScreenSeen{Name: "hall", Form: "else"}, &eventsv1.ScreenSeen{Name: "yard", Form: FormRows, AgeMs: -5000},
		&eventsv1.ScreenSeen{Name: "yard", Form: FormRows, AgeMs: 1 << 62})
	tell()
	all, err := ListScreens(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name, form, build string
		age               time.Duration
	}{{"hall", FormPage, "new", time.Hour}, {"hall", FormRows, "new", 10 * time.Second}, {"rare", FormRows, "a", 89 * 24 * time.Hour}, {"yard", FormPicture, "new", 10 * time.Minute}}
	if len(all) != len(want) {
		t.Fatalf("%d rows: %+v", len(all), all)
	}
	for i, w := range want {
		got := all[i]
		if off := time.Since(got.SeenAt) - w.age; got.Name != w.name || got.Form != w.form || got.Build != w.build || off < -time.Minute || off > 10*time.Minute {
			t.Errorf("row %d: %+v, want %+v", i, got, w)
		}
	}
}

// More messages than can be written do not hold up the bus.
func TestTooManyTellings(t *testing.T) {
	t.Parallel()
	s := newScreens(&conf.Transit{}, run.Deps{})
	for range 2 * mostWaiting {
		s.hear(&eventsv1.ScreensSeen{})
	}
	if len(s.news) != mostWaiting {
		t.Errorf("%d wait", len(s.news))
	}
}
