package pdftext

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
)

// TestCorpus extracts a sample of real documents, or all if TOWNLINE_EVERYTHING is set. Each must
// be complete, have the same words as poppler's text in the same order, and contain every result
// that the reference lists.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := sample.Folder(t, "council")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.pdf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	_, err = exec.LookPath("pdftotext")
	poppler := err == nil
	total, missing := 0, 0
	for n, file := range files {
		if os.Getenv("TOWNLINE_EVERYTHING") == "" && n%3 != 0 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Extract(context.Background(), data, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Verdict != council.VerdictWhole || len(got.Notes) > 0 {
			t.Errorf("%s: status %s, notes %v", filepath.Base(file), got.Verdict, got.Notes)
		}
		for _, raw := range quotedResults(t, strings.TrimSuffix(file, ".pdf")+".json") {
			if !strings.Contains(folded(got.Text), folded(raw)) {
				t.Errorf("%s: the text lacks %q", filepath.Base(file), raw)
			}
		}
		if poppler {
			n, lost := compare(t, file, got.Text)
			total, missing = total+n, missing+lost
		}
	}
	if poppler {
		t.Logf("%d files, %d words, %d in another order", len(files), total, missing)
		if missing*1000 > total {
			t.Errorf("%d of %d words are missing or out of order", missing, total)
		}
	}
}

// quotedResults returns the results in a file's reference.
func quotedResults(t *testing.T, path string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var truth struct {
		Items []struct {
			Votes []struct {
				ResultRaw string `json:"result_raw"`
			}
		}
	}
	if err := json.Unmarshal(data, &truth); err != nil {
		t.Fatal(err)
	}
	for _, item := range truth.Items {
		for _, vote := range item.Votes {
			out = append(out, vote.ResultRaw)
		}
	}
	return out
}

// compare counts poppler's words on each page, and the words that our text lacks or has in another
// order.
func compare(t *testing.T, file, text string) (words, missing int) {
	t.Helper()
	out, err := exec.Command("pdftotext", "-layout", "-enc", "UTF-8", file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := strings.Split(text, "\f")
	for i, page := range strings.Split(strings.TrimSuffix(string(out), "\f"), "\f") {
		theirs := strings.Fields(plain(page))
		words += len(theirs)
		if i < len(ours) {
			missing += lost(theirs, strings.Fields(plain(ours[i])))
		} else {
			missing += len(theirs)
		}
	}
	return words, missing
}

// lost counts the words of a that are not in the longest common subsequence with b.
func lost(a, b []string) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	row := make([]int, len(b)+1)
	for _, w := range a {
		diagonal := 0
		for j, v := range b {
			above := row[j+1]
			if w == v {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return len(a) - slices.Max(row)
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// plain replaces compatibility characters and kinds of hyphen.
func plain(s string) string {
	return strings.NewReplacer("\u00ad", "-", "\u2010", "-", "\u2011", "-", "\u200b", "").Replace(norm.NFKC.String(s))
}
