package portal_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/portal/primegov"
)

// primegovRecordings are answers of real portals.
const primegovRecordings = "council/portals/primegov/"

func TestPrimegovRecordedLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                            string
		meetings, off, documents, pages int
	}{
		{"longmont-co/upcoming-meetings.json", 7, 3, 14, 4},
		{"los-angeles-ca/city-council-2024.json", 10, 5, 20, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list, err := primegov.DecodeMeetings(sample.Read(t, primegovRecordings+c.name), time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			off, documents, pages := 0, 0, 0
			for _, m := range list {
				t.Logf("%s %d %q | %q %s %d documents", m.Starts.Format("2006-01-02 15:04"), m.ID, m.Body(nil), m.Title, m.State,
					len(m.Documents))
				documents += len(m.Documents)
				if m.State.IsCancelled() {
					off++
				}
				for _, d := range m.Documents {
					if d.Output == primegov.OutputPage {
						pages++
					}
				}
			}
			if len(list) != c.meetings || off != c.off || documents != c.documents || pages != c.pages {
				t.Errorf("%d meetings, %d off, %d documents, %d pages", len(list), off, documents, pages)
			}
		})
	}
}

func TestPrimegovRecordedPages(t *testing.T) {
	t.Parallel()
	root := &url.URL{Scheme: "https", Host: "x.primegov.com", Path: "/"}
	for _, c := range []struct {
		name                          string
		sections, items, votes, filed int
	}{
		{"longmont-co/meeting-3726.html", 1, 0, 0, 0},
		{"cambridge-ma/final-actions-2026-09-28.excerpt.html", 5, 3, 3, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			blocks, err := primegov.DecodePage(sample.Read(t, primegovRecordings+c.name), root)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%s", showBlocks(blocks))
			got := map[primegov.BlockKind]int{}
			filed := 0
			for _, b := range blocks {
				got[b.Kind]++
				if b.Item.FileNumber != "" {
					filed++
				}
			}
			if got[primegov.SectionBlock] != c.sections || got[primegov.ItemBlock] != c.items ||
				got[primegov.VoteBlock] != c.votes || filed != c.filed {
				t.Errorf("%d sections, %d items, %d votes, %d with a number",
					got[primegov.SectionBlock], got[primegov.ItemBlock], got[primegov.VoteBlock],
					filed)
			}
		})
	}
}
