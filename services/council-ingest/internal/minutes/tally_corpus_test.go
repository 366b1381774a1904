package minutes

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
)

// printedTally matches a tally anywhere: "[UNANIMOUS]", "[4 TO 1", "[8-0-1]", "[VV9]". It is
// independent of the parser.
var printedTally = regexp.MustCompile(`(?i)\[\s*(unanimous|vv\s*\d+|\d+(?:\s*(?:to|-|–)\s*\d+)+)`)

// Each printed tally must be that of a vote, with those of attachments, or be quoted by an anomaly;
// and each vote's tally must be printed.
func TestEveryPrintedTallyIsOneVote(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts of our own: %v", err)
	}
	real := sample.Find(t, "council")
	for _, pattern := range []string{"*/*.txt", "*/*/minutes.txt"} {
		if real == "" {
			break
		}
		more, err := filepath.Glob(filepath.Join(real, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	parser := NewParser(Options{})
	total := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		printed := tallies(string(data))
		s := parser.read(string(data))
		read, reported := map[string]int{}, map[string]int{}
		seen := map[*agenda.Block]bool{}
		for _, it := range s.Items {
			for _, v := range it.Votes {
				for tally := range tallies(v.ResultRaw) {
					if printed[tally] == 0 {
						t.Errorf("%s: %s: %q is printed nowhere", file, it.Title, v.ResultRaw)
					}
				}
			}
		}
		for _, b := range s.Blocks() {
			if !seen[b] { // one vote can adopt many items
				seen[b] = true
				add(read, tallies(b.Result))
			}
		}
		for _, a := range s.Anomalies {
			add(reported, tallies(a.Message))
		}
		for _, tally := range slices.Sorted(maps.Keys(printed)) {
			total += printed[tally]
			if n := printed[tally]; read[tally] > n || read[tally]+reported[tally] < n {
				t.Errorf("%s: [%s] is printed %d times, read %d times and reported of %d times", file, tally, n, read[tally],
					reported[tally])
			}
		}
	}
	t.Logf("%d documents, %d printed tallies", len(files), total)
	if total == 0 {
		t.Error("no text prints a tally")
	}
}

// tallies counts the tallies of a text.
func tallies(text string) map[string]int {
	out := map[string]int{}
	for _, m := range printedTally.FindAllStringSubmatch(text, -1) {
		out[strings.ToUpper(strings.Join(strings.Fields(strings.NewReplacer("-", " - ", "–", " - ").Replace(m[1])), " "))]++
	}
	return out
}

func add(to, counts map[string]int) {
	for k, n := range counts {
		to[k] += n
	}
}
