package attendance

import (
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// A fragment is a cell of a row that is several lines high.
type fragment struct {
	line  int
	text  string
	title bool
}

// An anchor is a row with a status, to which fragments belong.
type anchor struct {
	line int
	record.Attendee
}

// A table is an attendance table whose header stands on one line and whose rows are lines.
type table struct {
	*reader
	header   int
	titleCol int
	anchors  []anchor
	loose    []fragment
	end      int // the line after the table
}

// attendanceRows reads the table with its header at line i; a narrow cell goes on in the next line, or begins in the line before. It returns
// the line after the table, 0 when there are no such rows.
func (s *reader) attendanceRows(i int) int {
	t := &table{reader: s, header: i, titleCol: strings.Index(s.Rows[i].Text, "Title")}
	if t.titleCol < 0 {
		t.titleCol = strings.Index(s.Rows[i].Text, "Status")
	}
	t.titleCol += s.Rows[i].Indent
	for j := i + 1; j < len(s.Rows) && j < i+200 && t.readLine(j); j++ {
	}
	if len(t.anchors) == 0 {
		return 0
	}
	t.joinWhole()
	attendees := make([]*record.Attendee, len(t.anchors))
	for k := range t.anchors {
		attendees[k] = &t.anchors[k].Attendee
	}
	cutCommonOffice(attendees)
	above, below := t.distribute()
	for k, a := range t.anchors {
		s.addAttendee(a.with(above[k], below[k]), a.line)
	}
	return t.end
}

// readLine reads line j, and reports whether it belongs to the table.
func (t *table) readLine(j int) bool {
	ln := t.Rows[j]
	if ln.Text == "" || j == t.header+1 && strings.EqualFold(ln.Text, "name") {
		return true
	}
	// A heading; but "J. Roe" can be a member.
	if m, ok := t.MarkerAt(j); ok && !t.isInitialRow(ln.Text, m) &&
		(t.Hanging(m) || m.Text == "" || len(m.Label) != 2 || !shape.IsUpper(m.Label[0]) || t.Rows[j-1].Text == "") {
		return false
	}
	if a, ok := t.attendanceRow(ln.Text); ok {
		t.anchors = append(t.anchors, anchor{j, a})
		t.end = j + 1
		return true
	}
	if t.Flat || t.Rows[j-1].Text == "" && !ln.NewPage || shape.EndsSentence(ln.Text) || strings.HasSuffix(ln.Text, ":") ||
		t.Dialect.EndsAttendance(ln.Text) || !t.readCells(j) {
		return false
	}
	t.end = j + 1
	return true
}

// readCells reads the cells of line j, of a row that is several lines high. It returns false if one can be of no row.
func (t *table) readCells(j int) bool {
	var row anchor
	var cells []fragment
	for rest, col := t.Rows[j].Text, t.Rows[j].Indent; rest != ""; {
		cell, more := shape.CutCell(rest)
		switch {
		case t.isStatus(cell) && col > t.titleCol:
			row.line = j
			t.setStatus(&row.Attendee, cell)
		case shape.IsClock(cell):
		case !t.Dialect.IsPersonShaped(cell) && !t.Dialect.IsTitle(cell):
			return false
		default:
			cells = append(cells, fragment{j, cell, col > t.Rows[t.header].Indent+3 && col >= t.titleCol-3})
		}
		col += len(rest) - len(more)
		rest = more
	}
	t.loose = append(t.loose, cells...)
	if row.line > 0 {
		t.anchors = append(t.anchors, row)
	}
	return true
}

// endsOffices reports whether the offices of most rows end with this word on a line of their own, as in a narrow column.
func (t *table) endsOffices(office string) bool {
	all, whole := 0, 0
	for n, f := range t.loose {
		if f.title && f.text == office {
			all++
			if n > 0 && t.loose[n-1].line == f.line && strings.Contains(t.loose[n-1].text, " ") {
				whole++
			}
		}
	}
	return all > 2 && whole*2 < all
}

// joinWhole makes a row of a whole name and a whole office on a line without status, unless statuses stand centred between the lines of
// their rows.
func (t *table) joinWhole() {
	if slices.ContainsFunc(t.anchors, func(a anchor) bool { return a.Name == "" }) {
		return
	}
	for n := 0; n+1 < len(t.loose); n++ {
		name, title := t.loose[n], t.loose[n+1]
		if name.line == title.line && !name.title && title.title && strings.Contains(name.text, " ") && t.Dialect.IsTitle(title.text) &&
			!strings.HasSuffix(title.text, ",") && !strings.HasSuffix(title.text, "&") && !t.endsOffices(title.text) {
			t.anchors = append(t.anchors, anchor{name.line, record.Attendee{Name: name.text, Title: &title.text}})
			t.loose = slices.Delete(t.loose, n, n+2)
			n--
		}
	}
	slices.SortFunc(t.anchors, func(a, b anchor) int { return a.line - b.line })
}

// distribute returns the fragments that belong above and below each anchor: a fragment belongs to the nearest row; between two rows, to the
// one above unless that is complete and the one below has no name.
func (t *table) distribute() (above, below [][]fragment) {
	above, below = make([][]fragment, len(t.anchors)), make([][]fragment, len(t.anchors))
	for _, f := range t.loose {
		k := 0
		for k+1 < len(t.anchors) && t.anchors[k+1].line <= f.line {
			k++
		}
		a := t.anchors[k:]
		switch {
		case f.line < a[0].line:
			above[k] = append(above[k], f)
		case len(a) > 1 && a[1].Name == "" && !f.title && (a[0].Name != "" || a[1].line-f.line < f.line-a[0].line):
			above[k+1] = append(above[k+1], f)
		default:
			below[k] = append(below[k], f)
		}
	}
	return above, below
}

// with returns the row together with the fragments above and below it.
func (a anchor) with(above, below []fragment) record.Attendee {
	own := []fragment{{text: a.Name}}
	if a.Title != nil {
		own = append(own, fragment{text: *a.Title, title: true})
	}
	var name, title []string
	for _, f := range slices.Concat(above, own, below) {
		switch {
		case f.text == "":
		case f.title:
			title = append(title, f.text)
		default:
			name = append(name, f.text)
		}
	}
	out := a.Attendee
	out.Name = shape.JoinNames(name)
	if joined := shape.JoinNames(title); joined != "" {
		out.Title = &joined
	}
	return out
}

// isInitialRow reports whether a line that begins like a heading is a row of the table: "E. Roe", an office and a status in columns.
func (s *reader) isInitialRow(text string, m shape.Marker) bool {
	if len(m.Label) != 2 || !shape.IsUpper(m.Label[0]) || s.Hanging(m) || !strings.Contains(text, "  ") {
		return false
	}
	a, ok := s.attendanceRow(text)
	return ok && a.Title != nil && s.Dialect.IsTitle(*a.Title)
}

// cutCommonOffice takes an office that no table knows off the names: the last word of several rows, each of which leaves a full name.
func cutCommonOffice(rows []*record.Attendee) {
	count := map[string]int{}
	office := func(a *record.Attendee) string {
		if a.Title != nil || strings.Count(a.Name, " ") < 2 || shape.IsNameSuffix(shape.LastWord(a.Name)) {
			return ""
		}
		return shape.LastWord(a.Name)
	}
	for _, a := range rows {
		count[office(a)]++
	}
	for _, a := range rows {
		if word := office(a); word != "" && count[word] >= 2 && count[word]*2 >= len(rows) {
			a.Name = strings.TrimSpace(strings.TrimSuffix(a.Name, word))
			a.Title = &word
		}
	}
}

// attendanceRow reads one printed row: the status is the last word that is no time, the title begins at the first word of an office or at a
// wide gap.
func (s *reader) attendanceRow(text string) (record.Attendee, bool) {
	d := s.Dialect
	rest := text
	for {
		i := strings.LastIndexByte(rest, ' ')
		if i < 0 {
			return record.Attendee{}, false
		}
		if w := rest[i+1:]; w == "AM" || w == "PM" || shape.IsClock(w) || shape.IsClock(w+" AM") {
			rest = strings.TrimRight(rest[:i], " ")
			continue
		}
		break
	}
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || !s.isStatus(rest[i+1:]) {
		return record.Attendee{}, false
	}
	var a record.Attendee
	s.setStatus(&a, rest[i+1:])
	rest = strings.TrimRight(rest[:i], " ")
	name, title := d.CutTitle(rest)
	a.Name = shape.Fold(name)
	if l := strings.ToLower(rest); strings.Contains(l, "staff") || strings.HasPrefix(l, "other") || strings.HasPrefix(l, "also") {
		return record.Attendee{}, false // who else was in the room
	}
	title = shape.Fold(title)
	if title != "" {
		a.Title = &title
	}
	if !d.IsPersonShaped(a.Name) {
		return record.Attendee{}, false
	}
	return a, true
}
