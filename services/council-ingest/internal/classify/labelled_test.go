package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// A labelled is a line of testdata/*.tsv: a topic ("" for none), a difficulty, and a title. The
// titles are made up in the style of city agendas. ACCURACY.md explains the three parts.
type labelled struct {
	Topic council.Topic
	Hard  bool
	Title string
}

func readLabelled(t *testing.T, part string) []labelled {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", part+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []labelled
	for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 || cells[1] != "plain" && cells[1] != "hard" || cells[2] == "" {
			t.Fatalf("%s.tsv, line %d: want topic, level and title: %q", part, i+1, line)
		}
		l := labelled{Topic: council.Topic(cells[0]), Hard: cells[1] == "hard", Title: cells[2]}
		if cells[0] == none {
			l.Topic = ""
		} else if !slices.Contains(council.Topics(), l.Topic) {
			t.Fatalf("%s.tsv, line %d: unknown topic %q", part, i+1, cells[0])
		}
		out = append(out, l)
	}
	return out
}

// The test part never changes, because figures are comparable only for the same titles.
const frozen = "8f620afe279f2ae5"

func TestLabelledTitlesMatchTheCard(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/test.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:8]) != frozen {
		t.Errorf("test.tsv has the digest %s, want %s: it must not change", hex.EncodeToString(sum[:8]), frozen)
	}
	seen := map[string]string{}
	all, tested := map[council.Topic]int{}, map[council.Topic]int{}
	levels := map[bool]int{}
	for _, part := range []string{"tune", "calibrate", "test"} {
		for _, l := range readLabelled(t, part) {
			if before := seen[strings.ToLower(l.Title)]; before != "" {
				t.Errorf("%q is in %s and in %s", l.Title, before, part)
			}
			seen[strings.ToLower(l.Title)] = part
			all[l.Topic]++
			levels[l.Hard]++
			if part == "test" {
				tested[l.Topic]++
			}
		}
	}
	for _, topic := range append(council.Topics(), "") {
		if all[topic] < 15 || 2*tested[topic] < all[topic]-1 {
			t.Errorf("topic %q has %d titles, %d of them in the test part", topic, all[topic], tested[topic])
		}
	}
	if len(seen) < 260 || levels[true] < len(seen)/4 || levels[false] < len(seen)/4 {
		t.Errorf("there are %d titles, %d of them hard", len(seen), levels[true])
	}
}
