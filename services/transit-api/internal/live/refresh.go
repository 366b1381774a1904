package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

const (
	period      = time.Second           // between reads of the source table without events
	feedsPeriod = 20 * time.Millisecond // between checks, at the start, that the feeds are loaded
	maxCalls    = 1_000_000             // maximum calls of the trips in a message: several times those of large feeds

	listTimeout = 10 * time.Second
	readTimeout = 30 * time.Second // bounds the read of one source
	readsAtOnce = 4                // half the connections of the process
	largeBytes  = 256 << 10        // a snapshot above this is read and indexed alone, because its index takes memory
	// readyAfter is the longest time that the start of a replica waits for its sources.
	readyAfter = 15 * time.Second
)

// An entry is the place of a source in memory. Live.mu guards it.
type entry struct {
	state   *SourceState
	reading bool   // a read has begun and not ended
	logged  string // the last logged problem; "" if there is none
}

type sourceRow struct {
	Alias       string
	Source      string
	Kind        string
	StaleAfter  time.Duration
	MinInterval time.Duration
	FetchedAt   *time.Time
	SnapshotID  *int64
}

var liveSources = rest.SQL[rest.None, sourceRow](`
	SELECT alias, source, kind, stale_after, min_interval, fetched_at, snapshot_id
	FROM transit.source
	ORDER BY alias, source`)

type sourceKey struct {
	Alias  string
	Source string
	Most   int64 // size of the data in bytes; larger data is not read
}

// A storedSource is the row of a source with its snapshot. One query reads both, because the poller
// replaces them together.
type storedSource struct {
	sourceRow
	Data  []byte
	Bytes int64 // size of the snapshot
}

var liveSource = rest.SQL[sourceKey, storedSource](`
	SELECT s.alias, s.source, s.kind, s.stale_after, s.min_interval, s.fetched_at, s.snapshot_id,
	       CASE WHEN octet_length(n.data) <= @most::bigint THEN n.data END AS data, coalesce(octet_length(n.data),
		0)::bigint AS bytes
	FROM transit.source s
	LEFT JOIN transit.snapshot n USING (snapshot_id)
	WHERE s.alias = @alias AND s.source = @source`)

func (r *sourceRow) name() string { return r.Alias + " " + r.Source }

func (r *sourceRow) key() string {
	key := fmt.Sprintf("%s %s %d", r.name(), r.Kind, r.StaleAfter)
	if r.FetchedAt != nil {
		key += fmt.Sprintf(" at %d", r.FetchedAt.UnixMicro())
	}
	if r.SnapshotID != nil {
		key += fmt.Sprintf(" is %d", *r.SnapshotID)
	}
	return key
}

// Run keeps the data up to date until ctx ends.
func (l *Live) Run(ctx context.Context) error {
	var reads sync.WaitGroup
	defer reads.Wait()
	// Wait for the feeds: without an edition, messages would be served without their trips.
	for l.dir.Ready(ctx) != nil && wait.For(ctx, feedsPeriod) {
	}
	loop := run.Loop{Name: "read the realtime sources", Period: period, Timeout: listTimeout, Log: l.log}
	return run.Watch(ctx, l.bus, loop, func(listing context.Context) error {
		err := l.begin(listing, ctx, &reads) // reads outlast the listing, so that a slow one delays no other
		l.RequestStale(listing, time.Now())
		return err
	}, run.On[eventsv1.SnapshotStored])
}

// Ready returns nil after all sources have been read, or after readyAfter.
func (l *Live) Ready(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun.IsZero() {
		return errors.New("not read yet")
	}
	unread := 0
	for _, e := range l.all {
		if e.state.unread {
			unread++
		}
	}
	if unread > 0 && time.Since(l.begun) < readyAfter {
		return fmt.Errorf("%d sources are not read yet", unread)
	}
	return nil
}

// Refresh reads the source table, and loads and indexes new snapshots. It returns when all reads
// that it began have ended.
func (l *Live) Refresh(ctx context.Context) error {
	var reads sync.WaitGroup
	err := l.begin(ctx, ctx, &reads)
	reads.Wait()
	return errors.Join(err, ctx.Err())
}

// begin reads the source table, and begins to read the sources that have changed. Each is published
// when it has been read. A source that cannot be read keeps its last snapshot.
func (l *Live) begin(listing, ctx context.Context, reads *sync.WaitGroup) error {
	rows, err := liveSources.List(listing, l.db, rest.None{})
	if err != nil {
		return fmt.Errorf("read realtime sources: %w", err)
	}
	feeds := l.dir.Now()
	if feeds == nil {
		return errors.New("the feed table has not been read yet")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	changed, listed := map[string]bool{}, make(map[string]bool, len(rows))
	for _, row := range rows {
		name := row.name()
		listed[name] = true
		e := l.all[name]
		if e == nil {
			unread := row
			unread.FetchedAt, unread.SnapshotID = nil, nil
			e = &entry{state: &SourceState{sourceRow: unread, demand: &demand{}, unread: true}}
			e.state.sum()
			l.all[name], changed[row.Alias] = e, true
		}
		if e.reading || e.state.isOf(feeds.ByAlias[row.Alias], &row) {
			continue
		}
		e.reading = true
		reads.Go(func() { l.read(ctx, e, row) })
	}
	for name, e := range l.all {
		if !listed[name] {
			delete(l.all, name)
			changed[e.state.Alias] = true
		}
	}
	if l.begun.IsZero() {
		l.begun = time.Now()
		l.publish(changed)
	} else if len(changed) > 0 {
		l.publish(changed)
	}
	return nil
}

// isOf reports whether the state is that of a row and the current version of its feed.
func (s *SourceState) isOf(feed *edition.Feed, row *sourceRow) bool {
	if feed == nil || feed.Edition == nil {
		return !s.unread && s.edition == nil && s.key() == row.key()
	}
	return !s.unread && s.edition == feed.Edition && s.version == feed.Version && s.key() == row.key()
}

func (s *SourceState) sum() {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %t", s.key(), s.version, s.unread)
	s.digest = h.Sum64()
}

// read reads a source and publishes it. After an error the old state stays, so that fetched_at is
// the time of the served data.
func (l *Live) read(ctx context.Context, e *entry, row sourceRow) {
	old := e.state // only read replaces it, and one read runs at a time
	s := &SourceState{sourceRow: row, demand: old.demand}
	err := l.index(ctx, l.places, s, old, largeBytes)
	if errors.Is(err, errLarge) {
		s.sourceRow = row
		err = l.index(ctx, l.large, s, old, math.MaxInt64)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.reading = false
	if l.all[row.name()] != e || errors.Is(err, context.Canceled) {
		return // the source was removed meanwhile, or the process ends
	}
	switch {
	case errors.Is(err, errGone):
		delete(l.all, row.name())
		l.publish(map[string]bool{row.Alias: true})
		return
	case err != nil && !old.unread:
		s = old
	case err != nil:
		s.FetchedAt, s.SnapshotID = nil, nil
	}
	l.report(e, row.name(), err)
	if s == old {
		return
	}
	s.sum()
	e.state = s
	l.publish(map[string]bool{row.Alias: true})
}

// publish replaces the current moment; changed has the aliases of feeds whose sources have changed.
// The caller holds mu.
func (l *Live) publish(changed map[string]bool) {
	sources := make([]*SourceState, 0, len(l.all))
	for _, e := range l.all {
		sources = append(sources, e.state)
	}
	slices.SortFunc(sources, func(a, b *SourceState) int {
		return cmp.Or(cmp.Compare(a.Alias, b.Alias), cmp.Compare(a.Source, b.Source))
	})
	before := l.now.Load()
	l.now.Store(before.next(sources, changed))
	close(before.replaced)
	l.news.Notify()
}

func (l *Live) report(e *entry, name string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != e.logged {
		l.log.Error("a realtime source keeps its last data", "source", name, "error", err)
	}
	e.logged = text
}

var (
	errGone  = errors.New("the source was removed")
	errLarge = errors.New("the snapshot is large")
)

// index waits for a place, and loads and indexes the snapshot of a source. If the row has changed
// since it was listed, index updates it in s. The error is [errLarge] if the snapshot has more than
// most bytes.
func (l *Live) index(ctx context.Context, place chan struct{}, s, old *SourceState, most int64) error {
	select {
	case place <- struct{}{}:
		defer func() { <-place }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	feed := l.dir.Now().ByAlias[s.Alias]
	if feed != nil && feed.Edition != nil {
		s.version, s.edition = feed.Version, feed.Edition
	}
	return panics.Safely(func() error { return l.indexFor(ctx, feed, s, old, most) })
}

func (l *Live) indexFor(ctx context.Context, feed *edition.Feed, s, old *SourceState, most int64) error {
	if s.SnapshotID == nil {
		return nil
	}
	var message *gtfsrt.Message
	if old.Snapshot != nil && old.ID == *s.SnapshotID {
		s.bytes = old.bytes
		if old.edition == s.edition && old.Kind == s.Kind {
			s.Snapshot = old.Snapshot // the poll returned the same message
			return nil
		}
		if s.bytes > most {
			return errLarge
		}
		message = old.Message
	} else {
		var err error
		message, err = l.load(ctx, s, most)
		if err != nil || message == nil {
			return err
		}
	}
	made := timestampOf(message)
	if made == 0 {
		made = s.FetchedAt.Unix()
	}
	today := 0
	if feed != nil {
		today = edition.DayNumber(time.Unix(made, 0), feed.Zone)
	}
	trips := realtime.Identify(message, s.Kind, s.edition, today)
	var patterns map[int32]*edition.Pattern
	if s.edition != nil {
		var err error
		patterns, err = s.edition.Patterns(ctx, trips.Patterns(), maxCalls)
		if err != nil {
			return fmt.Errorf("look up the calls of trips: %w", err)
		}
	}
	s.Snapshot = realtime.New(*s.SnapshotID, message, s.Kind, trips, patterns)
	return nil
}

// load reads the row of a source and its message. The message is nil if the source has a new
// address and no message yet.
func (l *Live) load(ctx context.Context, s *SourceState, most int64) (*gtfsrt.Message, error) {
	stored, err := liveSource.One(ctx, l.db, sourceKey{Alias: s.Alias, Source: s.Source, Most: most})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, errGone
	case err != nil:
		return nil, fmt.Errorf("read snapshot %d: %w", *s.SnapshotID, err)
	}
	s.sourceRow, s.bytes = stored.sourceRow, stored.Bytes
	switch {
	case s.SnapshotID == nil:
		return nil, nil
	case stored.Bytes > most:
		return nil, errLarge
	case stored.Data == nil:
		return nil, fmt.Errorf("read snapshot %d: the source refers to it, but it is not stored", *s.SnapshotID)
	}
	message, err := gtfsrt.Scan(stored.Data)
	if err != nil {
		return nil, fmt.Errorf("read snapshot %d: %w", *s.SnapshotID, err)
	}
	return message, nil
}
