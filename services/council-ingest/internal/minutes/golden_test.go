package minutes

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

var update = flag.Bool("update", false, "write what the parser says to the golden records")

// TestGolden compares the complete record of made-up minutes, in every dialect and layout.
func TestGolden(t *testing.T) {
	t.Parallel()
	texts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(texts) == 0 {
		t.Fatalf("no golden texts: %v", err)
	}
	for _, file := range texts {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := encode(t, Parse(string(text), Options{}))
			golden := strings.TrimSuffix(file, ".txt") + ".json"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("record of %s (-want +got):\n%s", file, diff)
			}
		})
	}
}

func encode(tb testing.TB, r record.Record) []byte {
	tb.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func Parse(text string, opt Options) record.Record { return NewParser(opt).Parse(text) }
