package archive

import (
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// The longest texts from a portal or of a document's state that are kept, in characters. Real ones are far shorter; the bounds
// keep hostile ones out of the tables, and out of every answer that is made of them.
const (
	maxTitle  = 4_000 // of a meeting or an entry of the outline
	maxLabel  = 500   // names of boards and types, numbers, places
	maxURL    = 4_000 // a longer address is none
	maxTag    = 1_000 // an ETag or a date in a header
	maxReason = 2_000 // why something could not be read
)

func storable(s string, most int) string { return council.Clip(council.Storable(s), most) }

// address is a link that can be stored and followed; nil for one that is too long.
func address(s *string) *string {
	if s == nil || len(*s) > maxURL {
		return nil
	}
	text := council.Storable(*s)
	return &text
}

// header is a header that is sent back as it came, or "" where that cannot be.
func header(s string) string {
	if len(s) > maxTag || council.Storable(s) != s {
		return ""
	}
	return s
}

// bounded returns the meeting with texts that can be stored.
func (m Meeting) bounded() Meeting {
	m.Body, m.TypeRaw, m.Title = storable(m.Body, maxLabel), storable(m.TypeRaw, maxLabel), storable(m.Title, maxTitle)
	m.Location = council.Fit(m.Location, maxLabel)
	m.SourceURL, m.AgendaURL, m.MinutesURL, m.VideoURL = address(m.SourceURL), address(m.AgendaURL), address(m.MinutesURL), address(m.VideoURL)
	return m
}

// maxEntries bounds an outline; the longest real agendas have some hundred rows.
const maxEntries = 5_000

// bounded returns the entries of an outline that are kept, with texts that can be stored.
func bounded(entries []portal.Item) []portal.Item {
	out := make([]portal.Item, 0, len(entries))
	for _, e := range entries[:min(len(entries), maxEntries)] {
		e.Number, e.Title, e.Result = storable(e.Number, maxLabel), storable(e.Title, maxTitle), storable(e.Result, maxLabel)
		e.FileNumber, e.Attachments = storable(e.FileNumber, maxLabel), nil
		e.URL = council.Text(address(&e.URL))
		out = append(out, e)
	}
	return out
}
