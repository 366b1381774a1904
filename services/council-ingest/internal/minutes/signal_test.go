package minutes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/sample"
)

// Each signal of a motion, an outcome or a roll ends in one place, and each anomaly about a place
// that was not read gives its line.
func TestEverySignalEndsSomewhere(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for name, c := range forms {
		texts[name] = formsHead + c.text + "\n\n2. Reports\n\nThe clerk reported.\n"
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	parser := NewParser(Options{})
	for name, text := range texts {
		reader := parser.read(text)
		for _, s := range reader.Signals {
			if s.End == "" {
				t.Errorf("%s: the %s on line %d ends nowhere: %q", name, s.Kind, s.Line, s.Text)
			}
			if strings.HasPrefix(s.End, "vote") && len(reader.Record.Items) == 0 {
				t.Errorf("%s: the %s on line %d ends in a vote, and there is none", name, s.Kind, s.Line)
			}
		}
	}
}

// The same holds for minutes of towns that no entry was written for.
func TestEverySignalOfUnseenMinutesEndsSomewhere(t *testing.T) {
	t.Parallel()
	parser := NewParser(Options{})
	for _, file := range sample.Glob(t, "council/dialects/*/*.txt") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range parser.read(string(text)).Signals {
			if s.End == "" {
				t.Errorf("%s: the %s on line %d ends nowhere: %q", file, s.Kind, s.Line, s.Text)
			}
		}
	}
}
