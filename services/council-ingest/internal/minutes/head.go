package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

const headLines = 60 // how far down a document its head can reach

// head reads the name of the body and the date of the meeting from the top of
// the document.
func (s *scan) head() {
	if s.p.opt.Body != "" {
		s.record.Body = &s.p.opt.Body
	}
	body := ""
	for i, seen := 0, 0; i < len(s.lines) && seen < headLines; i++ {
		text := s.lines[i].Text
		if text == "" {
			continue
		}
		seen++
		if m, ok := s.markerAt(i); ok && m.Kind == shape.Roman && m.Value == 1 {
			break
		}
		if s.record.MeetingDate == nil {
			if date := s.p.dialect.Date(text); date != "" && !strings.HasPrefix(text, "Published") {
				s.record.MeetingDate = &date
			}
		}
		// The name that stands last before the date is the body's; further up
		// there can be a letterhead.
		if found := s.p.dialect.Body(text); found != "" && (body == "" || s.record.MeetingDate == nil) {
			body = found
		}
	}
	if s.record.Body == nil {
		s.record.Body = textOf(body)
	}
	if s.record.MeetingDate == nil {
		s.report(council.CodeDateMissing, -1, nil, s.lines[0].Page, "the document does not show the date of the meeting")
	}
}
