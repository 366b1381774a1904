package observe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/pg"
)

const (
	renewPeriod = 10 * time.Second
	// Visits are stored when no message came for a while, or after four messages of a source: so the
	// messages of several sources are written once. An observer that is killed loses none, because the
	// next one reads the snapshots since the last write; conf keeps twenty.
	writeMessages = 4
	writePause    = 15 * time.Second
	settlePeriod  = 5 * time.Minute
	forgetPeriod  = 6 * time.Hour
	// Figures of a day are computed from all its rows, so a large feed pauses longer: the work is to
	// stay small beside the polls.
	minAddUpPause = 30 * time.Second
	maxAddUpPause = 15 * time.Minute
	addUpShare    = 10000 // pause in multiples of the time that the work took
	// A feed without messages for so long is quiet: its figures are computed at once.
	quietPause = 45 * time.Second
	// settleDelay is how long after its planned end a trip is settled, in seconds. A visit that is
	// seen later still replaces what was settled.
	settleDelay = 900
	// maxAheadOfClock is how far in the future a header may be, in seconds.
	maxAheadOfClock = 60
	// handedBytes bounds the memory of messages that wait for the observer. Others are read from
	// their snapshots.
	handedBytes = 8 << 20
	stepTimeout = 2 * time.Minute
	stopTimeout = 2 * time.Second
)

// Keep is how long what was observed is kept after it was last written.
type Keep struct{ Visits, Figures time.Duration }

// A Source is a realtime source of the feed.
type Source struct{ Name, Kind string }

// A Watch observes the messages of one feed that any poller publishes. Every poller observes, so
// that another can continue; the one with the lease writes.
type Watch struct {
	db      *pgxpool.Pool
	log     *slog.Logger
	store   *store
	sources []Source
	keep    Keep
	awake   chan struct{} // capacity 1: a signal that there may be messages

	mu     sync.Mutex
	handed map[int64]*handed // by snapshot
	bytes  int

	observer                        *Observer // nil until it has what was stored
	timetable                       *feedTimetable
	read                            map[string]int64 // last snapshot of each source
	received                        time.Time        // when the last message was observed
	messages                        int64            // stored number of messages
	holding                         bool
	unstored                        map[string]int // observed messages by source since the last write
	renewed, settled, added, forgot time.Time
	addUpPause                      time.Duration
}

// handed is a message that this process has decoded.
type handed struct {
	feed  *gtfsrt.Message
	calls judge.Calls
	bytes int
}

// NewWatch returns the watch of a feed.
func NewWatch(db *pgxpool.Pool, log *slog.Logger, alias string, sources []Source, keep Keep) *Watch {
	return &Watch{db: db, log: log.With("alias", alias), sources: sources, keep: keep,
		store: &store{db: db, alias: alias, holder: rand.Text(), days: map[int32]bool{}},
		awake: make(chan struct{}, 1), handed: map[int64]*handed{}}
}

// Offer hands over a message that was published as a snapshot, so that it need not be decoded again.
func (w *Watch) Offer(snapshot int64, feed *gtfsrt.Message, calls judge.Calls, bytes int) {
	w.mu.Lock()
	if !calls.AreTooMany() && w.bytes+bytes <= handedBytes {
		w.handed[snapshot] = &handed{feed: feed, calls: calls, bytes: bytes}
		w.bytes += bytes
	}
	w.mu.Unlock()
	w.Wake()
}

// Wake says that there may be messages.
func (w *Watch) Wake() {
	select {
	case w.awake <- struct{}{}:
	default:
	}
}

func (w *Watch) take(snapshot int64) *handed {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.handed[snapshot]
	for id, old := range w.handed {
		if id <= snapshot {
			w.bytes -= old.bytes
			delete(w.handed, id)
		}
	}
	return h
}

// Loop observes until ctx ends.
func (w *Watch) Loop(ctx context.Context) {
	failed := ""
	for {
		t := time.NewTimer(renewPeriod)
		select {
		case <-ctx.Done():
			t.Stop()
			if err := w.stop(context.WithoutCancel(ctx)); err != nil {
				w.log.Debug("the lease of the observer runs out", "error", err)
			}
			return
		case <-w.awake:
		case <-t.C:
		}
		t.Stop()
		err := panics.Safely(func() error {
			ctx, cancel := context.WithTimeout(ctx, stepTimeout)
			defer cancel()
			return w.step(ctx)
		})
		switch {
		case err == nil:
			failed = ""
		case ctx.Err() == nil:
			if errors.Is(err, panics.ErrPanic) {
				w.observer = nil // its memory may be damaged
			}
			clear(w.store.days)
			if failed != err.Error() {
				w.log.Warn("cannot observe; what is stored stays", "error", err)
			}
			failed = err.Error()
		}
	}
}

// step observes the messages that are there, and does what is due.
func (w *Watch) step(ctx context.Context) error {
	if err := w.prepare(ctx); err != nil || w.timetable.version == 0 {
		return err // without an import, not even the time zone is known
	}
	if time.Since(w.renewed) >= renewPeriod {
		if err := w.renew(ctx); err != nil {
			return err
		}
	}
	if err := w.readMessages(ctx); err != nil {
		return err
	}
	isDue := time.Since(w.settled) >= settlePeriod
	if w.holding && (isDue || w.isWriteDue()) {
		if err := w.write(ctx); err != nil {
			return err
		}
	}
	if isDue {
		w.observer.Forget()
		w.settled = time.Now()
	}
	if !w.holding {
		return nil
	}
	var err error
	if isDue {
		err = w.settle(ctx)
	}
	if err == nil && w.isAddUpDue() {
		err = w.addUp(ctx)
	}
	if err == nil && time.Since(w.forgot) >= forgetPeriod {
		w.forgot = time.Now()
		if err := w.store.forgetDays(ctx, w.keep.Visits, w.keep.Figures); err != nil {
			w.log.Warn("cannot delete old days; trying again later", "error", err)
		}
		if err := w.store.packDays(ctx); err != nil {
			w.log.Warn("cannot pack days that are over; trying again later", "error", err)
		}
	}
	return w.lost(err)
}

// lost notes that another poller has taken over, which is no error.
func (w *Watch) lost(err error) error {
	if errors.Is(err, errLost) {
		w.holding = false
		return nil
	}
	return err
}

// prepare makes sure that there is an observer with the live timetable.
func (w *Watch) prepare(ctx context.Context) error {
	if w.timetable != nil {
		live, err := w.timetable.isLive(ctx, w.store.alias)
		if err != nil {
			return err
		}
		if !live {
			w.timetable = nil
		}
	}
	if w.timetable == nil {
		timetable, err := openTimetable(ctx, w.db, w.store.alias)
		if err != nil {
			return err
		}
		w.timetable = timetable
		if w.observer != nil {
			w.observer.Replace(timetable.zone, timetable)
		}
	}
	if w.observer != nil || w.timetable.version == 0 {
		return nil
	}
	stand, err := w.store.stand(ctx)
	if err != nil {
		return err
	}
	o := New(w.timetable.zone, w.timetable)
	w.holding, w.renewed = false, time.Time{}
	w.received = time.Now().Add(-time.Duration(stand.Since * float64(time.Second)))
	w.read, w.messages = map[string]int64{}, 0
	w.unstored = map[string]int{}
	for _, s := range w.sources {
		if at := stand.Sources[s.Name]; at != 0 {
			o.Resume(s.Name, at, has(s.Kind, conf.TripUpdates))
		}
	}
	if err := w.adopt(ctx, o); err != nil {
		return err
	}
	w.observer = o
	return nil
}

// adopt reads what was stored of runs that may go on.
func (w *Watch) adopt(ctx context.Context, o *Observer) error {
	clock := o.Clock()
	if clock == 0 {
		return nil
	}
	today := o.Zone.Day(clock)
	for day := today - 2; day <= today+1; day++ {
		rows, err := w.store.recent(ctx, day, int32(max(-86400, clock-keep-o.Zone.Start(day))))
		if err != nil {
			return err
		}
		if err := w.loadTrips(ctx, rows); err != nil {
			return err
		}
		for i := range rows {
			o.Adopt(&rows[i])
		}
	}
	return nil
}

func (w *Watch) loadTrips(ctx context.Context, rows []Row) error {
	var ids []string
	for i := range rows {
		if _, met := w.timetable.trips[rows[i].Trip]; !met {
			w.timetable.trips[rows[i].Trip] = nil
			ids = append(ids, rows[i].Trip)
		}
	}
	return w.timetable.read(ctx, ids)
}

// renew renews the lease, or takes over from a poller that has stopped.
func (w *Watch) renew(ctx context.Context) error {
	err := w.store.hold(ctx, w.db)
	w.renewed = time.Now()
	if err != nil {
		return w.lost(err)
	}
	if w.holding {
		return nil
	}
	if err := w.adopt(ctx, w.observer); err != nil {
		return err
	}
	w.holding, w.messages = true, w.observer.Messages // the poller before has counted them
	return w.write(ctx)
}

func (w *Watch) isWriteDue() bool {
	most := 0
	for _, n := range w.unstored {
		most = max(most, n)
	}
	return most >= writeMessages || most > 0 && time.Since(w.received) >= writePause
}

// isAddUpDue reports whether the figures of a day are computed now.
func (w *Watch) isAddUpDue() bool {
	return time.Since(w.added) >= w.addUpPause ||
		w.added.Before(w.received) && time.Since(w.received) >= quietPause
}

// write stores what has changed.
func (w *Watch) write(ctx context.Context) error {
	o := w.observer
	c := &change{rows: o.Changes(), gaps: o.Gaps, last: o.Last(), clock: o.Clock(), messages: o.Messages - w.messages,
		vehicles: o.Vehicles, placed: o.Placed}
	if err := w.store.write(ctx, c); err != nil {
		return w.lost(err)
	}
	w.messages = o.Messages
	w.renewed = time.Now()
	clear(w.unstored)
	o.Gaps = nil
	o.Stored(c.rows)
	return nil
}

// stop stores what has changed, and lets another poller continue at once.
func (w *Watch) stop(ctx context.Context) error {
	if !w.holding || w.observer == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	return errors.Join(w.write(ctx), w.store.release(ctx))
}

type snapshot struct {
	Source          string
	SnapshotID      int64
	HeaderTimestamp int64
	Fetched         int64
	Whole           bool // no snapshot before it is missing
}

// readMessages observes the snapshots that were stored since the last call.
func (w *Watch) readMessages(ctx context.Context) error {
	names, last := make([]string, len(w.sources)), make([]int64, len(w.sources))
	for i, s := range w.sources {
		names[i], last[i] = s.Name, w.read[s.Name]
	}
	all, err := pg.List[snapshot](ctx, w.db, `
		SELECT n.source, n.snapshot_id, n.header_timestamp, extract(epoch FROM n.fetched_at)::bigint AS fetched,
		       EXISTS (SELECT FROM transit.snapshot b WHERE b.snapshot_id = l.last) AS whole
		FROM transit.snapshot n JOIN unnest($2::text[], $3::bigint[]) AS l (source, last) USING (source)
		WHERE n.alias = $1 AND n.snapshot_id > l.last
		ORDER BY n.snapshot_id`, w.store.alias, names, last)
	if err != nil {
		return fmt.Errorf("read the snapshots of %s: %w", w.store.alias, err)
	}
	isNext := map[string]bool{} // by source: the snapshot before was read with this one
	for _, s := range all {
		s.Whole = s.Whole || isNext[s.Source] || w.read[s.Source] == 0
		if err := w.observe(ctx, s); err != nil {
			return err
		}
		isNext[s.Source] = w.read[s.Source] == s.SnapshotID
	}
	return nil
}

// observe observes one snapshot.
func (w *Watch) observe(ctx context.Context, s snapshot) error {
	at := slices.IndexFunc(w.sources, func(o Source) bool { return o.Name == s.Source })
	kind := w.sources[at].Kind
	h := w.take(s.SnapshotID)
	if h == nil {
		data, err := pg.Column[[]byte](ctx, w.db, `SELECT data FROM transit.snapshot WHERE snapshot_id = $1`, s.SnapshotID)
		if err != nil {
			return fmt.Errorf("read a snapshot of %s: %w", s.Source, err)
		}
		if len(data) == 0 {
			return nil // it was replaced by later ones, which come after a loss
		}
		calls := judge.NewCalls(len(data[0]))
		feed, err := gtfsrt.ScanCalls(data[0], calls.Add)
		if err != nil || calls.AreTooMany() {
			w.read[s.Source] = s.SnapshotID
			return nil
		}
		h = &handed{feed: feed, calls: calls}
	}
	m := &Message{Source: s.Source, At: gtfsrt.Seconds(int64(min(h.feed.Timestamp, 1<<62))), Feed: h.feed,
		Calls:   &h.calls,
		Updates: has(kind, conf.TripUpdates), Moves: has(kind, conf.VehiclePositions), Lost: !s.Whole}
	if m.At == 0 {
		m.At = s.Fetched
	}
	if m.At > s.Fetched+maxAheadOfClock {
		w.read[s.Source] = s.SnapshotID
		return nil // the feed's clock is wrong; the time without messages becomes a gap
	}
	var err error
	if m.Feed, err = w.timetable.name(ctx, m.Feed, w.timetable.zone.Day(m.At)); err != nil {
		return err
	}
	if err := w.timetable.load(ctx, m.Feed); err != nil {
		return err
	}
	w.read[s.Source] = s.SnapshotID
	before := w.observer.Clock()
	w.observer.Observe(m)
	if w.observer.Clock() > before {
		w.received = time.Now()
	}
	w.unstored[s.Source]++
	return nil
}

func has(kind, entities string) bool { return kind == entities || kind == conf.Mixed }
