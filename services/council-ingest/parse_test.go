package councilingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

const text = "Village Board\nFebruary 9, 2026\nI. Call to Order\nII. Bills\n1. Pays Bills\nRESULT: ADOPTED [1 TO " +
	"0]\nMOVER: Ida Moss\nSECONDER: Beatrix Holm\nAYES: Ida Moss\n"

// Each readable file gives one document, in order. The error output names the other files with the
// reason, and the run fails.
func TestParseReportsUnreadableFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.txt", text)
	bad := map[string]string{
		write("empty.txt", " \n"):                      "empty",
		write("page.html", "<!DOCTYPE html><p>RESULT"): "without minutes",
		write("binary", "\x00\x01\x02"):                "neither a PDF, a DOCX",
		write("broken.pdf", "%PDF-1.7\nnothing"):       "cannot be parsed",
		filepath.Join(dir, "none.txt"):                 "no such file",
		dir:                                            "directory",
	}
	var out, errs bytes.Buffer
	files := []string{good}
	for file := range bad {
		files = append(files, file)
	}
	if err := Parse(t.Context(), nil, append(files, good), &out, &errs); !errors.Is(err,
		ErrFiles) {
		t.Errorf("Parse has the error %v", err)
	}
	docs := json.NewDecoder(&out)
	for range 2 {
		var r record.Record
		if err := docs.Decode(&r); err != nil || r.File != good || len(r.Items) != 1 || len(r.Items[0].Votes) != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if docs.More() {
		t.Error("more documents than readable files")
	}
	for file, reason := range bad {
		reported := false
		for line := range strings.SplitSeq(errs.String(), "\n") {
			reported = reported || strings.HasPrefix(line, file+": ") && strings.Contains(line, reason)
		}
		if !reported {
			t.Errorf("%s: %q is not reported in\n%s", file, reason, errs.String())
		}
	}
}
