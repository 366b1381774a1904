package attend

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// column is a column of a table of marks: "Present", "Absent", "Time arrived".
type column struct {
	status   status // "" if its marks say nothing about the attendance
	from, to int
}

var (
	// mark matches the sign that stands in the column of a member's status
	mark = regexp.MustCompile(`^(?:[Xx]|[√✓✔☑☒●•*]|[Yy]es|Y)$`)
	bar  = regexp.MustCompile(`[|│┃¦]`)
)

// marks reads a table that marks the status of each member in a column of its own, whose header is on
// line i, and returns the line after it, or i if it is none.
func (r *reader) marks(i int) int {
	columns := r.markColumns(r.lines[i].Text, r.lines[i].Indent)
	if columns == nil {
		return i
	}
	type row struct {
		name person.Name
		s    status
		line int
	}
	var found []row
	end, unread := i, 0
	for j := i + 1; j < min(len(r.lines), i+maxBlock); j++ {
		text := r.lines[j].Text
		if text == "" || strings.Trim(text, "-–—=_|+ ") == "" {
			continue
		}
		n, s, ok := r.markRow(cells(text, r.lines[j].Indent), columns)
		if !ok {
			break
		}
		end = j + 1
		if s == "" {
			unread++
			continue
		}
		found = append(found, row{n, s, j})
	}
	if len(found) < 2 {
		return i
	}
	for _, one := range found {
		r.add(one.name, one.s, one.line)
	}
	if unread > 0 {
		r.Whole = false
		r.problem(r.lines[i].Page, "rows of the attendance table have no mark; their members were left out")
	}
	r.listed = true
	r.keep(i, end)
	return end
}

// markColumns reads the header of a table of marks: at least two columns that are a status, or nil.
func (r *reader) markColumns(text string, indent int) (out []column) {
	states := 0
	for _, c := range cells(text, indent) {
		s := status("")
		switch strings.ToLower(strings.Trim(c.text, ".:*")) {
		case "present", "présent", "présents", "presente", "in attendance", "in person", "here":
			s = present
		case "absent", "absents", "ausente", "not present":
			s = absent
		case "excused", "excusé", "excused absence":
			s = excused
		case "late", "tardy":
			s = late
		case "remote", "virtual", "by phone", "zoom", "via zoom":
			s = remote
		}
		if s != "" {
			states++
		}
		out = append(out, column{s, c.from, c.to})
	}
	if states < 2 || len(out) > 8 {
		return nil
	}
	return out
}

// markRow reads a row: a member, perhaps with an office in a cell of its own, and a mark. The status
// is "" if no mark stands in a column of one.
func (r *reader) markRow(row []cell, columns []column) (n person.Name, s status, ok bool) {
	if len(row) == 0 {
		return n, "", false
	}
	n, ok = r.entry(row[0].text)
	if !ok {
		return n, "", false
	}
	for _, c := range row[1:] {
		switch {
		case mark.MatchString(c.text):
			at := nearest(columns, c)
			if s != "" || at < 0 || columns[at].status == "" {
				return n, "", true // two marks, or one elsewhere
			}
			s = columns[at].status
		case lex.IsClock(c.text) && s == "":
			s = late
		case r.w.IsOffice(c.text) || r.isStaff(c.text):
			n.Office = strings.Trim(n.Office+", "+c.text, ", ")
		}
	}
	return n, s, true
}

// nearest returns the column below whose header a cell stands, or -1.
func nearest(columns []column, c cell) int {
	best, found := slack, -1
	for i, col := range columns {
		if d := max(col.from-c.to, c.from-col.to, 0); d < best {
			best, found = d, i
		}
	}
	return found
}

// cell is a cell of a row, and its place.
type cell struct {
	text     string
	from, to int
}

// cells splits a line at bars and gaps. The last mark may be one blank away.
func cells(text string, indent int) (out []cell) {
	text = bar.ReplaceAllString(text, "  ")
	at := 0
	for at < len(text) {
		end := strings.Index(text[at:], "  ")
		if end < 0 {
			end = len(text) - at
		}
		if part := strings.TrimSpace(text[at : at+end]); part != "" {
			from := indent + utf8.RuneCountInString(text[:at])
			out = append(out, cell{part, from, from + utf8.RuneCountInString(part)})
		}
		at += end
		for at < len(text) && text[at] == ' ' {
			at++
		}
	}
	return out
}
