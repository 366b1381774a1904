package edition

import (
	"context"
	"errors"
	"time"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A loadKey identifies the version to load. The version's number is not enough, because it repeats
// in a restored database.
type loadKey struct {
	feed    int32
	alias   string
	version replica.Version
	sha256  string
}

func (row *feedRow) loadKey() loadKey {
	return loadKey{row.FeedID, row.Alias, row.VersionID, string(row.SHA256)}
}

// A load is the loading of one version, in progress or done.
type load struct {
	done    bool
	edition *Edition
	err     error
	cancel  context.CancelFunc
	tries   int
	retryAt time.Time // set after an error
}

const (
	maxLoads    = 3 // maximum number of concurrent loads
	loadTimeout = 5 * time.Minute
	maxRetry    = time.Minute // maximum pause after a failed load
)

// startLoads starts to load missing versions, and drops versions that no feed needs any more.
func (d *Directory) startLoads(ctx context.Context) {
	wanted := map[loadKey]bool{}
	for i := range d.rows {
		row := &d.rows[i]
		if row.Gone {
			continue
		}
		key := row.loadKey()
		wanted[key] = true
		tries := 1
		if l := d.loads[key]; l != nil {
			if !l.done || l.err == nil || errors.Is(l.err, ErrTooLarge) || d.clock().Before(l.retryAt) {
				continue
			}
			tries = l.tries + 1
		}
		ctx, cancel := context.WithTimeout(ctx, loadTimeout)
		l := &load{cancel: cancel, tries: tries}
		d.loads[key] = l
		d.running.Go(func() { d.load(ctx, key, l) })
	}
	for key, l := range d.loads {
		if !wanted[key] {
			l.cancel()
			delete(d.loads, key)
		}
	}
}

func (d *Directory) load(ctx context.Context, key loadKey, l *load) {
	defer l.cancel()
	var e *Edition
	err := panics.Safely(func() (err error) {
		select {
		case d.atOnce <- struct{}{}:
			defer func() { <-d.atOnce }()
			var alter func(*Route)
			if d.Alter != nil {
				alter = func(r *Route) { d.Alter(key.alias, r) }
			}
			e, err = read(ctx, replica.DB{DB: d.db}, key.version, alter, d.limit)
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	l.done = true
	l.edition = e
	l.err = err
	l.retryAt = d.clock().Add(min(time.Second<<min(l.tries, 10), maxRetry))
	d.publish()
}

func (d *Directory) report(alias string, l *load) {
	text := ""
	switch {
	case l == nil || !l.done:
		return
	case errors.Is(l.err, ErrTooLarge):
		text = "a feed is not served: it needs more memory than TRANSIT_FEED_BYTES"
	case l.err != nil:
		text = "a feed could not be loaded; its earlier version stays: " + l.err.Error()
	case !l.edition.calendar:
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
