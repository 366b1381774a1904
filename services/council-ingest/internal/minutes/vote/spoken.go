package vote

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Some minutes print beside every member what he said, in a list or a line for each, or under his name:
//
//	Brandt – aye, Vance – nay, Arano – aye
//	Brandt:  Aye                              Brandt   Vance   Arano
//	Vance:   Nay                              Aye      Nay     Aye
//
// They are positions as a table of marks is: where everybody is known and the tally of RESULT proves them.

// said is what one member said.
type said struct {
	Name string
	Kind dialect.Row
}

// spokenRoll reads the roll that begins at line i and names a position beside or under each member; nil when none does.
func (s *Reader) spokenRoll(i int) *Ticks {
	if !shape.IsUpper(s.Rows[i].Text[0]) && s.Rows[i].Text[0] < 0x80 {
		return nil
	}
	all, end := s.saidInColumns(i)
	for j := i; all == nil || end == j; {
		list, next := s.saidFrom(j, j == i)
		if list == nil {
			break
		}
		all, end, j = append(all, list...), next, next
	}
	if len(all) < 2 {
		return nil
	}
	t := &Ticks{Line: i, End: end, seen: map[string]bool{}}
	votes := 0
	for _, one := range all {
		who := s.People.Resolve(s.StripTitle(one.Name))
		t.enter(who, one.Name)
		if one.Kind == dialect.Aye || one.Kind == dialect.Nay {
			votes++
		}
		t.names[one.Kind] = append(t.names[one.Kind], who.Name)
	}
	if votes == 0 {
		return nil // who was present is no vote
	}
	return t
}

// saidFrom reads what is said from line j on, which can take several lines, and returns the line after it. The first line can begin with a
// label.
func (s *Reader) saidFrom(j int, first bool) ([]said, int) {
	if j >= len(s.Rows) {
		return nil, j
	}
	text := s.Rows[j].Text
	for n := j + 1; ; n++ {
		list, begun := s.saidIn(text, first)
		if _, rest, labelled := strings.Cut(text, ":"); !begun && first && labelled {
			list, begun = s.saidIn(strings.TrimLeft(rest, " "), first)
		}
		if list != nil || !begun || n >= min(j+6, len(s.Rows)) || s.Rows[n].Text == "" {
			return list, n
		}
		text += " " + s.Rows[n].Text
	}
}

// saidIn reads a list of which every piece is somebody and what he said; the first of a roll must be known. begun says that the first
// piece is such, so that the rest may stand on the next line.
func (s *Reader) saidIn(text string, first bool) (list []said, begun bool) {
	if len(text) > 600 {
		return nil, false
	}
	marks := ","
	if strings.Contains(text, ";") {
		marks = ";" // Brandt, aye; Vance, nay
	}
	for piece := range strings.SplitSeq(strings.TrimRight(text, ".,; "), marks) {
		one, ok := s.saidBy(strings.TrimSpace(piece), marks == ";")
		if !ok {
			return nil, begun
		}
		list = append(list, one)
		begun = begun || !first || s.People.Resolve(s.StripTitle(one.Name)).Match.Found()
		if !begun {
			return nil, false
		}
	}
	return list, begun
}

// saidBy reads a member and what he said: "Brandt – aye", "Brandt: Aye", "Brandt (aye)", or with a wide gap between.
func (s *Reader) saidBy(piece string, comma bool) (said, bool) {
	inner, bracket := strings.CutSuffix(piece, ")")
	for _, mark := range []string{" – ", " — ", " - ", ":", "  ", "(", ","} {
		i := strings.LastIndex(inner, mark)
		if i <= 0 || bracket != (mark == "(") || mark == "," && !comma {
			continue
		}
		if kind, ok := s.spokenWord(inner[i+len(mark):]); ok {
			return said{strings.TrimSpace(inner[:i]), kind}, true
		}
	}
	return said{}, false
}

// spokenWord reads a position as it is said.
func (s *Reader) spokenWord(word string) (dialect.Row, bool) {
	word = strings.TrimSpace(word)
	if len(word) < 2 || len(word) > 16 || !shape.IsLetter(word[0]) {
		return dialect.Unknown, false
	}
	kind, _ := s.RowOf(word)
	return kind, kind.IsList() && kind != dialect.Remote
}

// saidInColumns reads a line of members above a line of what each of them said, and returns the line after it; both must have as many
// cells.
func (s *Reader) saidInColumns(i int) ([]said, int) {
	below := i + 1
	if below >= len(s.Rows) || strings.ContainsAny(s.Rows[i].Text, ",:;") {
		return nil, i
	}
	word, _, more := strings.Cut(s.Rows[below].Text, " ")
	if _, ok := s.spokenWord(word); !ok || !more {
		return nil, i
	}
	words := strings.Fields(s.Rows[below].Text)
	var names []string
	for _, cell := range tokensOf(s.Rows[i].Line, true) {
		names = append(names, cell.Text)
	}
	if len(names) == 1 {
		names = s.People.SplitUnparted(names[0])
	}
	if len(names) != len(words) {
		return nil, i
	}
	list := make([]said, len(words))
	for k, w := range words {
		kind, ok := s.spokenWord(w)
		if !ok {
			return nil, i
		}
		list[k] = said{names[k], kind}
	}
	return list, below + 1
}
