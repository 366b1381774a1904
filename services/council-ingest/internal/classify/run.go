// Package classify labels agenda items with one of the API's thirteen topics or none. If a model is
// configured, it adds a sentence that summarizes the item.
//
// There are two classifiers. Keywords is a table of weighted terms (terms.txt). It abstains if it
// is unsure, and its confidence was measured on labelled titles (ACCURACY.md). A model answers
// through an OpenAI-compatible endpoint (chat.go). guard.go removes the parts of its answer that
// the item does not support.
//
// Both get only the title of an item and the heading above it. A label never states or changes a
// vote.
//
// Start with Run: it asks about items without an answer, stores answers in council.answer, and
// labels the items. To judge labels, start with the guide in prompt.go and with ACCURACY.md, which
// counts the mistakes.
package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// A Summary counts the work of a run.
type Summary struct {
	Asked    int            // number of answered questions
	Failed   int            // number of questions without an answer, which the next run asks again
	Refused  map[Reason]int // number of parts of answers that the guards removed, by reason
	Labelled int            // number of items whose label changed
	Left     bool           // there may be more questions
}

// Run asks the configured classifier about items without an answer, within its limits, and labels
// the items. It can be interrupted at any time, because each answer is stored at once. Concurrent
// runs do not ask twice. If the endpoint fails, Run uses the answers that it has and returns the
// error.
//
// If an item changed, Run raises the generation of the dataset once and announces it.
func Run(ctx context.Context, deps run.Deps, set settings.Classifier) (Summary, error) {
	if err := set.Validate(); err != nil {
		return Summary{}, err
	}
	r := &runner{deps: deps, set: set, keywords: sync.OnceValue(NewKeywords), version: keywordsVersion(),
		sum: Summary{Refused: map[Reason]int{}},
		now: func() time.Time { return time.Now().UTC().Truncate(time.Second) }}
	by, ask := asker{Model: KeywordsModel, Prompt: r.version}, r.countTerms
	if set.URL != "" {
		c := openChat(set)
		defer c.Close()
		r.chat = c
		by, ask = asker{Model: set.Model, Prompt: promptVersion(), Parameters: parameters}, r.askModel
	}
	failed := ask(ctx, by)
	if ctx.Err() != nil {
		return r.sum, context.Cause(ctx)
	}
	labelled, generation, err := label(ctx, deps.DB, by, r.now())
	r.sum.Labelled = labelled
	if err == nil && labelled > 0 {
		deps.Events.Publish(ctx, &eventsv1.CouncilChanged{Generation: generation})
	}
	if failed = errors.Join(failed, err); failed != nil {
		return r.sum, fmt.Errorf("classify: %w", failed)
	}
	return r.sum, nil
}

type runner struct {
	deps     run.Deps
	set      settings.Classifier
	keywords func() *Keywords // made on first use
	version  string
	chat     *chat
	now      func() time.Time

	mu     sync.Mutex
	sum    Summary
	inARow int // number of failures in a row
}

const batch = 2000

func (r *runner) countTerms(ctx context.Context, by asker) error {
	for {
		open, err := readOpen(ctx, r.deps.DB, by, batch)
		if err != nil || len(open) == 0 {
			return err
		}
		answers := make([]answer, len(open))
		for i, in := range open {
			o := r.keywords().Label(in)
			answers[i] = answer{Input: in, verdict: verdict{Topic: o.Topic, Quote: o.Quote}, AnsweredBy: KeywordsModel,
				AnsweredAt: r.now(), Judged: guards}
			if o.Topic != "" {
				answers[i].Confidence = &o.Confidence
			}
		}
		if err := putAnswers(ctx, r.deps.DB, by, answers...); err != nil {
			return err
		}
		r.sum.Asked += len(open)
	}
}

// modelLock is the lock of the only run that may query a model.
const modelLock = "classify"

// After this number of failures in a row a run ends: the endpoint is down, or rejects our requests.
const maxFailures = 5

func (r *runner) askModel(ctx context.Context, by asker) error {
	if err := r.rejudge(ctx, by); err != nil {
		return err
	}
	_, err := pg.TryAlone(ctx, r.deps.DB, modelLock, func(ctx context.Context) error { return r.askOpen(ctx, by) })
	return err
}

func (r *runner) askOpen(ctx context.Context, by asker) error {
	// If there is one more than the limit, questions remain.
	open, err := readOpen(ctx, r.deps.DB, by, r.set.PerRun+1)
	if err != nil {
		return err
	}
	r.sum.Left = len(open) > r.set.PerRun
	if r.sum.Left {
		open = open[:r.set.PerRun]
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(r.set.Concurrency)
	for _, in := range open {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error { return r.askOne(gctx, by, in) })
	}
	err = g.Wait()
	if r.sum.Failed > 0 || err != nil {
		r.sum.Left = true
	}
	return err
}

// askOne asks about one item and stores the answer. An error ends the run.
func (r *runner) askOne(ctx context.Context, by asker, in Input) error {
	got, err := r.chat.Ask(ctx, in)
	if err != nil {
		return r.failed(ctx, in, err)
	}
	if _, unreadable := readClaim(got.Content); unreadable != nil && !got.Declined {
		// A model without a schema sometimes misses the format, so ask again.
		if again, err := r.chat.Ask(ctx, in); err == nil {
			again.In, again.Out = got.In+again.In, got.Out+again.Out
			got = again
		}
	}
	a := r.judged(in, got.Content, got.Declined)
	a.Written = &got.Content
	a.Declined = got.Declined
	a.TokensIn = got.In
	a.TokensOut = got.Out
	a.AnsweredAt = r.now()
	a.AnsweredBy = cmp.Or(got.Model, by.Model)
	if err := putAnswers(ctx, r.deps.DB, by, a); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Asked++
	r.inARow = 0
	for _, reason := range a.Refused {
		r.sum.Refused[reason]++
	}
	return nil
}

func (r *runner) failed(ctx context.Context, in Input, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, errSpent):
		r.sum.Left = true
		return nil
	}
	r.sum.Failed++
	r.inARow++
	if r.inARow >= maxFailures || errors.Is(err, errRefused) {
		return err
	}
	r.deps.Log.Warn("an item could not be classified; it will be tried again", "title", head(in.Title, 80), "error", err)
	return nil
}

func (r *runner) judges() string { return guards + "/" + r.version }

func (r *runner) judged(in Input, written string, declined bool) answer {
	a := answer{Input: in, verdict: judge(in, written, declined), Judged: r.judges()}
	if a.Topic != "" {
		a.Confidence = secondOpinion(a.verdict, r.keywords().Label(in))
	}
	return a
}

// secondOpinion returns the confidence in a model's topic. It does not use the model's own
// certainty, but the confidence of the term list, which was measured. If the list agrees, its
// confidence counts. If it disagrees, the confidence is the probability that the list is wrong. If
// it abstains, the confidence is unknown.
func secondOpinion(v verdict, o Opinion) *float64 {
	switch {
	case o.Topic == "":
		return nil
	case o.Topic == v.Topic:
		return &o.Confidence
	}
	return new(math.Round(100*(1-o.Confidence)) / 100)
}

// String formats the summary for logs and terminals.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d answers, %d items labelled anew", s.Asked, s.Labelled)
	if s.Failed > 0 {
		fmt.Fprintf(&b, ", %d questions failed", s.Failed)
	}
	for _, reason := range reasons {
		if n := s.Refused[reason]; n > 0 {
			fmt.Fprintf(&b, ", %d refused for %s", n, reason)
		}
	}
	return b.String()
}

//go:generate go test -run ^TestAccuracyCard$ -update .
