// Package civicclerk reads the portals of councils that use CivicClerk (CivicPlus Agenda & Meeting Management): the list of
// events, the agenda of a meeting with its items and recorded votes, and the files.
//
// Decode functions turn answers into facts and know no network. Every answer is hostile input: it is bounded in
// bytes, rows, depth and length of texts, and what is not an answer of this product is an error, never an empty list. What the
// product says wrongly by habit is put right here, and nowhere else:
//
//   - Times end in Z and are local. The years 1 and 1900 are no time at all.
//   - A list has 15 rows a page, whatever is asked for; the next page is where the answer says, on the same host.
//   - The templates of a series leave copies of one meeting at one hour, of which one has the files: they are one meeting.
//   - Tests and cancellations stand in the name alone, and hasVote and hasMotion are no use.
//   - Addresses of files are signed for days, or lead nowhere: files are named by their ids.
//
// Start with events.go and copies.go; agenda.go reads items and votes.go what was recorded on them. source.go asks.
package civicclerk

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A ServiceError is an answer by which the portal refuses a request with a reason.
type ServiceError struct{ Code, Message string }

func (e *ServiceError) Error() string {
	return fmt.Sprintf("the portal refuses the request: %s (%s)", e.Message, e.Code)
}

// Bounds on one answer. The longest agendas seen have some hundred items and fifty votes.
const (
	maxBytes  = 32 << 20
	maxRows   = 10_000
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

// decode reads a JSON object that is whole.
func decode(body []byte, into any) error {
	if len(body) > maxBytes {
		return fmt.Errorf("%w: it has more than %d bytes", portal.ErrNotPortal, maxBytes)
	}
	if err := portal.Crowded(body); err != nil {
		return err
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	var refused struct {
		Error *struct {
			Code    text            `json:"code"`
			Message json.RawMessage `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &refused); err == nil && refused.Error != nil {
		return &ServiceError{Code: council.Clip(string(refused.Error.Code), maxReason), Message: council.Clip(words(refused.Error.Message), maxReason)}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: %w", portal.ErrNotPortal, err)
	}
	return nil
}

// words is a JSON value as text: a string as it is, all else as written.
func words(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// A flag is a field that is a boolean on one tenant and a number on another; nil where it is neither.
type flag struct{ is *bool }

// UnmarshalJSON reads true, false, 1, 0, "1", "true" and the like.
func (f *flag) UnmarshalJSON(b []byte) error {
	yes, no := true, false
	switch string(bytes.ToLower(bytes.Trim(b, `"`))) {
	case "true", "1":
		f.is = &yes
	case "false", "0":
		f.is = &no
	}
	return nil
}

func (f flag) set() bool { return f.is != nil && *f.is }

// An id is a number that some tenants write as text; 0 where it is none.
type id int64

// UnmarshalJSON reads a number, or text that is one.
func (n *id) UnmarshalJSON(b []byte) error {
	var v int64
	if json.Unmarshal(bytes.Trim(b, `"`), &v) == nil && v > 0 {
		*n = id(v)
	}
	return nil
}

// A text is a field that is a string; "" where it is anything else.
type text string

// UnmarshalJSON reads a string.
func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = text(s)
	}
	return nil
}

// A list is a field that is a list; nil where it is anything else.
type list []json.RawMessage

// UnmarshalJSON reads a list.
func (l *list) UnmarshalJSON(b []byte) error {
	var rows []json.RawMessage
	if json.Unmarshal(b, &rows) == nil {
		*l = rows
	}
	return nil
}
