package classify

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// If an endpoint fails, the answers that it gave are stored and shown. Later runs ask about the
// other items.
func TestRunContinuesAfterFailures(t *testing.T) {
	t.Parallel()
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprintf("Proclamation No. %d", i)
	}
	deps, model := newTown(t, many...), newModel(t)
	// Only one question fails.
	model.failWith(func(n int, w http.ResponseWriter) bool {
		if n == 4 {
			w.WriteHeader(http.StatusBadRequest)
		}
		return n == 4
	})
	set := model.settings()
	set.PerRun = 10
	if sum := mustRun(t, deps, set); sum.Asked != 9 || sum.Failed != 1 || !sum.Left || sum.Labelled != 9 {
		t.Errorf("%+v", sum)
	}
	if model.crowd() > set.Concurrency {
		t.Errorf("%d concurrent questions", model.crowd())
	}
	// The endpoint rejects everything. The run ends at once, and its error does not contain the key.
	model.failWith(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(http.StatusUnauthorized); return true })
	before := model.count()
	_, err := Run(t.Context(), deps, set)
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), secret) ||
		model.count()-before > set.Concurrency {
		t.Errorf("%v after %d requests", err, model.count()-before)
	}
	// Every question is rejected as invalid. The run ends after some failures in a row.
	model.failWith(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(http.StatusBadRequest); return true })
	before = model.count()
	_, err = Run(t.Context(), deps, set)
	if err == nil || model.count()-before > maxFailures+set.Concurrency {
		t.Errorf("%v after %d requests", err, model.count()-before)
	}
	if got := len(list(t, deps.DB, `SELECT id::text FROM council.item WHERE topic IS NOT NULL`)); got != 9 {
		t.Errorf("%d items have a label", got)
	}
	// An item with a new title loses the label of its old title, even if the endpoint does not answer.
	must(t, deps.DB, `UPDATE council.item SET title = 'New Wording'
		WHERE id = (SELECT min(id) FROM council.item WHERE topic IS NOT NULL)`)
	if sum, err := Run(t.Context(), deps, set); err == nil || sum.Labelled != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	// A run that is cancelled during a question stops and keeps its answers.
	ctx, cancel := context.WithCancel(t.Context())
	before = model.count()
	model.failWith(func(n int, _ http.ResponseWriter) bool {
		if n == before+5 {
			cancel()
		}
		return false
	})
	if _, err := Run(ctx, deps, set); err == nil {
		t.Error("no error from a cancelled run")
	}
	model.failWith(nil)
	for rounds := 0; ; rounds++ {
		sum := mustRun(t, deps, set)
		if !sum.Left {
			break
		}
		if rounds > 5 {
			t.Fatalf("the runs do not finish: %+v", sum)
		}
	}
	if got := len(list(t, deps.DB, `SELECT id::text FROM council.item WHERE topic = 'other'`)); got != 30 {
		t.Errorf("%d items have a label", got)
	}
	mustTally(t, deps.DB)
}

func TestRunAsksAgainAfterAMalformedAnswer(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, "Proclamation of Arbor Day", "Proclamation of Earth Day"), newModel(t)
	model.failWith(func(n int, w http.ResponseWriter) bool {
		if n == 1 {
			writeCompletion(w, "", recordedAnswer{Content: "Let me think…", In: 5})
		}
		return n == 1
	})
	model.say("Earth", "I would rather not say.")
	set := model.settings()
	set.Concurrency = 1
	sum := mustRun(t, deps, set)
	if sum.Asked != 2 || sum.Refused[Malformed] != 1 || model.count() != 4 {
		t.Errorf("%+v, %d questions", sum, model.count())
	}
	if got := list(t, deps.DB, `SELECT concat_ws('|', title, tokens_in,
		coalesce(written, '-'), refused) FROM council.answer ORDER BY title`); len(got) != 2 ||
		!strings.HasPrefix(got[0], "Proclamation of Arbor Day|105|{") ||
		got[1] != "Proclamation of Earth Day|200|I would rather not say.|{malformed}" {
		t.Errorf("%q", got)
	}
}

// A run sends at most the configured number of requests, including retries. Each run makes
// progress.
func TestARunIsBounded(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, "Proclamation of Arbor Day", "Proclamation of Earth Day", "Salary Schedule", "Sewer Main"),
		newModel(t)
	model.say("", "I would rather not say.") // each question is asked twice
	set := model.settings()
	set.PerRun = 3
	for left := true; left; {
		before := model.count()
		sum := mustRun(t, deps, set)
		left = sum.Left
		if sum.Failed > 0 || sum.Asked == 0 || model.count()-before > set.PerRun {
			t.Fatalf("%+v after %d requests", sum, model.count()-before)
		}
	}
	addItem(t, deps.DB, 5, "Street Sweeping")
	model.failWith(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(http.StatusServiceUnavailable); return true })
	before := model.count()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	set.PerRun = 1
	if sum, err := Run(ctx, deps, set); err != nil || !sum.Left || sum.Failed != 1 || model.count() != before+1 {
		t.Errorf("run with a busy endpoint: %+v, %v, %d requests", sum, err, model.count()-before)
	}
}

// With another prompt, a label stays until there is a new answer. Questions about items without a
// label come first, then questions about items with the oldest labels.
func TestANewPromptRespectsTheLimit(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, "Proclamation No. 1", "Proclamation No. 2", "Proclamation No. 3"), newModel(t)
	set := model.settings()
	mustRun(t, deps, set)
	must(t, deps.DB, `
		UPDATE council.answer SET prompt = 'former', question = sha256(question), answered_by = 'former',
		                          answered_at = timestamptz '2026-01-01' + CASE title WHEN 'Proclamation No. 2' THEN 0
		                            ELSE answer_id END * interval '1 day'`)
	must(t, deps.DB, `UPDATE council.item i SET classifier_model = a.answered_by, classified_at = a.answered_at
		FROM council.answer a WHERE a.answer_id = i.answer_id`)
	addItem(t, deps.DB, 4, "Proclamation No. 4")
	set.PerRun = 1
	for _, want := range []string{"former former former fake-model-7", "former fake-model-7 former fake-model-7"} {
		mustRun(t, deps, set)
		if got := strings.Join(list(t, deps.DB, `SELECT coalesce(classifier_model, '-')
			FROM council.item ORDER BY id`), " "); got != want {
			t.Errorf("the labels come from %s, want %s", got, want)
		}
	}
}

// Two concurrent runs share the work and do not repeat it.
func TestConcurrentRunsAskOnce(t *testing.T) {
	t.Parallel()
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("Proclamation No. %d", i)
	}
	deps, model := newTown(t, many...), newModel(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := Run(t.Context(), deps, model.settings()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	mustRun(t, deps, model.settings())
	for question, n := range model.questions() {
		if n != 1 {
			t.Errorf("asked %d times: %s", n, question)
		}
	}
	if got := labels(t, deps.DB); len(model.questions()) != 40 ||
		strings.Count(strings.Join(got, " "), "fake-model-7") != 40 {
		t.Errorf("%d questions, labels %v", len(model.questions()), got)
	}
	mustTally(t, deps.DB)
}

func TestRunKeepsSecretsOutOfTheLog(t *testing.T) {
	t.Parallel()
	deps, model := newTown(t, titles...), newModel(t)
	var log bytes.Buffer
	deps.Log = slog.New(slog.NewTextHandler(&log, nil))
	model.failWith(func(n int, w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":"bad request with key %s"}}`, secret)
		return true
	})
	set := model.settings()
	set.Concurrency = 1
	_, err := Run(t.Context(), deps, set)
	if text := log.String() + fmt.Sprint(err); strings.Contains(text, secret) || strings.Contains(text, model.URL) ||
		!strings.Contains(text, "400") {
		t.Errorf("logged %s", text)
	}
}

// An invalid setting is an error before there is any question or label.
func TestRunRejectsInvalidSettings(t *testing.T) {
	t.Parallel()
	if _, err := Run(t.Context(), run.Deps{}, settings.Classifier{URL: "http://x", Timeout: time.Minute}); err == nil {
		t.Error("invalid settings have no error")
	}
}
