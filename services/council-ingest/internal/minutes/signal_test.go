package minutes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/minutes/decide"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

// checkSignals requires that each outcome, roll and table of a document ends exactly once: in a vote of
// the record, in a motion without a vote, in an anomaly that gives its place, or as what is no decision
// of the meeting.
func checkSignals(doc *document, fail func(format string, args ...any)) {
	votes, reported := map[int]int{}, 0
	for _, s := range doc.Signals {
		if s.End == "" || len(s.Again) > 0 {
			fail("the %s on line %d ends in %q and %q: %s", s.Kind, s.Line, s.End, s.Again, s.Text)
		}
		if s.Kind != "outcome" && s.Kind != "roll" && s.Kind != "table" && s.Kind != "position" {
			continue
		}
		line := 0
		switch {
		case strings.HasPrefix(s.End, "vote on line"):
			if _, err := fmt.Sscanf(s.End, "vote on line %d", &line); err != nil || !slices.Contains(doc.Votes, line) {
				fail("the %s on line %d ends in %q, which is none", s.Kind, s.Line, s.End)
			}
			votes[line]++
		case strings.HasPrefix(s.End, "no vote"), strings.Contains(s.End, " above: "):
		case strings.HasPrefix(s.End, "anomaly "):
			if n := anomaliesAt(doc, s, council.AnomalyCode(strings.TrimPrefix(s.End, "anomaly "))); n != 1 {
				fail("the %s on line %d ends in %q, of which there are %d", s.Kind, s.Line, s.End, n)
			}
			reported++
		case !slices.Contains([]string{"attendance, or no roll", "a roll without names", "the vote of an attachment",
			"speaks of another vote", "a decision without a motion or a tally", "belongs to the outcome below"}, s.End):
			fail("the %s on line %d ends in %q", s.Kind, s.Line, s.End)
		}
	}
	for _, line := range doc.Votes {
		if votes[line] == 0 {
			fail("no outcome, roll or table ends in the vote on line %d", line)
		}
	}
	if len(doc.Votes)+reported == 0 && len(doc.Items) > 0 {
		fail("%d items have votes without a signal", len(doc.Items))
	}
}

// anomaliesAt counts the anomalies of a code that give the line and the words of a signal.
func anomaliesAt(doc *document, s decide.Signal, code council.AnomalyCode) (n int) {
	for _, a := range doc.Anomalies {
		if a.Code == code && strings.Contains(a.Message, fmt.Sprintf("line %d: ", s.Line)) &&
			strings.HasSuffix(a.Message, s.Text) {
			n++
		}
	}
	return n
}

func TestEverySignalEndsOnce(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for name, c := range forms {
		texts[name] = formsHead + c.text + "\n\n2. Reports\n\nThe clerk reported.\n"
	}
	for name, text := range hostile(20 << 10) {
		texts["hostile "+name] = text
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"council/dialects/*/*.txt", "council/riverhead-ny/*.txt",
		"council/rtd-denver/*/minutes.txt",
		"council/portals/primegov/*/*.txt"} {
		if sample.Find(t, "council") != "" {
			files = append(files, sample.Glob(t, pattern)...)
		}
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
		checkSignals(parser.read(text), func(format string, args ...any) { t.Errorf(name+": "+format, args...) })
	}
}

// The same holds for the minutes of the demo town and of unseen towns, which are PDFs.
func TestEverySignalOfPDFsEndsOnce(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../townline/demo/town/minutes/*.pdf")
	if err != nil || len(files) == 0 {
		t.Fatalf("no minutes of the demo town: %v", err)
	}
	if sample.Find(t, "council") != "" {
		files = append(files, sample.Glob(t, "council/dialects/*/*.pdf")...)
		files = append(files, sample.Glob(t, "council/cambridge-ma/*Final*.pdf")...)
	}
	parser := NewParser(Options{Paged: true})
	for n, file := range files {
		if os.Getenv("TOWNLINE_EVERYTHING") == "" && n%3 != 0 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := pdftext.Extract(t.Context(), data, pdftext.Limits{Time: 2 * time.Minute})
		if err != nil {
			continue // a scan
		}
		checkSignals(parser.read(doc.Text), func(format string, args ...any) { t.Errorf(file+": "+format, args...) })
	}
}

// The same holds for made-up documents of tables and sentences in any order.
func TestEverySignalOfMixedFormsEndsOnce(t *testing.T) {
	t.Parallel()
	var names []string
	for name := range forms {
		names = append(names, name)
	}
	slices.Sort(names)
	parser := NewParser(Options{})
	mixed := rapid.Custom(func(t *rapid.T) string {
		text := strings.TrimSuffix(formsHead, "1. New Business\n\n")
		for n := range rapid.IntRange(1, 6).Draw(t, "items") {
			if rapid.Bool().Draw(t, "titled") {
				text += fmt.Sprintf("%d. Item %d\n\n", n+1, n+1)
			}
			if rapid.IntRange(0, 3).Draw(t, "table") == 0 {
				text += "RESULT: ADOPTED [3 TO 2]\nMOVER: Doe\nSECONDER: Roe\nAYES: Doe, Roe, Poe\nNAYS: Moe, Coe\n\n"
				continue
			}
			text += forms[rapid.SampledFrom(names).Draw(t, "form")].text + "\n\n"
		}
		return text
	})
	eachDrawn(t, mixed, func(fail func(format string, args ...any), text string) {
		checkSignals(parser.read(text), func(format string, args ...any) { fail(format+"\n%s", append(args, text)...) })
	})
}
