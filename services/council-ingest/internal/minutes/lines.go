package minutes

import (
	"fmt"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
)

// Refuses says why a text is not read as minutes, empty when it is: it prints
// more results than a meeting can have.
func Refuses(text string) string {
	d := dialect.New(dialect.Words{}, nil)
	lines, _ := layout.Split(text, false)
	results := 0
	for _, ln := range lines {
		if kind, _, ok := d.Label(ln.Text, false); ok && kind == dialect.Result {
			results++
		}
	}
	if results <= maxVotes {
		return ""
	}
	return fmt.Sprintf("the document prints %d results of votes, more than the %d that the minutes of a meeting may have", results, maxVotes)
}

// What the record of a hostile text may cost. The longest real minutes print 180
// results, attachments included, and say the same thing of 90 votes.
const (
	maxVotes     = 2_000
	maxRoll      = 500   // names on one roll
	maxAlike     = 500   // anomalies of one code on one page; more are summed up
	maxAnomalies = 4_000 // after which they are summed up without regard to pages
)
