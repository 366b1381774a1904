package rtpoller

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// A poller polls one source.
type poller struct {
	conf.Source
	alias, source string
	client        *fetch.Client
	maxBytes      int64
	maxPause      time.Duration // longest that its server may send us away
	within        time.Duration // longest time of one look at the database
	large         chan struct{} // of all pollers: holds one while an answer of unusual size is in hand
	deps          run.Deps
	log           *slog.Logger
	demand        chan struct{} // holds at most one request: more would make no difference
	wanted        wanted
	metrics       *metrics
}

func open(cfg Config, transit *conf.Transit, deps run.Deps, metrics *metrics) []*poller {
	large := make(chan struct{}, 1)
	client := fetch.New(fetch.Config{UserAgent: cfg.UserAgent, AllowPrivate: cfg.AllowPrivate})
	var all []*poller
	for _, f := range transit.Feeds {
		places := map[string]int{}
		for _, s := range f.Realtime {
			source := fmt.Sprintf("%s/%d", s.Kind, places[s.Kind])
			places[s.Kind]++
			all = append(all, &poller{
				Source: s, alias: f.Alias, source: source, client: client, maxBytes: cfg.MaxBytes, maxPause: cfg.MaxPause,
				within: storeWithin, large: large, deps: deps,
				log: deps.Log.With("alias", f.Alias, "source", source), demand: make(chan struct{}, 1), metrics: metrics,
			})
		}
	}
	return all
}

// storeWithin bounds each look at the database. One that hangs, or a connection that leads nowhere,
// must not end the polls of a source for good: the next turn gets another connection.
const storeWithin = 20 * time.Second

// address identifies the source's row: a poller with an older configuration does not touch it.
func (p *poller) address() []byte {
	sum := sha256.Sum256([]byte(p.URL))
	return sum[:]
}

// ask requests a poll now.
func (p *poller) ask() {
	select {
	case p.demand <- struct{}{}:
	default:
	}
}

// period is how often the source is due without requests.
func (p *poller) period() time.Duration {
	if p.IdleInterval == 0 {
		return p.StaleAfter
	}
	return p.IdleInterval
}

// loop polls on demand and by schedule until ctx ends. The source's row decides whether a turn
// polls; see claim.
func (p *poller) loop(ctx context.Context) {
	period := p.period()
	wait := rand.N(min(period, time.Second)) // replicas do not start in step
	for {
		t := time.NewTimer(wait)
		asked := false
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-p.demand:
			asked = true
		case <-t.C:
		}
		t.Stop()
		wait = period + rand.N(period/10+1)
		rest := period // nobody asked: not before the source has rested so long, whichever replica polled it
		if asked {
			rest = 0
		}
		// While NATS is away no requests arrive, so a source without a schedule is refreshed by the
		// clock.
		if asked || p.IdleInterval > 0 || p.deps.Events.Check(ctx) != nil {
			p.wanted.ask(time.Now(), p.period())
			if err := p.turn(ctx, rest); err != nil && ctx.Err() == nil {
				p.log.Warn("cannot poll now", "error", err)
			}
		}
	}
}

// state is the row of a source when a poll begins.
type state struct {
	poll               int64     // number of this attempt
	now                time.Time // by the clock of the database, which all replicas share
	etag, lastModified string
	timestamp          int64  // header timestamp of the snapshot in service
	sha256             []byte // of the snapshot in service
	failures           int
}

// turn polls the source once, if it is due and that long after the last poll.
func (p *poller) turn(ctx context.Context, rest time.Duration) error {
	before, due, err := p.claim(ctx, rest)
	if err != nil {
		return err
	}
	if !due {
		return p.heard(ctx)
	}
	ctx, done := p.deps.Span(ctx, "poll source", slog.String("feed", p.alias), slog.String("source", p.source))
	got := &answer{large: p.large}
	defer got.drop()
	var meta fetch.Meta
	var m message
	err = panics.Safely(func() (err error) { // a panic fails the poll, not the process
		meta, m, err = p.answer(ctx, before, got)
		return err
	})
	defer func() { done(err) }()
	if ctx.Err() != nil {
		return p.release(context.WithoutCancel(ctx), before)
	}
	if err != nil {
		p.metrics.outcome(p, "failed")
		if before.failures == 0 { // the others of a row are in the counter and in the source's row
			p.log.Warn("poll failed; the last good snapshot stays", "error", err)
		}
		return p.fail(ctx, before, err)
	}
	if before.failures > 0 {
		p.log.Info("source is good again", "failures", before.failures)
	}
	p.wanted.answered()
	if meta.NotModified || bytes.Equal(meta.SHA256[:], before.sha256) {
		p.metrics.outcome(p, "unchanged")
		return p.record(ctx, before, meta, nil, m)
	}
	p.metrics.outcome(p, "new")
	return p.record(ctx, before, meta, got.body, m)
}

// heard reads whether another replica has got a good answer since the request.
func (p *poller) heard(ctx context.Context) error {
	since := p.wanted.since(time.Now(), p.period())
	if since == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.within)
	defer cancel()
	var there bool
	err := p.deps.DB.QueryRow(ctx, `SELECT coalesce(fetched_at BETWEEN now() - $3::interval
		AND now() + interval '1 minute', false) FROM transit.source WHERE alias = $1 AND source = $2`,
		p.alias, p.source, since).Scan(&there)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // the registry brings the row back
	}
	if err != nil {
		return fmt.Errorf("look at the polls of %s %s: %w", p.alias, p.source, err)
	}
	if there {
		p.wanted.answered()
	}
	return nil
}

// answer fetches and checks an answer.
func (p *poller) answer(ctx context.Context, before state, got *answer) (meta fetch.Meta, m message, err error) {
	start := time.Now()
	meta, err = p.fetch(ctx, before, got)
	if ctx.Err() != nil {
		return meta, m, err
	}
	p.metrics.seconds.WithLabelValues(p.alias, p.source).Observe(time.Since(start).Seconds())
	if err == nil && !meta.NotModified {
		m, err = inspect(got.body, p.Kind, before.timestamp, before.now.Add(time.Since(start)))
	}
	return meta, m, err
}

// claim takes the right to poll now. The update succeeds for one poller, and not before
// next_poll_at. It sets that beyond the longest time of this poll; the answer sets it to
// min_interval from then. If the process dies in between, the next poll waits that long. A row
// further in the future than any poll sets it was written while a clock was wrong, and does not
// count.
func (p *poller) claim(ctx context.Context, rest time.Duration) (state, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, p.within)
	defer cancel()
	var s state
	err := p.deps.DB.QueryRow(ctx, `
		UPDATE transit.source s
		SET polled_at = now(), next_poll_at = now() + min_interval + $4::interval, polls = polls + 1
		WHERE alias = $1 AND source = $2 AND address = $5
		  AND (next_poll_at <= now() OR next_poll_at > now() + $6::interval)
		  AND (polled_at IS NULL OR polled_at <= now() - $3::interval OR polled_at > now() + interval '1 minute')
		RETURNING polls, now(), coalesce(etag, ''), coalesce(last_modified, ''), failures,
		          coalesce((SELECT header_timestamp FROM transit.snapshot n WHERE n.snapshot_id = s.snapshot_id), 0),
		          (SELECT sha256 FROM transit.snapshot n WHERE n.snapshot_id = s.snapshot_id)`,
		p.alias, p.source, rest, p.Timeout, p.address(), p.furthest()).Scan(&s.poll, &s.now, &s.etag, &s.lastModified,
		&s.failures, &s.timestamp, &s.sha256)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("claim the poll of %s %s: %w", p.alias, p.source, err)
	}
	return s, true, nil
}

func (p *poller) fetch(ctx context.Context, before state, got *answer) (fetch.Meta, error) {
	header := http.Header{}
	for k, v := range p.Headers {
		header.Set(k, v)
	}
	req := fetch.Request{URL: p.URL, Header: header, ETag: before.etag, LastModified: before.lastModified,
		MaxBytes: p.maxBytes, Timeout: p.Timeout}
	got.ctx = ctx
	return p.client.Copy(ctx, req, func() (io.Writer, error) { return got, nil })
}

// release gives up a poll that a stop has interrupted.
func (p *poller) release(ctx context.Context, before state) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := p.deps.DB.Exec(ctx, `
		UPDATE transit.source SET next_poll_at = now() + min_interval
		WHERE alias = $1 AND source = $2 AND polls = $3`, p.alias, p.source, before.poll)
	if err != nil {
		return fmt.Errorf("give up the poll of %s %s: %w", p.alias, p.source, err)
	}
	return nil
}

// record stores a good answer: a new snapshot if body is not nil, else that the stored one is still
// current. An answer that a later poll of another replica has overtaken is dropped.
func (p *poller) record(ctx context.Context, before state, meta fetch.Meta, body []byte, m message) error {
	ctx, cancel := context.WithTimeout(ctx, p.within)
	defer cancel()
	var id int64
	err := pg.Tx(ctx, p.deps.DB, func(tx pgx.Tx) error {
		id = 0
		tag, err := tx.Exec(ctx, `
			UPDATE transit.source
			SET fetched_at = now(), next_poll_at = now() + min_interval, failures = 0, error = NULL, etag = nullif($4, ''),
			  last_modified = nullif($5, ''), settled = $3
			WHERE alias = $1 AND source = $2 AND address = $6 AND settled < $3`, p.alias, p.source, before.poll,
			validator(meta.ETag), validator(meta.LastModified), p.address())
		if err != nil || tag.RowsAffected() == 0 || body == nil {
			return err
		}
		err = tx.QueryRow(ctx, `
			WITH stored AS (
				INSERT INTO transit.snapshot (alias, source, fetched_at, header_timestamp, trip_updates, vehicles, alerts, sha256,
				  data)
				VALUES ($1, $2, now(), $3, $4, $5, $6, $7, $8) RETURNING snapshot_id)
			UPDATE transit.source SET snapshot_id = (SELECT snapshot_id FROM stored) WHERE alias = $1 AND source = $2
			  RETURNING snapshot_id`,
			p.alias, p.source, m.timestamp, m.tripUpdates, m.vehicles, m.alerts, meta.SHA256[:], body).Scan(&id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			DELETE FROM transit.snapshot
			WHERE alias = $1 AND source = $2 AND snapshot_id <=
			      (SELECT snapshot_id FROM transit.snapshot WHERE alias = $1 AND source = $2
			       ORDER BY snapshot_id DESC OFFSET $3 LIMIT 1)`, p.alias, p.source, p.History)
		return err
	})
	if err != nil {
		return fmt.Errorf("store the snapshot of %s %s: %w", p.alias, p.source, err)
	}
	p.deps.Events.Publish(ctx, &eventsv1.SnapshotStored{Alias: p.alias, Source: p.source, SnapshotId: id})
	return nil
}

// validator is an ETag or a date that can be stored; one that is not text is dropped.
func validator(text string) string {
	if text != plain(text) {
		return ""
	}
	return text
}

// plain is a text of a server that the database accepts.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// maxBackoff bounds the pause after failures: riders should not wait long for a source that works
// again, and a request a minute is no burden for one that does not.
const maxBackoff = time.Minute

// backoff is the pause after failures in a row. It doubles each time, and is at least min_interval.
func backoff(minInterval time.Duration, failures int) time.Duration {
	pause := minInterval
	for range failures {
		if pause >= maxBackoff/2 {
			return max(minInterval, maxBackoff)
		}
		pause *= 2
	}
	return pause
}

// furthest is how far in the future a poll can put the next one.
func (p *poller) furthest() time.Duration {
	rest := max(p.MinInterval, maxBackoff)
	return max(rest+rest/4, p.maxPause, p.MinInterval+p.Timeout) + time.Minute
}

// fail records a failure and postpones the next poll.
func (p *poller) fail(ctx context.Context, before state, cause error) error {
	pause := backoff(p.MinInterval, before.failures)
	pause += rand.N(pause/4 + 1)
	if after, ok := fetch.RetryAfter(cause); ok {
		if after > p.maxPause {
			cause = fmt.Errorf("%w (and asks to be left alone for %s, which is too long: it is asked again sooner)", cause,
				after)
		}
		pause = max(pause, min(after, p.maxPause))
	}
	ctx, cancel := context.WithTimeout(ctx, p.within)
	defer cancel()
	_, err := p.deps.DB.Exec(ctx, `
		UPDATE transit.source
		SET failures = failures + 1, failures_ever = failures_ever + 1, error = $3, next_poll_at = now() + $4
		WHERE alias = $1 AND source = $2 AND address = $6 AND settled < $5`, p.alias, p.source, plain(cause.Error()), pause,
		before.poll, p.address())
	if err != nil {
		return fmt.Errorf("record the failed poll of %s %s: %w", p.alias, p.source, err)
	}
	return nil
}
