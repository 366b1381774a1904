package townline_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/services/townline/demo"
)

// checkTopics compares the labels of the demo town's items with the topics in its data. Unlike the
// classifier's test on labelled titles, it covers the whole path from a portal's page to a label.
func checkTopics(t *testing.T, db *pgxpool.Pool, town *demo.Town) {
	t.Helper()
	truth := map[string]string{}
	for _, m := range town.Meetings() {
		for _, s := range m.Sections {
			for _, it := range s.Items {
				truth[it.Title] = it.Topic
			}
		}
	}
	rows, err := db.Query(t.Context(), `SELECT DISTINCT title, coalesce(topic, '') FROM council.item ORDER BY title`)
	if err != nil {
		t.Fatal(err)
	}
	titles, answers := 0, 0
	right := 0
	var title, topic string
	_, err = pgx.ForEachRow(rows, []any{&title, &topic}, func() error {
		want := truth[strings.ReplaceAll(title, "’", "'")]
		if want == "" {
			return nil // a title that a printer has cut, or that only the minutes have
		}
		titles++
		switch topic {
		case "":
			return nil
		case want:
			right++
		default:
			t.Logf("got %s, want %s: %s", want, topic, title)
		}
		answers++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d titles, %d labelled, %d of them correctly", titles, answers, right)
	if titles < 100 || 10*answers < 6*titles || 10*right < 8*answers {
		t.Errorf("%d titles, %d labelled, %d of them correctly", titles, answers, right)
	}
}
