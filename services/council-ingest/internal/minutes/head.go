package minutes

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
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
		text := s.lines[i].text
		if text == "" {
			continue
		}
		seen++
		if m, ok := s.markerAt(i); ok && m.kind == markRoman && m.value == 1 {
			break
		}
		if s.record.MeetingDate == nil {
			if date := s.findDate(text); date != "" && !strings.HasPrefix(text, "Published") {
				s.record.MeetingDate = &date
			}
		}
		// The name that stands last before the date is the body's; further up
		// there can be a letterhead.
		if found := s.bodyIn(text); found != "" && (body == "" || s.record.MeetingDate == nil) {
			body = found
		}
	}
	if s.record.Body == nil {
		s.record.Body = textOf(body)
	}
	if s.record.MeetingDate == nil {
		s.report(council.CodeDateMissing, -1, nil, s.lines[0].page, "the document does not show the date of the meeting")
	}
}

// bodyIn reads the name of a body from a heading: "Town Board Regular Meeting
// Minutes", "CITY COUNCIL", "Financial Administration & Audit Committee".
func (s *scan) bodyIn(text string) string {
	if len(text) > 80 || strings.ContainsAny(text, ".:;|–") || strings.HasPrefix(text, "http") {
		return ""
	}
	words := strings.Fields(text)
	end, found := len(words), false
	for k, w := range words {
		l := strings.ToLower(w)
		if l == "regular" || l == "special" || l == "meeting" || l == "minutes" || l == "summary" || l == "emergency" || l == "joint" || l == "workshop" {
			end = k
			break
		}
	}
	if end == 0 || end > 8 {
		return ""
	}
	for k, w := range words[:end] {
		l := strings.ToLower(strings.Trim(w, ",()"))
		if c := w[0]; c >= 'a' && c <= 'z' && l != "of" && l != "and" && l != "the" && l != "for" {
			return ""
		}
		for _, b := range s.p.dialect.bodies {
			if l == b && (k == end-1 || k == 0 && end > 2 && strings.EqualFold(words[1], "of")) {
				found = true
			}
		}
	}
	if !found {
		return ""
	}
	body := strings.Join(words[:end], " ")
	if body == strings.ToUpper(body) {
		body = capitalise(body)
	}
	return body
}

// capitalise turns a name in capitals into one with capitals.
func capitalise(s string) string {
	words := strings.Fields(strings.ToLower(s))
	for i, w := range words {
		if i > 0 && (w == "of" || w == "and" || w == "the" || w == "for") {
			continue
		}
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// findDate reads "January 7, 2025" or "1/7/2025" in a line and returns it as
// YYYY-MM-DD; empty when there is no day that exists.
func (s *scan) findDate(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	for i := 0; i+2 < len(words); i++ {
		month := s.p.dialect.months[strings.ToLower(strings.TrimSuffix(words[i], "."))]
		day := strings.TrimRight(words[i+1], "stndrh")
		year := words[i+2]
		if month > 0 && len(day) <= 2 && allDigits(day) && len(year) >= 4 && allDigits(year[:4]) {
			if d := dateOf(atoi(year[:4]), month, atoi(day)); d != "" {
				return d
			}
		}
	}
	for _, w := range words {
		f := strings.Split(w, "/")
		if len(f) == 3 && allDigits(f[0]) && allDigits(f[1]) && allDigits(f[2]) && len(f[2]) == 4 && len(f[0]) <= 2 && len(f[1]) <= 2 {
			if d := dateOf(atoi(f[2]), atoi(f[0]), atoi(f[1])); d != "" {
				return d
			}
		}
	}
	return ""
}

// isDateLine reports whether a line begins with a date: "Tuesday, May 5, 2026".
func (s *scan) isDateLine(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return (s.p.dialect.months[first] > 0 || strings.HasSuffix(first, "day,")) && s.findDate(text) != ""
}

func dateOf(y, m, d int) string {
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if y < 1800 || y > 2200 || m < 1 || m > 12 || d < 1 {
		return ""
	}
	last := days[m-1]
	if m == 2 && (y%4 == 0 && y%100 != 0 || y%400 == 0) {
		last = 29
	}
	if d > last {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d)
}
