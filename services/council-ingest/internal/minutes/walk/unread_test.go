package walk

import (
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/unread"
)

// What a hostile text prints like votes costs no more than its length.
func TestUnreadIsLinear(t *testing.T) {
	t.Parallel()
	const n = 300_000
	lines := make([]layout.Line, n)
	for i := range lines {
		lines[i] = layout.Line{Text: "RESULT: ADOPTED", No: i}
		if i%2 == 1 {
			lines[i].Text = "The motion carried unanimously."
		}
	}
	start := time.Now()
	f := unread.Look(lines, nil, true, func(int) bool { return false })
	if len(f.Rolls) != n/2 || len(f.Spoken) != 0 {
		t.Errorf("%d rolls, %d sentences", len(f.Rolls), len(f.Spoken))
	}
	if got := whereabouts(f.Rolls); !strings.HasSuffix(got, "on lines 0, 2, 4, 6, 8, 10, 149994 more") {
		t.Error(got)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
