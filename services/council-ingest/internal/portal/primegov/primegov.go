// Package primegov reads the portals of councils that use PrimeGov (Granicus OneMeeting): the lists of meetings to come and
// of those of each year, the bodies, and agendas, final actions and minutes that are published as web pages.
//
// Decode functions turn answers into facts and know no network. Every answer is hostile input: it is bounded in
// bytes, rows and length of texts, and what is not an answer of this product is an error, never an empty list. What is particular
// about the product is put right here, and nowhere else:
//
//   - A meeting leaves the list of those to come before it enters that of its year: both are read, and a meeting is known by its id.
//   - Only the title says whether a meeting takes place. meetingState does not.
//   - What a document is for is a word of the town: see Reading.Kinds of package portal.
//   - A PDF is behind a redirect to an address that is signed for days: the address that redirects is the one that is kept.
//   - There are no votes as data. Where actions or minutes are a web page, its tables are read from there, which is surer than from a PDF.
//
// Start with meetings.go; page.go reads the web pages. source.go asks.
package primegov

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// Bounds on one answer. The longest years seen have some thousand meetings, the longest pages some hundred items.
const (
	maxBytes     = 32 << 20
	maxRows      = 20_000
	maxDocuments = 200
	maxItems     = 5_000
	maxLines     = 100_000 // of a page
	maxText      = 4_000   // characters of a title
	maxName      = 300     // characters of a name
	maxFiles     = 500     // below one item
)

// decode reads JSON that is whole.
func decode(body []byte, into any) error {
	if len(body) > maxBytes {
		return fmt.Errorf("%w: it has more than %d bytes", portal.ErrNotPortal, maxBytes)
	}
	if err := portal.Crowded(body); err != nil {
		return err
	}
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), into); err != nil {
		return fmt.Errorf("%w: %w", portal.ErrNotPortal, err)
	}
	return nil
}

// decodeRows reads a list. null is none, and so is an object: a list that is missing is not empty.
func decodeRows(body []byte) ([]json.RawMessage, error) {
	var rows *[]json.RawMessage
	if err := decode(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) > maxRows {
		return nil, fmt.Errorf("%w: it has no list, or one of more than %d rows", portal.ErrNotPortal, maxRows)
	}
	return *rows, nil
}

// An id is a number that may be written as text; 0 where it is none.
type id int64

// UnmarshalJSON reads a number, or text that is one.
func (n *id) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(bytes.Trim(b, `"`)), 10, 64); err == nil && v > 0 {
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

// webAddress is an address that a browser may follow; "" for anything else.
func webAddress(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}
