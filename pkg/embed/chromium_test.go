package embed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/embed/chromium"
)

// If the configured program does not start, Find returns an error with its output and does not try
// another program.
func TestANamedProgramIsTheOnlyOneTried(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho libnss3.so is missing >&2\nexit 127\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(chromium.Variable, broken)
	fetched := func(what string) { t.Errorf("fetches %s", what) }
	p, err := chromium.Find(t.Context(), fetched)
	if err == nil || !strings.Contains(err.Error(), "libnss3.so is missing") || !strings.Contains(err.Error(), broken) {
		t.Errorf("Find = %+v, %v", p, err)
	}

	good := filepath.Join(t.TempDir(), "good")
	if err := os.WriteFile(good, []byte("#!/bin/sh\necho Chromium 1.2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(chromium.Variable, good)
	if p, err := chromium.Find(t.Context(), fetched); err != nil || p.Version != "Chromium 1.2" || p.Path != good {
		t.Errorf("Find = %+v, %v", p, err)
	}
}
