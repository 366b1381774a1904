package attend

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/grid"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

// column is a column of a grid: "Present", "Members Absent:", "Time arrived". Its status is "" if it says nothing about
// the attendance.
type column = grid.Column[status]

// firstItem matches the first item below the lists. "I." looks like an initial.
var firstItem = regexp.MustCompile(`^(?:I|1)\. `)

// A gridRow is a row of a grid: members with their status. unread says that a member has no status.
type gridRow struct {
	people []listed
	states []status
	unread bool
}

// grid reads a table with a column for each status, whose header is on line i: the members stand below
// their status, or a mark of each member does. It returns the line after it, or i if it is none.
func (r *reader) grid(i int) int {
	columns, marks := r.gridColumns(i)
	if columns == nil {
		columns = r.labelWithin(i)
	}
	if columns == nil {
		return i
	}
	var found []gridRow
	end, sides := i, map[int]bool{}
	blanks, unread := 0, 0
	apart, ticked := false, false
	for j := i + 1; j < min(len(r.lines), i+maxBlock); j++ {
		text := r.lines[j].Text
		if strings.Trim(text, "-–—=_|+: ") == "" {
			if blanks++; blanks > 2 && text == "" {
				break
			}
			continue
		}
		if blanks > 0 && len(found) > 0 && firstItem.MatchString(text) {
			break
		}
		row, ok := r.markRow(j, columns)
		if ticked = ticked || marks && ok; !marks || !ok {
			row, ok = r.sideRow(j, columns, sides)
		}
		if !ok {
			break
		}
		apart = apart || blanks > 0 && len(found) > 0
		end, blanks = j+1, 0
		if row.unread {
			unread++
		}
		found = append(found, row)
	}
	people := 0
	for _, row := range found {
		people += len(row.people)
	}
	if people < 2 {
		return i
	}
	if !ticked && apart && len(sides) < 2 { // the text lost its columns
		r.Whole = false
		r.problem(r.lines[i].Page, "attendance lists stand side by side, and the text has no columns; they were not read")
		return end
	}
	r.addGrid(found, ticked)
	if unread > 0 {
		r.Whole = false
		r.problem(r.lines[i].Page, "rows of the attendance table have no mark; their members were left out")
	}
	r.keep(i, end)
	return end
}

// labelWithin returns the columns of a list below a label on line i, in whose first row the label of a
// second list stands: "Mayor Doe" next to "City Staff:".
func (r *reader) labelWithin(i int) []column {
	s, ok := r.classify(r.lines[i].Text, 0)
	if !ok || s != present && s != cover || i+1 >= len(r.lines) {
		return nil
	}
	row := r.cells(i + 1)
	if len(row) != 2 || !strings.HasSuffix(row[1].Text, ":") {
		return nil
	}
	_, member := r.entry(row[0].Text)
	second, label := r.classify(row[1].Text, 1)
	if !member || !label || second == present || second == cover {
		return nil
	}
	return []column{{Cell: row[0], Means: s}, {Cell: row[1], Means: second}}
}

// addGrid adds the members of a grid: row by row, or of lists those who are present first.
func (r *reader) addGrid(rows []gridRow, ticked bool) {
	order := [][]status{{present, cover, remote, late}, {absent, excused}}
	if ticked {
		order = [][]status{{present, cover, remote, late, absent, excused}}
	}
	for _, of := range order {
		for _, row := range rows {
			for k, one := range row.people {
				if s := row.states[k]; slices.Contains(of, s) {
					if s == cover {
						s = present
					}
					r.admit([]listed{one}, s, false)
					r.listed = true
				}
			}
		}
	}
}

// gridColumns reads the header of a grid: at least two labels, of which one is a status or one is that
// of the members and another that of the staff. marks says that it has nothing but words for marks.
func (r *reader) gridColumns(i int) (out []column, marks bool) {
	states, labels := 0, 0
	marks = true
	words := false // a column has the status in words
	for _, c := range r.cells(i) {
		s := status("")
		switch strings.ToLower(strings.Trim(c.Text, ".:*?")) {
		case "in attendance", "in person", "here":
			s = present
		case "virtual", "by phone", "zoom", "via zoom", "remote":
			s = remote
		case "name", "member", "members", "title", "position", "office", "term", "time arrived", "ward", "district":
		case "status", "p/a":
			words = true
		case "attendance", "roll call":
			return nil, false // a heading next to its list
		default:
			if kind, ok := r.classify(c.Text, 2); ok {
				s = kind
			} else {
				marks = marks && isColumnHead(c.Text)
			}
		}
		if s != "" {
			labels++
		}
		if s != "" && s != other && s != cover {
			states++
			marks = marks && len(strings.Fields(c.Text)) < 3
		}
		out = append(out, column{Cell: c, Means: s})
	}
	if words && marks && len(out) > 1 && len(out) < 8 {
		return out, true // Name   Title   Status
	}
	if len(out) > 8 || !(marks && states > 1) && (labels < 2 || labels < len(out)) {
		return nil, false
	}
	return out, marks
}

// markRow reads a row of a grid of marks: a member, perhaps with an office in a cell of its own, and a
// mark.
func (r *reader) markRow(j int, columns []column) (row gridRow, ok bool) {
	cells := r.cells(j)
	if len(cells) == 0 {
		return row, false
	}
	n, ok := r.entry(cells[0].Text)
	if !ok {
		return row, false
	}
	marks, others := grid.Marked(columns, cells)
	s := status("")
	for _, c := range others {
		switch {
		case lexicon.IsClock(c.Text):
			s = late
		case replied.MatchString(c.Text):
			s = statusOf(present, c.Text)
		case r.w.IsOffice(c.Text) || r.isStaff(c.Text):
			n.Office = strings.Trim(n.Office+", "+c.Text, ", ")
		case !describesMembers(columns, c):
			return row, false
		}
	}
	for k, at := range marks {
		if at < 0 || columns[at].Means == "" || k > 0 && s != columns[at].Means {
			return gridRow{unread: true}, true // two marks, or one elsewhere
		}
		s = columns[at].Means
	}
	if s == "" {
		return gridRow{unread: true}, len(cells) == 1 && columns[0].Means == ""
	}
	return gridRow{people: []listed{{n, j}}, states: []status{s}}, true
}

// describesMembers reports whether a cell stands below the head of a column that says what its members hold.
func describesMembers(columns []column, c grid.Cell) bool {
	at := grid.Below(columns, c)
	return at >= 0 && columns[at].Means == "" && isColumnHead(columns[at].Text)
}

// sideRow reads a row of lists that stand side by side. A label among them begins another list in its
// column. sides gets the columns that have names.
func (r *reader) sideRow(j int, columns []column, sides map[int]bool) (row gridRow, ok bool) {
	for _, c := range r.cells(j) {
		at := grid.Below(columns, c)
		if at < 0 {
			return row, false
		}
		if s, is := r.classify(c.Text, 0); is {
			if ok = true; s != cover {
				columns[at].Means = s
			}
			continue
		}
		if r.w.IsNobody(c.Text) {
			sides[at], ok = true, true
			continue
		}
		n, is := r.entry(c.Text)
		switch {
		case is && columns[at].Means != "":
			sides[at], ok = true, true
			row.people, row.states = append(row.people, listed{n, j}), append(row.states, columns[at].Means)
		case columns[at].Means == other && len(c.Text) < 60:
			sides[at], ok = true, true
		case len(row.people) > 0 && (r.w.IsOffice(c.Text) || r.isStaff(c.Text)):
			last := &row.people[len(row.people)-1]
			last.Office = strings.Trim(last.Office+", "+c.Text, ", ")
		default:
			return row, false
		}
	}
	return row, ok
}

// cells splits a line at its gaps.
func (r *reader) cells(i int) []grid.Cell { return grid.Cells(r.lines[i].Text, r.lines[i].Indent, 2) }
