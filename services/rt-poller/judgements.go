package rtpoller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
)

// Messages that wait to be judged use at most judgeBytes of memory. Messages that do not fit are
// dropped.
const (
	judgeBytes   = 32 << 20
	entityBytes  = 300 // per scanned entity
	judgeTimeout = 20 * time.Second
)

// judges judges the messages of all sources, one at a time, after they are published.
type judges struct {
	deps  run.Deps
	count func(p *poller, outcome string)
	awake chan struct{} // capacity 1: a signal that messages wait

	mu      sync.Mutex
	waiting map[*poller]*published // the newest message of each source
	order   []*poller              // of waiting, the one that has waited longest first
	bytes   int                    // of all messages that wait or are being judged

	facts map[string]*judge.Facts            // keyed by alias
	pairs map[string]map[string]*judge.Pairs // keyed by alias and source
}

type published struct {
	judge.Input
	poll  int64
	bytes int
}

func newJudges(deps run.Deps, count func(*poller, string)) *judges {
	return &judges{deps: deps, count: count, awake: make(chan struct{}, 1), waiting: map[*poller]*published{},
		facts: map[string]*judge.Facts{}, pairs: map[string]map[string]*judge.Pairs{}}
}

// offer queues a message. It replaces an older message of the same source.
func (j *judges) offer(p *poller, m *published, body []byte) {
	entities := len(m.Message.TripUpdates) + len(m.Message.Vehicles) + len(m.Message.Alerts)
	m.bytes = len(body) + entityBytes*entities + m.Calls.Bytes()
	j.mu.Lock()
	defer j.mu.Unlock()
	old := j.waiting[p]
	if old != nil {
		j.bytes -= old.bytes
		j.count(p, "replaced")
		delete(j.waiting, p)
	}
	at := slices.Index(j.order, p)
	if m.Calls.AreTooMany() || j.bytes > 0 && j.bytes+m.bytes > judgeBytes {
		j.count(p, "dropped")
		if at >= 0 {
			j.order = slices.Delete(j.order, at, at+1)
		}
		return
	}
	if at < 0 {
		j.order = append(j.order, p)
	}
	j.waiting[p] = m
	j.bytes += m.bytes
	select {
	case j.awake <- struct{}{}:
	default:
	}
}

// next returns the message of the source that has waited longest, so that a source whose messages
// take long delays each other source only once.
func (j *judges) next() (*poller, *published) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.order) == 0 {
		return nil, nil
	}
	p := j.order[0]
	j.order = slices.Delete(j.order, 0, 1)
	m := j.waiting[p]
	delete(j.waiting, p)
	return p, m
}

// forget subtracts the memory of a message that was judged.
func (j *judges) forget(m *published) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.bytes -= m.bytes
}

// loop judges messages until ctx ends. If one fails, it continues with the next.
func (j *judges) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-j.awake:
		}
		for p, m := j.next(); p != nil && ctx.Err() == nil; p, m = j.next() {
			outcome := "done"
			err := panics.Safely(func() error { return j.judge(ctx, p, m) })
			if err != nil && ctx.Err() == nil {
				outcome = "failed"
				j.deps.Log.Warn("cannot judge a message", slog.String("alias", p.alias), slog.String("source", p.source),
					"error", err)
			}
			j.count(p, outcome)
			j.forget(m)
		}
	}
}

func (j *judges) judge(ctx context.Context, p *poller, m *published) error {
	ctx, cancel := context.WithTimeout(ctx, judgeTimeout)
	defer cancel()
	version, err := pg.Value[int32](ctx, j.deps.DB, `
		SELECT coalesce((SELECT version_id FROM transit.feed WHERE alias = $1 AND removed_at IS NULL), 0)`, p.alias)
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", p.alias, err)
	}
	m.Facts = j.facts[p.alias]
	delete(j.facts, p.alias) // after an error or a panic they are incomplete
	size := m.Facts.Bytes()
	for _, f := range j.facts {
		size += f.Bytes()
	}
	if size > judge.FactsBytes {
		clear(j.facts)
	}
	if size > judge.FactsBytes || !m.Facts.Are(version) {
		m.Facts, err = judge.NewFacts(ctx, j.deps.DB, version)
		if err != nil {
			return err
		}
	}
	for source, pairs := range j.pairs[p.alias] {
		if source != p.source {
			m.Others = append(m.Others, pairs)
		}
	}
	result, err := judge.Judge(ctx, j.deps.DB, &m.Input)
	if err != nil {
		return err
	}
	j.facts[p.alias] = m.Facts
	if j.pairs[p.alias] == nil {
		j.pairs[p.alias] = map[string]*judge.Pairs{}
	}
	j.pairs[p.alias][p.source] = result.Pairs
	return p.storeJudgement(ctx, m, result)
}

// A finding is a judge.Finding as it is stored for the source.
type finding struct {
	judge.Finding
	Since time.Time `json:"since"` // when messages began to break the rule without interruption
}

// storeJudgement stores and counts the result, unless the result of a later poll is already stored.
func (p *poller) storeJudgement(ctx context.Context, m *published, result *judge.Result) error {
	err := pg.Tx(ctx, p.deps.DB, func(tx pgx.Tx) error {
		var before []finding
		err := tx.QueryRow(ctx, `SELECT findings FROM transit.judgement WHERE alias = $1 AND source = $2 FOR UPDATE`,
			p.alias, p.source).Scan(&before)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		since := map[judge.Code]time.Time{}
		for _, f := range before {
			since[f.Code] = f.Since
		}
		findings := []finding{}
		codes := []string{""}
		counts := []int{0}
		for _, f := range result.Findings {
			at, known := since[f.Code]
			if !known {
				at = m.Now.UTC().Truncate(time.Second)
			}
			findings = append(findings, finding{f, at})
			codes, counts = append(codes, string(f.Code)), append(counts, f.Count)
			counts[0] += f.Count
		}
		batch := &pgx.Batch{}
		batch.Queue(`
			INSERT INTO transit.judgement AS j (alias, source, poll, judged_at, matches, findings)
			VALUES ($1, $2, $3, now(), $4, $5)
			ON CONFLICT (alias, source) DO UPDATE SET poll = excluded.poll, judged_at = excluded.judged_at,
			  matches = excluded.matches, findings = excluded.findings
			WHERE j.poll < excluded.poll`, p.alias, p.source, m.poll, result.Matches, findings)
		batch.Queue(`
			INSERT INTO transit.judgement_count AS c (alias, source, minute, code, messages, findings)
			SELECT $1, $2, date_trunc('minute', now()), code, 1, n FROM unnest($3::text[], $4::bigint[]) AS f (code, n)
			ON CONFLICT (alias, source, minute, code) DO UPDATE
			SET messages = c.messages + 1, findings = c.findings + excluded.findings`, p.alias, p.source, codes, counts)
		batch.Queue(`
			DELETE FROM transit.judgement_count WHERE alias = $1 AND source = $2 AND minute < now() - interval '25 hours'`,
			p.alias, p.source)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("store the judgement of %s %s: %w", p.alias, p.source, err)
	}
	return nil
}

// judge queues an answer to be judged. This includes answers that were refused because of their
// timestamp.
func (p *poller) judge(before state, message message, body []byte) {
	if message.feed == nil {
		return
	}
	m := &published{poll: before.poll}
	m.Message = message.feed
	m.Calls = message.calls
	m.Now = before.now
	m.Before = before.sent
	m.Unseen = -1
	if before.fetched != nil {
		m.Unseen = before.now.Sub(*before.fetched)
	}
	p.judges.offer(p, m, body)
}
