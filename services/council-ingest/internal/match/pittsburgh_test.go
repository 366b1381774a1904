package match

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

// The test binary is also the child process that reads PDFs.
func TestMain(m *testing.M) {
	pdftext.RunChild()
	m.Run()
}

// recordedIn returns the votes of a recording.
func recordedIn(t *testing.T, file string) []record.Item {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Votes []struct {
			File      string              `json:"file_number"`
			Passed    string              `json:"passed_flag"`
			Positions map[string][]string `json:"positions"`
		} `json:"votes"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	var items []record.Item
	for _, v := range d.Votes {
		result := council.Failed
		if v.Passed == "Pass" {
			result = council.Adopted
		}
		p := v.Positions
		out := record.Vote{MotionSeq: 1, Result: result, AyesCount: len(p["Aye"]), NaysCount: len(p["No"]),
			Roll: council.NewRoll(p["Aye"], p["No"], p["Abstain"], p["Absent"])}
		items = append(items, record.Item{FileNumber: &v.File, Votes: []record.Vote{out}})
	}
	return items
}

// The roll calls of two real minutes equal the roll calls of the portal's record. If any single
// position changes, Compare reports it.
func TestCompareNoticesEachChangedPositionOfPittsburgh(t *testing.T) {
	t.Parallel()
	dir := sample.Folder(t, "council/portals/legistar/pittsburgh-pa")
	rolls, flips := 0, 0
	for _, event := range []string{"12013", "12017"} {
		pdf, err := os.ReadFile(filepath.Join(dir, "minutes-"+event+".pdf"))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := pdftext.Extract(t.Context(), pdf, pdftext.Limits{Time: 2 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		read := minutes.NewParser(minutes.Options{Paged: true}).Parse(doc.Text).Items
		recorded := recordedIn(t, filepath.Join(dir, "event-"+event+".votes-from-api.json"))
		r := Compare(read, recorded)
		if r.Equal != len(recorded) || r.Compared != len(recorded) || len(r.Differences) > 0 {
			t.Errorf("event %s: %d of %d rolls are equal: %+v", event, r.Equal, len(recorded), r.Differences)
		}
		rolls += r.Equal
		for i := range recorded {
			v := &recorded[i].Votes[0]
			for n, e := range v.Roll {
				if e.Position != council.Aye {
					continue
				}
				v.Roll[n].Position = council.Nay
				v.AyesCount, v.NaysCount = v.AyesCount-1, v.NaysCount+1
				flips++
				if r := Compare(read, recorded); len(r.Differences) != 1 || r.Differences[0].Code != council.CodeSourcesDiffer {
					t.Errorf("event %s: position of %s in %s changed: %+v", event, e.Member, *recorded[i].FileNumber, r.Differences)
				}
				v.Roll[n], v.AyesCount, v.NaysCount = e, v.AyesCount+1, v.NaysCount-1
			}
		}
	}
	if rolls != 19 || flips != 152 {
		t.Errorf("the test had %d roll calls and %d changes", rolls, flips)
	}
	t.Logf("%d roll calls equal, %d changed positions noticed", rolls, flips)
}
