package councilingest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// topics returns the labels of items and their votes.
func topics(t *testing.T, db *pgxpool.Pool) map[string]string {
	t.Helper()
	return pairs(t, db, `
		SELECT i.title, concat_ws(' ', coalesce(i.topic, '-'), i.classifier_model, i.summary,
		       (SELECT 'vote:' || min(v.topic) FROM council.vote v WHERE v.item_id = i.id))
		FROM council.item i`)
}

var (
	sweeping = "Awards the Contract for Street Sweeping"
	report   = "Accepts the Treasurer's Report"
	shelter  = "Opens a Homeless Shelter"
)

func TestItemsAreLabelledAtTheEndOfAnIngest(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	text := minutesText("Tuesday, March 10, 2026", item("1.", "2026-101", sweeping, split),
		item("2.", "2026-102", report, unanimous), item("3.", "2026-103", "Adopts It", split))
	mustLoad(t, deps, set, 7, "2026-03-10", text)
	want := map[string]string{
		sweeping:    "transportation townline-keywords-2 vote:transportation",
		report:      "budget-finance townline-keywords-2 vote:budget-finance",
		"Adopts It": "-",
	}
	if d := cmp.Diff(want, topics(t, db)); d != "" {
		t.Error(d)
	}
	checkTallies(t, db)
	mustBeProven(t, deps, set)
	// A complete re-parse changes nothing, not even the time of classification.
	before := dump(t, db)
	mustLoad(t, deps, set, 7, "2026-03-10", text)
	mustReparse(t, deps, set, true)
	if err := publish.New(deps, set).Classify(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, dump(t, db)); d != "" {
		t.Error(d)
	}
	// Items are added, removed and moved. Every label stays with its title, and the tallies stay
	// exact.
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-104", shelter, unanimous), item("2.", "2026-102", report, split, split),
		item("3.", "2026-101", sweeping, split)))
	want = map[string]string{shelter: "homelessness townline-keywords-2 vote:homelessness", report: want[report],
		sweeping: want[sweeping]}
	if d := cmp.Diff(want, topics(t, db)); d != "" {
		t.Error(d)
	}
	checkTallies(t, db)
	mustBeProven(t, deps, set)
}

func TestAFailingModelDelaysNothing(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	away := true
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		content, _ := json.Marshal(map[string]any{"topic": "other", "summary": "Concerns the matter of this item.",
			"quote": "the "})
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "m-1",
			"choices": []any{map[string]any{"message": map[string]any{"content": string(content)}}}})
	}))
	defer model.Close()
	set.Classifier = settings.Classifier{URL: model.URL, Model: "m", PerRun: 1, Concurrency: 1}
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026", item("1.", "2026-101", sweeping, split),
		item("2.", "2026-102", report, unanimous)))
	if d := cmp.Diff(map[string]string{sweeping: "-", report: "-"}, topics(t, db)); d != "" {
		t.Error(d)
	}
	if err := publish.New(deps, set).Classify(t.Context()); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("no model: %v", err)
	}
	// The endpoint recovers. The next run classifies items that were beyond the limit of the first
	// run.
	away = false
	if err := publish.New(deps, set).Classify(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := topics(t, db); (got[sweeping] == "-") == (got[report] == "-") {
		t.Errorf("a run of one question labelled %v", got)
	}
	if err := publish.New(deps, set).Classify(t.Context()); err != nil {
		t.Fatal(err)
	}
	label := "other m-1 Concerns the matter of this item. vote:other"
	if d := cmp.Diff(map[string]string{sweeping: label, report: label}, topics(t, db)); d != "" {
		t.Error(d)
	}
	mustBeProven(t, deps, set)
}

// The example has every key.
func TestExampleSettings(t *testing.T) {
	t.Parallel()
	set, err := ReadSettings(filepath.Join("..", "..", "deploy", "council.yaml"),
		conf.Environ{"LLM_URL": "http://localhost:11434/v1", "LLM_MODEL": "m", "LLM_KEY": "k"})
	if err != nil {
		t.Fatal(err)
	}
	want := settings.Classifier{URL: "http://localhost:11434/v1", Model: "m", Key: "k", Concurrency: 2, PerRun: 200,
		Timeout: time.Minute}
	if set.Classifier != want {
		t.Errorf("%+v", set.Classifier)
	}
	preset := settings.Classifier{URL: want.URL, Model: "m", Key: "k"}
	if err := preset.Validate(); err != nil || preset != want {
		t.Errorf("the example does not show the defaults: %+v, %v", preset, err)
	}
}
