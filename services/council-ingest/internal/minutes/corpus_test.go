package minutes

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

// The test binary is also the child process that reads PDFs.
func TestMain(m *testing.M) {
	pdftext.RunChild()
	m.Run()
}

var resultLine = regexp.MustCompile(`(?m)^[ \t]*RESULT[ \t]*:`)

// TestEveryResultLineIsAVote parses every real text. Each RESULT line must be a vote, or repeat a
// vote in an attachment. Positions must match the counts, unless an anomaly reports the difference.
func TestEveryResultLineIsAVote(t *testing.T) {
	t.Parallel()
	dir := sample.Folder(t, "council")
	texts, err := filepath.Glob(filepath.Join(dir, "*", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(dir, "*", "*", "minutes.txt"))
	if err != nil || len(texts)+len(more) == 0 {
		t.Fatalf("no texts below %s: %v", dir, err)
	}
	parser := NewParser(Options{})
	lines, votes := 0, 0
	for _, file := range append(texts, more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, v := everyResultLine(t, parser, file, string(data))
		lines, votes = lines+n, votes+v
	}
	t.Logf("%d documents, %d lines RESULT:, %d votes", len(texts)+len(more), lines, votes)
	if lines == 0 {
		t.Error("no line begins with RESULT:")
	}
}

// TestEveryResultLineOfAPDFIsAVote does the same for a sample of the real PDFs, or for all of them
// if TOWNLINE_EVERYTHING is set.
func TestEveryResultLineOfAPDFIsAVote(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(sample.Folder(t, "council"), "*", "*.pdf"))
	if err != nil || len(files) == 0 {
		t.Skip("no PDFs of minutes in the shared folder")
	}
	parser := NewParser(Options{Paged: true})
	lines := 0
	for n, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("TOWNLINE_EVERYTHING") == "" && (n%4 != 0 || len(data) > 60<<10) {
			continue
		}
		doc, err := pdftext.Extract(t.Context(), data, pdftext.Limits{Time: 2 * time.Minute}) // the machine may be busy
		if err != nil || doc.Verdict != council.VerdictWhole {
			t.Errorf("%s: %s, %v", file, doc.Verdict, err)
			continue
		}
		n, _ := everyResultLine(t, parser, file, doc.Text)
		lines += n
	}
	if lines == 0 {
		t.Error("no line begins with RESULT:")
	}
}

// everyResultLine checks one document, and counts its RESULT lines and its votes.
func everyResultLine(t *testing.T, parser *Parser, file, text string) (printed, votes int) {
	t.Helper()
	printed = len(resultLine.FindAllString(strings.ReplaceAll(text, "\f", "\n"), -1))
	w := parser.read(text)
	read := map[int]bool{}
	for _, b := range w.Tables {
		read[b.Line] = true
	}
	for _, it := range w.Items {
		votes += len(it.Votes)
	}
	found := 0
	for i, ln := range w.Rows {
		if resultLine.MatchString(ln.Text) {
			found++
			if !read[i] {
				t.Errorf("%s: line %q is not a vote", file, ln.Text)
			}
			delete(read, i)
		}
	}
	if found != printed {
		t.Errorf("%s: %d lines begin with RESULT:, %d were parsed", file, printed, found)
	}
	if len(read) > 0 && found > 0 {
		t.Errorf("%s: %d votes do not begin at a line RESULT:", file, len(read))
	}
	contradictions(t, file, w.Record)
	return printed, votes
}

// contradictions reports errors that the parser's own checks should have reported.
func contradictions(t *testing.T, file string, r *record.Record) {
	t.Helper()
	noted := map[string]bool{}
	for _, a := range r.Anomalies {
		if a.Item >= 0 {
			noted[r.Items[a.Item].Title+string(a.Code)] = true
			if r.Items[a.Item].IsConsent {
				noted["consent"+string(a.Code)] = true // a shared vote is checked only once
			}
		}
	}
	for _, it := range r.Items {
		for _, v := range it.Votes {
			says := func(codes ...council.AnomalyCode) bool {
				for _, c := range codes {
					if noted[it.Title+string(c)] || it.IsConsent && noted["consent"+string(c)] {
						return true
					}
				}
				return false
			}
			if shown := strings.ToLower(v.ResultRaw); !NewParser(Options{}).Agrees(shown, it.Votes) {
				t.Errorf("%s: %s: a portal's result %q would contradict the vote", file, it.Title, shown)
			}
			ayes, nays := v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
			if ayes+nays > 0 && (ayes != v.AyesCount || nays != v.NaysCount) &&
				!says(council.CodeTallyMismatch, council.CodeMemberTwice) {
				t.Errorf("%s: %s %s: %d ayes and %d nays named, without an anomaly", file, it.Title, v.ResultRaw, ayes, nays)
			}
			seen := map[string]bool{}
			for _, name := range v.Roll.Members() {
				if seen[name] && !says(council.CodeMemberTwice) {
					t.Errorf("%s: %s %s: %s occurs twice without an anomaly", file, it.Title, v.ResultRaw, name)
				}
				if strings.TrimSpace(name) == "" {
					t.Errorf("%s: %s: an empty name", file, it.Title)
				}
				seen[name] = true
			}
		}
	}
}
