package minutes

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/sample"
)

// printedTally matches a tally anywhere, such as "[UNANIMOUS]", "[4 TO 1", "[8-0-1]" or "[VV9]". It
// is independent of the parser.
var printedTally = regexp.MustCompile(`(?i)\[\s*(unanimous|vv\s*\d+|\d+(?:\s*(?:to|-|–)\s*\d+)+)`)

// Each printed tally must belong to a vote, possibly in an attachment, or an anomaly must quote it.
// The tally of each vote must be printed.
func TestEveryPrintedTallyIsOneVote(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts in testdata: %v", err)
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
		for _, it := range s.Items {
			for _, v := range it.Votes {
				for tally := range tallies(v.ResultRaw) {
					if printed[tally] == 0 {
						t.Errorf("%s: %s: %q is not printed", file, it.Title, v.ResultRaw)
					}
				}
			}
		}
		for _, b := range s.Tables {
			add(read, tallies(b.Result))
		}
		for _, a := range s.Anomalies {
			add(reported, tallies(a.Message))
		}
		for _, tally := range slices.Sorted(maps.Keys(printed)) {
			total += printed[tally]
			if n := printed[tally]; read[tally] > n || read[tally]+reported[tally] < n {
				t.Errorf("%s: [%s] is printed %d times, parsed %d times and reported %d times", file, tally, n, read[tally],
					reported[tally])
			}
		}
	}
	t.Logf("%d documents, %d printed tallies", len(files), total)
	if total == 0 {
		t.Error("no text prints a tally")
	}
}

// tallies counts the tallies in a text.
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

var (
	printedRow = regexp.MustCompile(`^(?i:(yes)|no|absent|excused|abstain|recused|present): *(\d*)(.*)$`)
	betweenTwo = regexp.MustCompile(`,? and(?: |$)|, `)
)

// printedPositions counts the positions in printed roll calls. It begins at the first row of ayes,
// because the attendance is above that. It is independent of the parser.
func printedPositions(text string) (positions int) {
	voting := false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\f", "\n"), "\n") {
		row := printedRow.FindStringSubmatch(strings.TrimSpace(line))
		if row == nil {
			continue
		}
		voting = voting || row[1] != ""
		count, err := strconv.Atoi(row[2])
		if err != nil {
			count = len(betweenTwo.Split(row[3], -1))
		}
		if voting {
			positions += count
		}
	}
	return positions
}

// Each printed position must belong to a vote, even if a roll call breaks over pages and headings.
func TestEveryPrintedPositionIsRead(t *testing.T) {
	t.Parallel()
	files := []string{"testdata/cases.txt", "testdata/runninghead.txt"}
	if dir := sample.Find(t, "council/portals/primegov/louisville-ky"); dir != "" {
		real, err := filepath.Glob(filepath.Join(dir, "*.txt"))
		if err != nil || len(real) == 0 {
			t.Fatalf("no minutes below %s: %v", dir, err)
		}
		files = append(files, real...)
	}
	total := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		printed, read := printedPositions(string(data)), 0
		seen := map[string]bool{}
		for _, it := range Parse(string(data), Options{}).Items {
			for _, v := range it.Votes {
				key := fmt.Sprint(v.ViaConsent, v.Roll, v.ResultRaw)
				if v.ViaConsent && seen[key] { // one vote may adopt many items
					continue
				}
				seen[key] = true
				read += len(v.Roll)
			}
		}
		if printed != read {
			t.Errorf("%s: %d positions are printed, %d were read", file, printed, read)
		}
		total += printed
	}
	t.Logf("%d documents, %d positions", len(files), total)
}
