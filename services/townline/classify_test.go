package townline_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/demo"
)

// The demo town knows what its items are about. Its portal is ingested, and what the items
// are labelled with is held to what the town says: a second judge beside the labelled
// titles of the classifier, and a proof of the whole way from a portal's page to a label.
func TestTopicsOfTheDemoTown(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	town, err := demo.Start(t.Context(), demo.Options{Seed: 3, Months: 12, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	set, err := councilingest.ReadSettings(demoCouncil(t, town), nil)
	if err != nil {
		t.Fatal(err)
	}
	deps := run.Deps{DB: pgtest.New(t), Log: slog.New(slog.DiscardHandler)}
	if _, err := councilingest.Ingest(t.Context(), deps, set, councilingest.Request{AllowPrivate: true}); err != nil {
		t.Fatal(err)
	}
	truth := town.Topics()
	rows, err := deps.DB.Query(t.Context(), `SELECT DISTINCT title, coalesce(topic, '') FROM council.item ORDER BY title`)
	if err != nil {
		t.Fatal(err)
	}
	titles, answers, right := 0, 0, 0
	var title, topic string
	_, err = pgx.ForEachRow(rows, []any{&title, &topic}, func() error {
		want := truth[strings.ReplaceAll(title, "’", "'")]
		if want == "" {
			return nil // a title that a printer has cut, or the minutes' own
		}
		titles++
		switch topic {
		case "":
			return nil
		case want:
			right++
		default:
			t.Logf("%s, not %s: %s", want, topic, title)
		}
		answers++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d titles, %d labelled, %d of them right", titles, answers, right)
	if titles < 100 || 10*answers < 6*titles || 10*right < 8*answers {
		t.Errorf("%d titles, %d labelled, %d of them right", titles, answers, right)
	}
}
