package edition

import (
	"context"
	"errors"
	"time"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A source identifies the version that a reading loads. The version's number alone would repeat in
// a restored database.
type source struct {
	feed    int32
	version replica.Version
	sha256  string
}

func (row *feedRow) source() source { return source{row.FeedID, row.VersionID, string(row.SHA256)} }

// A reading is the loading of one version, in progress or done.
type reading struct {
	over    bool
	edition *Edition
	err     error
	stop    context.CancelFunc
	tries   int
	again   time.Time // when a failed one is tried again
}

const (
	// readAtOnce is how many versions load at the same time, readWithin how long each may take.
	readAtOnce = 3
	readWithin = 5 * time.Minute
	// maxRetry is the longest wait between two tries of a reading that keeps failing.
	maxRetry = time.Minute
)

// read starts to load missing versions, and drops those that are no longer needed.
func (d *Directory) read(ctx context.Context) {
	wanted := map[source]bool{}
	for i := range d.rows {
		row := &d.rows[i]
		if row.Gone {
			continue
		}
		key := row.source()
		wanted[key] = true
		tries := 1
		if r := d.readings[key]; r != nil {
			if !r.over || r.err == nil || errors.Is(r.err, ErrTooLarge) || d.clock().Before(r.again) {
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

// finish loads a version when its turn comes, and shows it.
func (d *Directory) finish(ctx context.Context, v replica.Version, r *reading) {
	defer r.stop()
	e, err := d.edition(ctx, v)
	d.mu.Lock()
	defer d.mu.Unlock()
	r.over, r.edition, r.err = true, e, err
	r.again = d.clock().Add(min(time.Second<<min(r.tries, 10), maxRetry))
	d.show()
}

func (d *Directory) edition(ctx context.Context, v replica.Version) (e *Edition, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panics.Error(p)
		}
	}()
	select {
	case d.atOnce <- struct{}{}:
		defer func() { <-d.atOnce }()
		return read(ctx, replica.DB{DB: d.db}, v, d.limit)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// report logs a problem of a feed once.
func (d *Directory) report(alias string, r *reading) {
	text := ""
	switch {
	case r == nil || !r.over:
		return
	case errors.Is(r.err, ErrTooLarge):
		text = "a feed is not served: it needs more memory than TRANSIT_FEED_BYTES"
	case r.err != nil:
		text = "a feed could not be loaded; its earlier version stays: " + r.err.Error()
	case !r.edition.calendar:
		text = "a feed is served without departure boards: with its calendar it needs more memory than TRANSIT_FEED_BYTES"
	}
	if d.logged[alias] == text {
		return
	}
	d.logged[alias] = text
	if text != "" {
		d.log.Error(text, "feed", alias, "limit", d.limit)
	}
}
