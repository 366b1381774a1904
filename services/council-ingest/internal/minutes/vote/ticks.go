package vote

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/roster"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Some minutes print a roll as a table with a line for every member and a column for every position, in which a mark stands:
//
//	Member          YES   NO   ABSENT
//	Odile Brandt     X
//	Teodor Vance           X
//
// A mark is a position only where the whole table is understood and adds up to the tally of its RESULT; else it is reported and nobody has
// a position.

// Ticks is a table of marks.
type Ticks struct {
	Line, End int
	names     [dialect.Rows][]string // by column, in printed order
	doubt     string                 // why its marks prove nothing, empty when they may
	seen      map[string]bool        // members in it
}

// token is a word of a line with its place on the page, in columns.
type token struct {
	Text       string
	start, end int
}

func (t token) middle() int { return t.start + t.end } // doubled

func tokensOf(ln layout.Line, cells bool) []token {
	var out []token
	col, rest := ln.Indent, ln.Text
	for rest != "" {
		n := strings.IndexByte(rest, ' ')
		if cells {
			n = strings.Index(rest, "  ")
		}
		if n < 0 {
			n = len(rest)
		}
		width := utf8.RuneCountInString(rest[:n])
		out = append(out, token{rest[:n], col, col + width})
		next := strings.TrimLeft(rest[n:], " ")
		col += width + len(rest) - n - len(next)
		rest = next
	}
	return out
}

// tickColumn is a column of a table of marks.
type tickColumn struct {
	token
	Kind dialect.Row
}

// tickHeader reads the header of a table of marks at line i: labels of at least two positions, ayes and nays among them, behind at most one
// word for the members.
func (s *Reader) tickHeader(i int) []tickColumn {
	ln := s.Rows[i]
	if len(ln.Text) > 160 || strings.ContainsAny(ln.Text, ":,;.") || i+1 >= len(s.Rows) {
		return nil
	}
	var columns []tickColumn
	add := func(t token) bool {
		kind, known := s.RowOf(t.Text)
		if known && kind >= dialect.Motion {
			columns = append(columns, tickColumn{t, kind})
		}
		return known && kind >= dialect.Motion
	}
	for n, cell := range tokensOf(ln.Line, true) {
		if add(cell) {
			continue
		}
		words := tokensOf(layout.Line{Text: cell.Text, Indent: cell.start}, false)
		for k, w := range words {
			if !add(w) && (n > 0 || len(columns) > 0 || k > 2) {
				return nil
			}
		}
	}
	has := func(kind dialect.Row) bool {
		return slices.ContainsFunc(columns, func(c tickColumn) bool { return c.Kind == kind })
	}
	if !has(dialect.Aye) || !has(dialect.Nay) {
		return nil
	}
	return columns
}

// tickMark reads a mark; empty boxes and dashes are marks that say no.
func tickMark(text string) (ticked, ok bool) {
	switch text {
	case "X", "x", "✓", "✔", "√", "☑", "☒", "✗", "✘", "✕", "×", "[X]", "[x]", "(X)", "(x)":
		return true, true
	case "☐", "□", "_", "__", "___", "-", "--", "–", "—", "[]", "()":
		return false, true
	}
	return false, false
}

// Ticks reads the table of marks whose header stands at line i, or the roll that spells them out; nil when none does.
func (s *Reader) Ticks(i int) *Ticks {
	columns := s.tickHeader(i)
	if columns == nil {
		return s.spokenRoll(i)
	}
	t := &Ticks{Line: i, End: i + 1, seen: map[string]bool{}}
	rows := 0
	for j := i + 1; j < len(s.Rows) && j < i+80; j++ {
		if s.Rows[j].Text == "" {
			continue
		}
		name, marks := tickRow(s.Rows[j].Line)
		if len(marks) == 0 {
			known, unknown := s.People.Known(name)
			if _, labelled, _ := s.LabelAt(j); labelled != "" || known != 1 || unknown > 0 || strings.Contains(name, ",") {
				break
			}
			t.doubted("%s has no mark", name)
		}
		who := s.People.Resolve(s.StripTitle(name))
		for k := j + 1; !who.Match.Found() && k < min(j+3, len(s.Rows)) && s.Rows[k].Text != "" && len(marks) > 0; k++ {
			// A narrow column goes on with the name in the lines below.
			rest, more := tickRow(s.Rows[k].Line)
			if len(more) > 0 {
				break
			}
			name = shape.JoinNames([]string{name, rest})
			who = s.People.Resolve(s.StripTitle(name))
			if who.Match.Found() {
				j = k
			}
		}
		t.enter(who, name)
		if len(marks) > 0 && len(marks) < len(columns) && marks[0].start < s.Rows[j].Indent+utf8.RuneCountInString(name)+2 {
			t.doubted("its columns are lost") // in text without columns a mark stands where its name ends
		}
		positions := 0
		for k, m := range marks {
			ticked, _ := tickMark(m.Text)
			column, sure := columnOf(columns, marks, k)
			if !ticked {
				continue
			}
			if !sure {
				t.doubted("the mark beside %s stands between two columns", name)
				continue
			}
			kind := columns[column].Kind
			t.names[kind] = append(t.names[kind], who.Name)
			if kind.IsList() {
				positions++
			}
		}
		if positions != 1 {
			t.doubted("%s has %s", name, council.Count(positions, "mark"))
		}
		rows++
		t.End = j + 1
	}
	if rows < 2 {
		return nil
	}
	return t
}

// enter takes a member into the table: who is meant by a printed name, once.
func (t *Ticks) enter(who roster.Resolved, name string) {
	switch {
	case !who.Match.Found() || who.Match == council.MatchMisspelt:
		t.doubted("%q is not on the roster of the day", name)
	case t.seen[who.Name]:
		t.doubted("%s stands twice", who.Name)
	}
	t.seen[who.Name] = true
}

func (t *Ticks) doubted(format string, args ...any) {
	if t.doubt == "" {
		t.doubt = fmt.Sprintf(format, args...)
	}
}

// tickRow parts a line into a name and the marks behind it.
func tickRow(ln layout.Line) (name string, marks []token) {
	tokens := tokensOf(ln, false)
	from := len(tokens)
	for from > 0 {
		if _, is := tickMark(tokens[from-1].Text); !is {
			break
		}
		from--
	}
	words := make([]string, from)
	for k, t := range tokens[:from] {
		words[k] = t.Text
	}
	return strings.Join(words, " "), tokens[from:]
}

// columnOf finds the column of mark k: by its turn where every column has a mark, else by the page, if one column is clearly nearer than
// all others.
func columnOf(columns []tickColumn, marks []token, k int) (column int, sure bool) {
	if len(marks) == len(columns) {
		return k, true
	}
	off := func(c int) int { return abs(columns[c].middle() - marks[k].middle()) }
	second := 1 << 20
	for c := 1; c < len(columns); c++ {
		if off(c) < off(column) {
			column, second = c, off(column)
		} else {
			second = min(second, off(c))
		}
	}
	return column, off(column) <= 8 && off(column)*2 < second
}

func abs(n int) int { return max(n, -n) }

// take gives the positions of a table of marks to the vote they prove, or says why it does not.
func (b *Block) take(t *Ticks) {
	ayes, nays := len(t.names[dialect.Aye]), len(t.names[dialect.Nay])
	switch {
	case b.Rolled:
		return // the names are printed beside it, and counted
	case t.doubt != "":
	case b.Tally.Counted && (ayes != b.Tally.Ayes || nays != b.Tally.Nays):
		t.doubted("it marks %s and %s", council.Count(ayes, "aye"), council.Count(nays, "nay"))
	case !b.Tally.Counted && (!b.Tally.Unanimous || ayes == 0 || nays > 0 || len(t.names[dialect.Abstain]) > 0):
		t.doubted("no tally proves it")
	}
	if t.doubt != "" {
		b.Note(council.CodeLayoutUnclear, fmt.Sprintf("the table of marks was not read: %s", t.doubt))
		return
	}
	b.Rolled = true
	r := roll{names: t.names}
	b.Positions = r.positions()
	for _, kind := range []dialect.Row{dialect.Mover, dialect.Motion} {
		if len(t.names[kind]) == 1 && b.Mover == "" {
			b.Mover = t.names[kind][0]
		}
	}
	if len(t.names[dialect.Seconder]) == 1 && b.Seconder == "" {
		b.Seconder = t.names[dialect.Seconder][0]
	}
}
