package transitapi

import (
	"context"
	"errors"
	"time"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// This file reads feed versions into memory, apart from any request: each once, a few at a time, and no more of one than it may take.

// An edition is one feed version in memory. It never changes.
type edition struct {
	*index
	timetable *timetable // nil when the feed is too large for one; its resources are answered, its boards are not
	bytes     int64      // what it takes, estimated
}

// A budget is the memory that something from outside may still take.
type budget struct{ left int64 }

// errTooLarge is why what is over its budget is not kept.
var errTooLarge = errors.New("needs more memory than it may take")

// take counts bytes; beyond the budget it is errTooLarge.
func (b *budget) take(bytes int) error {
	if b.left -= int64(bytes); b.left < 0 {
		return errTooLarge
	}
	return nil
}

// What rows take in memory beside their texts, measured: with the maps that find them, and with the room that growing takes.
const (
	stopBytes    = 900 // in the index and in the timetable
	routeBytes   = 300
	tripBytes    = 110
	serviceBytes = 300
	dayBytes     = 8
)

// readEdition reads a version. What would take more than so many bytes is errTooLarge; if only the timetable would, there is none.
func readEdition(ctx context.Context, db rest.DB, v replica.Version, limit int64) (*edition, error) {
	b := &budget{limit}
	x, err := readIndex(ctx, db, v, b)
	if err != nil {
		return nil, err
	}
	e := &edition{index: x, bytes: limit - b.left}
	switch t, err := openTimetable(ctx, db, v, x, b); {
	case errors.Is(err, errTooLarge):
	case err != nil:
		return nil, err
	default:
		e.timetable, e.bytes = t, limit-b.left
	}
	return e, nil
}

// An edited names what a reading is of. The number of a version alone would repeat itself in a database that was restored.
type edited struct {
	feed    int32
	version replica.Version
	sha256  string
}

func (row *feedRow) edited() edited { return edited{row.FeedID, row.VersionID, string(row.SHA256)} }

// A reading is one version that is being read, or was.
type reading struct {
	over    bool
	edition *edition
	err     error
	stop    context.CancelFunc
	tries   int
	again   time.Time // when one that failed is tried again
}

const (
	// readAtOnce is how many versions are read at the same time, and readWithin how long each may take.
	readAtOnce = 3
	readWithin = 5 * time.Minute
)

// read begins to read those versions that are not there, and forgets those that nobody needs.
func (d *directory) read(ctx context.Context) {
	wanted := map[edited]bool{}
	for i := range d.rows {
		row := &d.rows[i]
		if row.Gone {
			continue
		}
		key := row.edited()
		wanted[key] = true
		tries := 1
		if r := d.readings[key]; r != nil {
			if !r.over || r.err == nil || errors.Is(r.err, errTooLarge) || d.clock().Before(r.again) {
				continue
			}
			tries = r.tries + 1
		}
		within, stop := context.WithTimeout(ctx, readWithin)
		r := &reading{stop: stop, tries: tries}
		d.readings[key] = r
		d.running.Go(func() { d.finish(within, key.version, r) })
	}
	for key, r := range d.readings {
		if !wanted[key] {
			r.stop()
			delete(d.readings, key)
		}
	}
}

// finish reads a version when its turn comes, and lets requests have it.
func (d *directory) finish(ctx context.Context, v replica.Version, r *reading) {
	defer r.stop()
	e, err := d.edition(ctx, v)
	d.mu.Lock()
	defer d.mu.Unlock()
	r.over, r.edition, r.err = true, e, err
	r.again = d.clock().Add(min(lookEvery<<min(r.tries, 10), time.Minute))
	d.settle()
}

func (d *directory) edition(ctx context.Context, v replica.Version) (e *edition, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panics.Error(p)
		}
	}()
	select {
	case d.atOnce <- struct{}{}:
		defer func() { <-d.atOnce }()
		return readEdition(ctx, replica.DB{DB: d.db}, v, d.limit)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// tell logs what is wrong with a feed, once.
func (d *directory) tell(alias string, r *reading) {
	text := ""
	switch {
	case r == nil || !r.over:
		return
	case errors.Is(r.err, errTooLarge):
		text = "a feed is not served: it needs more memory than TRANSIT_FEED_BYTES"
	case r.err != nil:
		text = "a feed could not be read, and goes on as it was: " + r.err.Error()
	case r.edition.timetable == nil:
		text = "a feed is served without departure boards: with its calendar it needs more memory than TRANSIT_FEED_BYTES"
	}
	if d.trouble[alias] == text {
		return
	}
	d.trouble[alias] = text
	if text != "" {
		d.log.Error(text, "feed", alias, "limit", d.limit)
	}
}
