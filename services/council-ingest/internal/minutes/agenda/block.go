package agenda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// Block is the table of one vote.
type Block struct {
	Line, End int // line of RESULT, and first line after the table
	Page      int
	Result    string // text after RESULT:
	Tally     lex.Tally
	Moved     string // text of the row MOTION
	Mover     string // resolved name; "" if not printed
	Seconder  string
	Movers    []string // all names in the row MOVER
	Roll      council.Roll
	Rolled    bool // a row for names is printed, even if it is empty
	Problems  []problem
	Withheld  string // why the roll call is withheld; "" if it is shown
	Cells     []cell
	Displaced int // line of a heading's number inside the table; 0 if there is none

	Motion     *Motion
	ViaConsent bool
	Stated     bool           // a sentence above a roll call states it
	Prose      *tallySentence // sentence that counts the vote; may be nil
}

type problem struct {
	Code    council.AnomalyCode
	Message string
}

func (b *Block) note(code council.AnomalyCode, message string) {
	b.Problems = append(b.Problems, problem{code, message})
}

// cell is a label or a line of values, in reading order.
type cell struct {
	IsLabel bool
	Row     dialect.Label // row of the label; for a value, the row above it
	Text    string        // printed label, or value
	Line    int
	Why     string // why it was classified like this, unless the row says so
	inline  bool   // the value is on the same line as the label before it
}

// readBlock reads the table of the vote at line i. It accepts any order of rows and columns. It
// resolves names and notes problems.
func (s *Reader) readBlock(i int) *Block {
	if stated := s.Rows[i].Stated; stated != nil {
		return s.stated(i, stated)
	}
	t := s.collect(i)
	b := &Block{Line: i, Cells: t.cells, End: t.last + 1, Displaced: t.displaced, Page: s.Rows[i].Page}
	rows, clear, tied := s.align(t.cells)
	if !clear {
		b.note(council.CodeLayoutUnclear, "the rows of the vote could not be told apart with certainty")
	}
	if t.unread != "" {
		b.note(council.CodeLayoutUnclear, fmt.Sprintf("the members on the line %q were not taken into the vote", t.unread))
	}
	s.fillBlock(b, rows)
	if tied {
		b.Withheld = "which names stand in which of its rows cannot be seen"
	}
	return b
}

func same(a, b *Block) bool {
	return strings.EqualFold(a.Result, b.Result) && a.Mover == b.Mover && a.Seconder == b.Seconder &&
		slices.Equal(a.Roll.Sorted(), b.Roll.Sorted())
}

// key is equal for tables of the same vote: mover, seconder and result. The rolls may differ,
// because a member may be recused on only one item.
func (b *Block) key() [3]string {
	return [3]string{b.Mover, b.Seconder, strings.ToUpper(lex.ResultWords(b.Result))}
}

// tallySentence is a sentence that counts a vote: "The motion passed with 14 in favor (Brandt, …)
// and 1 opposed (Vance)."
type tallySentence struct {
	Ayes, Nays int // -1 if the sentence does not count them
	Named      int // number of names after "in favor"; -1 if there are none
}

const maxTallyLines = 40 // largest distance of a sentence and its table

func (s *Reader) proseOf(b *Block, from int) *tallySentence {
	var found []tallySentence
	for j := max(from, b.Line-maxTallyLines); j < b.End && j < len(s.Rows); j++ {
		if strings.Contains(s.Rows[j].Text, " favor") {
			if p, is := s.readTallySentence(s.sentenceAround(j, b)); is {
				found = append(found, p)
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}

func (s *Reader) sentenceAround(j int, b *Block) string {
	from, to := j, j+1
	for from > 0 && j-from < 3 && s.Rows[from-1].Text != "" && from-1 != b.Line {
		from--
	}
	for to < len(s.Rows) && to-j < 8 && s.Rows[to].Text != "" && !s.Rows[to].Result {
		to++
	}
	parts := make([]string, 0, to-from)
	for _, ln := range s.Rows[from:to] {
		parts = append(parts, ln.Text)
	}
	return lex.Join(parts)
}

// readTallySentence reads the figures of a sentence with "in favor", and counts the names after
// these words.
func (s *Reader) readTallySentence(text string) (tallySentence, bool) {
	at := strings.Index(text, "in favor")
	if at < 0 {
		return tallySentence{}, false
	}
	head, rest := text[:at], strings.TrimLeft(text[at+len("in favor"):], " ,")
	if i := strings.LastIndex(head, ". "); i >= 0 {
		head = head[i+2:]
	}
	verb := lex.ContainsAny(strings.ToLower(head), "passed", "failed", "received", "defeated")
	t := tallySentence{Ayes: lastFigure(head), Nays: -1, Named: -1}
	if !verb || t.Ayes < 0 {
		return t, false
	}
	if names, found := strings.CutPrefix(rest, "("); found {
		// The closing parenthesis may be missing. A digit or another parenthesis also ends the list.
		end := strings.IndexAny(names, ")(0123456789")
		if end > 0 && end < 400 {
			known, unknown := s.People.Known(strings.ReplaceAll(names[:end], ". ", ", "))
			t.Named = known + unknown
			if names[end] != ')' && unknown > 0 {
				t.Named = -1
			}
			rest = names[end:]
		}
	}
	if end := strings.Index(rest, ". "); end >= 0 {
		rest = rest[:end]
	}
	for _, word := range []string{"opposed", "against", "in opposition"} {
		if i := strings.Index(rest, word); i >= 0 {
			t.Nays = lastFigure(rest[:i])
			break
		}
	}
	return t, true
}

func lastFigure(s string) int {
	s = strings.TrimRightFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	digits := s[len(strings.TrimRight(s, "0123456789")):]
	if digits == "" || len(digits) > 3 {
		return -1
	}
	return lex.Atoi(digits)
}
