package doctext

import (
	"fmt"
	"regexp"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// voteRow is a line that only minutes have.
var voteRow = regexp.MustCompile(`(?im)^\s*(?:RESULT|MOVER|AYES|YEAS)\s*:`)

// pageText is what a browser would show of a web page, as lines: some clerks publish minutes as a
// page.
func pageText(data []byte) (string, error) {
	doc, err := portal.ParsePage(data)
	if err != nil {
		return "", fmt.Errorf("read web page: %w", err)
	}
	return reading.PageText(doc.Nodes[0], nil), nil
}
