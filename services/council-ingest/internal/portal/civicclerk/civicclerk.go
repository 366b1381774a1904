// Package civicclerk reads the portals of councils that use CivicClerk (CivicPlus Agenda & Meeting Management): the list
// of events, the agenda of a meeting with its items and recorded votes, and the files.
//
// Decode functions turn answers into facts and know no network. Every answer is hostile input: it is bounded in bytes,
// rows, depth and length of texts, and what is not an answer of this product is an error, never an empty list. The
// habits of the product are corrected here:
//
//   - Times end in Z and are local. The years 1 and 1900 are no time at all.
//   - A list has 15 rows a page, whatever is asked for; the next page is where the answer says, on the same host.
//   - The templates of a series leave copies of one meeting at one hour, of which one has the files: they are one meeting.
//   - Tests and cancellations stand in the name alone, and hasVote and hasMotion are no use.
//   - Addresses of files are signed for days, or lead nowhere: files are named by their ids.
//
// Start with events.go; agenda.go reads items and votes.go what was recorded on them. source.go asks.
package civicclerk

import (
	"errors"
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// Bounds on one answer. The longest agendas seen have some hundred items and fifty votes.
const (
	maxDepth  = 12    // of nested items
	maxItems  = 5_000 // of an agenda
	maxVotes  = 200   // on one item
	maxNames  = 200   // in one row of a vote
	maxText   = 4_000 // characters of a title or a motion
	maxName   = 300   // characters of a person's name
	maxFiles  = 500   // of a meeting or an item
	maxNotes  = 100   // of an agenda
	maxReason = 300   // characters of what a portal says of an error
)

// errRefused says that the portal refuses a request with a reason.
var errRefused = errors.New("the portal refuses the request")

// decode reads a JSON object that is whole.
func decode(body []byte, into any) error {
	var refused struct {
		Error *struct {
			Code    reading.Text `json:"code"`
			Message any          `json:"message"`
		} `json:"error"`
	}
	if err := portal.Decode(body, &refused); err == nil && refused.Error != nil {
		message := council.Clip(fmt.Sprint(refused.Error.Message), maxReason)
		return fmt.Errorf("%w: %s (%s)", errRefused, message, refused.Error.Code.Line(maxReason))
	}
	return portal.Decode(body, into)
}
