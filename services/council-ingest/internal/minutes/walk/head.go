package walk

import (
	"cmp"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

const headLines = 60 // how far down a document its head can reach

// readHead reads the name of the body and the date of the meeting from the top of the document.
func (s *Walk) readHead(own string) {
	body := ""
	for i, seen := 0, 0; i < len(s.Rows) && seen < headLines; i++ {
		text := s.Rows[i].Text
		if text == "" {
			continue
		}
		seen++
		if m, ok := s.MarkerAt(i); ok && m.Kind == shape.Roman && m.Value == 1 {
			break
		}
		if s.Record.MeetingDate == nil {
			if date := s.Dialect.Date(text); date != "" && !strings.HasPrefix(text, "Published") {
				s.Record.MeetingDate = &date
			}
		}
		// The name that stands last before the date is the body's; further up there can be a letterhead.
		if found := s.Dialect.Body(text); found != "" && (body == "" || s.Record.MeetingDate == nil) {
			body = found
		}
	}
	s.Record.Body = record.Text(cmp.Or(own, body))
	if s.Record.MeetingDate == nil {
		s.Report(council.CodeDateMissing, -1, nil, s.Rows[0].Page, "the document does not show the date of the meeting")
	}
}
