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
	"github.com/townline/townline/services/rt-poller/internal/observe"
)

type poller struct {
	conf.Source
	alias, source string
	client        *fetch.Client
	maxBytes      int64
	maxPause      time.Duration // bound for Retry-After
	dbTimeout     time.Duration // timeout of each statement
	large         chan struct{} // held by the one poller with an answer above smallAnswer
	deps          run.Deps
	log           *slog.Logger
	size          int           // size of the last new answer
	requested     chan struct{} // capacity 1: one pending request is enough
	demand        demand
	metrics       *metrics
	judges        *judges
	watch         *observe.Watch // nil unless the feed is observed
}

func newPollers(cfg Config, transit *conf.Transit, deps run.Deps, metrics *metrics) []*poller {
	judges := newJudges(deps, metrics.countJudged)
	large := make(chan struct{}, 1)
	client := fetch.New(fetch.Config{UserAgent: cfg.UserAgent, AllowPrivate: cfg.AllowPrivate})
	var all []*poller
	for _, f := range transit.Feeds {
		for i, source := range sourceNames(f) {
			s := f.Realtime[i]
			all = append(all, &poller{
				Source: s, alias: f.Alias, source: source, client: client, maxBytes: cfg.MaxBytes, maxPause: cfg.MaxPause,
				dbTimeout: statementTimeout, large: large, deps: deps,
				log: deps.Log.With("alias", f.Alias, "source", source), requested: make(chan struct{}, 1), metrics: metrics,
				judges: judges,
			})
		}
	}
	return all
}

// statementTimeout bounds statements, so that a database that hangs does not stop the polls of a
// source: the next attempt gets another connection.
const statementTimeout = 20 * time.Second

// address returns the hash of the URL and the agencies. Pollers with an older configuration have
// another hash and cannot use the row.
func (p *poller) address() []byte {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{p.URL}, p.Agencies...), "\n")))
	return sum[:]
}

func (p *poller) request() {
	select {
	case p.requested <- struct{}{}:
	default:
	}
}

// period returns the time between polls if there are no requests.
func (p *poller) period() time.Duration {
	if p.IdleInterval == 0 {
		return p.StaleAfter
	}
	return p.IdleInterval
}

// loop polls on request and by schedule until ctx ends. The source's row decides whether an attempt
// polls; see claim.
func (p *poller) loop(ctx context.Context) {
	period := p.period()
	wait := rand.N(min(period, time.Second)) // random, so that replicas do not poll at the same time
	for {
		t := time.NewTimer(wait)
		requested := false
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-p.requested:
			requested = true
		case <-t.C:
		}
		t.Stop()
		wait = period + rand.N(period/10+1)
		pause := period // minimum time since the last poll of any replica
		if requested {
			pause = 0
		}
		// Without NATS no requests arrive, so even a source without a schedule is polled every
		// period.
		if requested || p.IdleInterval > 0 || p.deps.Events.Check(ctx) != nil {
			p.demand.add(time.Now(), p.period())
			if err := p.poll(ctx, pause); err != nil && ctx.Err() == nil {
				p.log.Warn("cannot poll now", "error", err)
			}
		}
	}
}

// A state is the row of a source at the start of a poll.
type state struct {
	poll               int64     // number of this poll
	now                time.Time // time of the database
	etag, lastModified string
	// timestamp is sent, but not after the time of the fetch: a timestamp ahead of the clock would
	// make the next messages look old.
	timestamp int64
	sent      int64  // header timestamp of the served snapshot as sent, in seconds; 0 if there is none
	sha256    []byte // of the served snapshot
	fetched   *time.Time
	failures  int
}

// poll polls the source if it is due, at least pause after the last poll.
func (p *poller) poll(ctx context.Context, pause time.Duration) error {
	before, due, err := p.claim(ctx, pause)
	if err != nil {
		return err
	}
	if !due {
		return p.checkOthers(ctx)
	}
	ctx, done := p.deps.Span(ctx, "poll source", slog.String("feed", p.alias), slog.String("source", p.source))
	buffer := &answerBuffer{large: p.large, expected: p.size}
	defer buffer.release()
	var meta fetch.Meta
	var m message
	err = panics.Safely(func() (err error) { // a panic fails the poll, not the process
		meta, m, err = p.fetchMessage(ctx, before, buffer)
		return err
	})
	defer func() { done(err) }()
	if ctx.Err() != nil {
		return p.release(context.WithoutCancel(ctx), before)
	}
	if err != nil {
		p.metrics.count(p, "failed")
		if before.failures == 0 { // later failures are only in the counter and the source's row
			p.log.Warn("poll failed; the last good snapshot stays", "error", err)
		}
		err = p.fail(ctx, before, err)
		p.judge(before, m, buffer.body)
		return err
	}
	if before.failures > 0 {
		p.log.Info("source is good again", "failures", before.failures)
	}
	outcome, body := "new", buffer.body
	if meta.NotModified || bytes.Equal(meta.SHA256[:], before.sha256) {
		outcome, body = "unchanged", nil
	}
	p.metrics.count(p, outcome)
	err = p.record(ctx, before, meta, body, m)
	if err != nil {
		return err
	}
	p.demand.answered() // only now, because readers wait for a stored answer
	if body != nil {
		p.size = len(body)
		p.judge(before, m, body)
	}
	return nil
}

// checkOthers checks whether another replica has received a good answer since the request.
func (p *poller) checkOthers(ctx context.Context) error {
	since := p.demand.waiting(time.Now(), p.period())
	if since == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.dbTimeout)
	defer cancel()
	var answered bool
	err := p.deps.DB.QueryRow(ctx, `SELECT coalesce(fetched_at BETWEEN now() - $3::interval
		AND now() + interval '1 minute', false) FROM transit.source WHERE alias = $1 AND source = $2`,
		p.alias, p.source, since).Scan(&answered)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // the registry will insert the row again
	}
	if err != nil {
		return fmt.Errorf("read the last poll of %s %s: %w", p.alias, p.source, err)
	}
	if answered {
		p.demand.answered()
	}
	return nil
}

func (p *poller) fetchMessage(
	ctx context.Context, before state, buffer *answerBuffer,
) (meta fetch.Meta, m message, err error) {
	start := time.Now()
	header := http.Header{}
	for k, v := range p.Headers {
		header.Set(k, v)
	}
	req := fetch.Request{URL: p.URL, Header: header, ETag: before.etag, LastModified: before.lastModified,
		MaxBytes: p.maxBytes, Timeout: p.Timeout}
	if len(p.Agencies) > 0 {
		req.ETag, req.LastModified = "", "" // the same message can have other entities in a new version of the feed
	}
	buffer.ctx = ctx
	meta, err = p.client.Copy(ctx, req, func() (io.Writer, error) { return buffer, nil })
	if ctx.Err() != nil {
		return meta, m, err
	}
	p.metrics.seconds.WithLabelValues(p.alias, p.source).Observe(time.Since(start).Seconds())
	if err == nil && !meta.NotModified {
		err = buffer.decode(p.maxBytes)
	}
	if err == nil && !meta.NotModified {
		m, err = inspect(buffer.body, p.Kind, before.timestamp, before.now.Add(time.Since(start)))
	}
	if err == nil && !meta.NotModified && len(p.Agencies) > 0 {
		buffer.body, m, err = p.ofAgencies(ctx, m, buffer.body)
		meta.SHA256 = sha256.Sum256(buffer.body)
	}
	return meta, m, err
}

// claim reserves a poll: from next_poll_at on, the update succeeds for one poller. It sets
// next_poll_at to the end of this poll's timeout, so that others poll if the process dies. The
// answer sets next_poll_at to min_interval later. If next_poll_at is further in the future than any
// poll sets it, it was written while a clock was wrong, and is ignored.
func (p *poller) claim(ctx context.Context, pause time.Duration) (state, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, p.dbTimeout)
	defer cancel()
	var s state
	err := p.deps.DB.QueryRow(ctx, `
		UPDATE transit.source s
		SET polled_at = now(), next_poll_at = now() + min_interval + $4::interval, polls = polls + 1
		WHERE alias = $1 AND source = $2 AND address = $5
		  AND (next_poll_at <= now() OR next_poll_at > now() + $6::interval)
		  AND (polled_at IS NULL OR polled_at <= now() - $3::interval OR polled_at > now() + interval '1 minute')
		RETURNING polls, now(), fetched_at, coalesce(etag, ''), coalesce(last_modified, ''), failures,
		          coalesce((SELECT least(header_timestamp, floor(extract(epoch FROM fetched_at))::bigint)
		            FROM transit.snapshot n WHERE n.snapshot_id = s.snapshot_id), 0),
		          coalesce((SELECT header_timestamp FROM transit.snapshot n WHERE n.snapshot_id = s.snapshot_id), 0),
		          (SELECT sha256 FROM transit.snapshot n WHERE n.snapshot_id = s.snapshot_id)`,
		p.alias, p.source, pause, p.Timeout, p.address(), p.latestNextPoll()).Scan(&s.poll, &s.now, &s.fetched, &s.etag,
		&s.lastModified, &s.failures, &s.timestamp, &s.sent, &s.sha256)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("claim the poll of %s %s: %w", p.alias, p.source, err)
	}
	return s, true, nil
}

// release ends a poll that shutdown has interrupted.
func (p *poller) release(ctx context.Context, before state) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := p.deps.DB.Exec(ctx, `
		UPDATE transit.source SET next_poll_at = now() + min_interval
		WHERE alias = $1 AND source = $2 AND polls = $3`, p.alias, p.source, before.poll)
	if err != nil {
		return fmt.Errorf("release the poll of %s %s: %w", p.alias, p.source, err)
	}
	return nil
}

// record stores a good answer. If body is nil, the stored snapshot is still current, and only its
// time changes. The answer is dropped if the answer of a later poll is already stored.
func (p *poller) record(ctx context.Context, before state, meta fetch.Meta, body []byte, m message) error {
	ctx, cancel := context.WithTimeout(ctx, p.dbTimeout)
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
	if id == 0 {
		return nil
	}
	p.deps.Events.Publish(ctx, &eventsv1.SnapshotStored{Alias: p.alias, Source: p.source, SnapshotId: id})
	if p.watch != nil {
		p.watch.Offer(id, m.feed, m.calls, len(body))
	}
	return nil
}

// validator returns an ETag or a date; "" if the database cannot store it.
func validator(text string) string {
	if text != plain(text) {
		return ""
	}
	return text
}

// plain replaces bytes that the database cannot store.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// maxBackoff bounds the pause after failures. Riders should not wait long for a source that works
// again, and one request per minute is no burden.
const maxBackoff = time.Minute

// backoff returns the pause after a number of consecutive failures. It starts at min_interval and
// doubles each time.
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

// latestNextPoll returns how far in the future next_poll_at can be.
func (p *poller) latestNextPoll() time.Duration {
	pause := max(p.MinInterval, maxBackoff)
	return max(pause+pause/4, p.maxPause, p.MinInterval+p.Timeout) + time.Minute
}

func (p *poller) fail(ctx context.Context, before state, cause error) error {
	pause := backoff(p.MinInterval, before.failures)
	pause += rand.N(pause/4 + 1)
	if after, ok := fetch.RetryAfter(cause); ok {
		if after > p.maxPause {
			cause = fmt.Errorf("%w (its Retry-After of %s is longer than RT_MAX_PAUSE, so it is polled sooner)", cause, after)
		}
		pause = max(pause, min(after, p.maxPause))
	}
	ctx, cancel := context.WithTimeout(ctx, p.dbTimeout)
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
