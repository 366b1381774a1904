package rtpoller

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Named screens ask the APIs, which write no table: each publishes now and then which screens it saw, and a poller stores it. Of several
// pollers each stores the same. What is lost when none runs stands in the next message.

const (
	// mostSeen is how many screens of one message are written, mostWaiting how many messages wait.
	mostSeen    = 3000
	mostWaiting = 64
	// maxSeenAge is the age of what is not worth writing: such a message comes from a wrong clock.
	maxSeenAge = 24 * time.Hour
)

// screens stores what the APIs publish about screens.
type screens struct {
	deps  run.Deps
	names map[string]bool // of transit.yaml: no others are written
	news  chan *eventsv1.ScreensSeen
}

func newScreens(transit *conf.Transit, deps run.Deps) *screens {
	s := &screens{deps: deps, names: map[string]bool{}, news: make(chan *eventsv1.ScreensSeen, mostWaiting)}
	for i := range transit.Screens {
		s.names[transit.Screens[i].Name] = true
	}
	return s
}

// hear takes a message, unless too many wait.
func (s *screens) hear(m *eventsv1.ScreensSeen) {
	select {
	case s.news <- m:
	default:
	}
}

// run writes messages until ctx ends.
func (s *screens) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-s.news:
			if err := s.write(ctx, m); err != nil && ctx.Err() == nil {
				s.deps.Log.Warn("cannot write which screens were seen; the next message has them again", "error", err)
			}
		}
	}
}

// saveScreens raises times only: messages of several APIs come in any order. All pollers take the rows in the same order.
const saveScreens = `
	INSERT INTO transit.screen AS s (name, form, seen_at, build)
	SELECT DISTINCT ON (name, form) name, form, now() - make_interval(secs => age), build
	FROM unnest($1::text[], $2::text[], $3::float8[], $4::text[]) AS n (name, form, age, build)
	ORDER BY name, form, age
	ON CONFLICT (name, form) DO UPDATE SET seen_at = excluded.seen_at, build = excluded.build WHERE s.seen_at < excluded.seen_at`

// dropScreens forgets screens that are no more.
const dropScreens = `DELETE FROM transit.screen WHERE seen_at < now() - interval '90 days'`

func (s *screens) write(ctx context.Context, m *eventsv1.ScreensSeen) error {
	var names, forms, builds []string
	var ages []float64
	for _, seen := range m.GetScreens()[:min(len(m.GetScreens()), mostSeen)] {
		age := seen.GetAgeMs()
		if !s.names[seen.GetName()] || !knownForm(seen.GetForm()) || age < 0 || age > maxSeenAge.Milliseconds() || len(seen.GetBuild()) > 100 {
			continue
		}
		names, forms, builds, ages = append(names, seen.GetName()), append(forms, seen.GetForm()), append(builds, seen.GetBuild()), append(ages, float64(age)/1000)
	}
	if names == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	batch := &pgx.Batch{}
	batch.Queue(saveScreens, names, forms, ages, builds)
	batch.Queue(dropScreens)
	if err := s.deps.DB.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("write %d screens: %w", len(names), err)
	}
	return nil
}

// Forms of a screen that are asked for.
const (
	FormPage    = "page"
	FormRows    = "rows"
	FormPicture = "picture"
)

func knownForm(form string) bool { return form == FormPage || form == FormRows || form == FormPicture }

// A Sighting is when a screen last asked for one form of it.
type Sighting struct {
	Name   string    `db:"name"`
	Form   string    `db:"form"`
	SeenAt time.Time `db:"seen_at"`
	Build  string    `db:"build"`
}

// ListScreens returns what is known of screens, by name.
func ListScreens(ctx context.Context, db *pgxpool.Pool) ([]Sighting, error) {
	rows, err := db.Query(ctx, `SELECT name, form, seen_at, build FROM transit.screen ORDER BY name, form`)
	if err != nil {
		return nil, fmt.Errorf("read screens: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[Sighting])
	if err != nil {
		return nil, fmt.Errorf("read screens: %w", err)
	}
	return all, nil
}
