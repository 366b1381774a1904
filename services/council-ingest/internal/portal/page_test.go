package portal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The parser repeats unclosed tags in each following paragraph, so these 40 kilobytes become 600
// megabytes.
func TestACostlyPageIsRefused(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	page.WriteString("<html><p>")
	for i := range 400 {
		fmt.Fprintf(&page, "<b id=%d>", i)
	}
	page.WriteString(strings.Repeat("<p>x", 10_000) + "</html>")
	if root, err := parsePage(page.Bytes(), 16<<20); !errors.Is(err, ErrCostly) || root != nil {
		t.Errorf("parsePage of a costly page: result %v, %v", root != nil, err)
	}
	if root, err := ParsePage([]byte(strings.Repeat("<table><tr><td><a href=x>y</a></table>", 20_000))); err != nil ||
		root == nil {
		t.Errorf("parsePage of a long page: %v", err)
	}
}
