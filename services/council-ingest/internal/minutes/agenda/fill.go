package agenda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// membersOn returns the members in a row MOVER or SECONDER. "Odile Brandt, Director, District I" is
// one member, "Odile Brandt, Julien Bouquet" are two.
func (s *Reader) membersOn(value string) []dialect.Name {
	var out []dialect.Name
	for i, n := range s.People.Split(strings.ReplaceAll(value, " & ", " ")) {
		// Usually an office follows the comma. If a member follows, that is a second person.
		if i == 0 || s.People.Resolve(n.Text).Match.Found() {
			out = append(out, n)
		}
	}
	return out
}

func (s *Reader) fillBlock(b *Block, rows []row) {
	roll, counts := roll{taken: map[string]bool{}}, map[dialect.Label]int{}
	for _, r := range rows {
		value := r.value()
		switch {
		case r.Kind == dialect.Result:
			b.Result = cleanResult(value)
			b.Tally = lex.ReadTally(b.Result)
		case r.Kind == dialect.Motion:
			b.Moved = lex.Join(r.parts)
		case r.Kind == dialect.Mover || r.Kind == dialect.Seconder:
			s.fillPerson(b, r.Kind, value)
		case r.Kind == dialect.Unknown && value != "":
			b.note(council.CodeLabelUnknown, fmt.Sprintf("row %q of the vote is not known; its value was not used", r.Label))
		case r.Kind.IsList() && r.Kind != dialect.Remote:
			b.Rolled = true
			if n, names := countOf(r, value); n >= 0 {
				value = names
				counts[r.Kind] = n
			}
			for _, n := range s.People.Split(value) {
				for _, name := range s.memberNames(b, n) {
					roll.add(b, r.Kind, n.Note, name)
				}
			}
		}
	}
	b.Roll = roll.byPosition()
	if ayes, printed := counts[dialect.Aye]; printed && !b.Tally.Counted {
		b.Tally.Ayes, b.Tally.Nays, b.Tally.Counted = ayes, counts[dialect.Nay], true
	}
}

// countOf splits off the count of a row, as in "AYES (5): Doe, …" or "AYES: 5 - Doe, …". It is -1
// if there is none.
func countOf(r row, value string) (count int, names string) {
	if count, names = lex.CutCount(value); count >= 0 {
		return count, names
	}
	_, rest, _ := strings.Cut(r.Label, "(")
	n, length := lex.CountIn("(" + rest)
	if length == 0 || strings.IndexByte(r.Label, ':') < strings.IndexByte(r.Label, '(') {
		return -1, value
	}
	return n, value
}

func (s *Reader) fillPerson(b *Block, kind dialect.Label, value string) {
	var names []string
	for _, n := range s.membersOn(value) {
		names = append(names, s.memberNames(b, n)...)
	}
	if len(names) == 0 {
		return
	}
	if len(names) > 1 {
		b.note(council.CodeMoverMultiple, fmt.Sprintf("%s names %s", strings.ToUpper(kind.String()),
			strings.Join(names, " and ")))
	}
	if kind == dialect.Seconder {
		b.Seconder = names[0]
		return
	}
	b.Mover, b.Movers = names[0], names
}

func cleanResult(value string) string {
	for _, mark := range []string{"Next:", " NEXT:"} {
		value, _, _ = strings.Cut(value, mark)
	}
	return council.Fold(value)
}

type roll struct {
	names [dialect.Remote + 1][]string
	taken map[string]bool
}

// add adds a member to a list, unless the list has the name. A note in parentheses ("recusal")
// overrides the label.
func (r *roll) add(b *Block, kind dialect.Label, note, name string) {
	if r.taken[name] {
		b.note(council.CodeMemberTwice, fmt.Sprintf("%s stands in two places of one vote", name))
		if slices.Contains(r.names[kind], name) {
			return
		}
	}
	r.taken[name] = true
	if strings.Contains(note, "recus") {
		kind = dialect.Recused
	}
	r.names[kind] = append(r.names[kind], name)
}

// byPosition returns the roll call. A member who was present but did not vote abstained. A member
// who was away was absent.
func (r *roll) byPosition() council.Roll {
	return council.NewRoll(r.names[dialect.Aye], r.names[dialect.Nay],
		slices.Concat(r.names[dialect.Abstain], r.names[dialect.Present]),
		slices.Concat(r.names[dialect.Absent], r.names[dialect.Away]), r.names[dialect.Recused])
}

// memberNames resolves a printed name and notes problems. A value of several names without commas
// gives several members.
func (s *Reader) memberNames(b *Block, n dialect.Name) []string {
	r := s.People.Resolve(n.Text)
	if rows.IsUnread(r.Name) {
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q holds characters that could not be read, and fits no member",
			n.Text))
		return nil
	}
	switch r.Match {
	case council.MatchMisspelt:
		b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s", n.Text, r.Name))
	case council.MatchAmbiguous:
		b.note(council.CodeMemberAmbiguous, fmt.Sprintf("%q fits several members", n.Text))
	case council.MatchNone:
		if many := s.People.SplitUnparted(n.Text); many != nil {
			b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s: commas are missing", n.Text,
				strings.Join(many, ", ")))
			return many
		}
		if s.People.Present.Len() == 0 && strings.Contains(n.Text, " ") && s.IsPersonShaped(n.Text) {
			s.People.Learn(n.Text) // no other part of the document names the members
			break
		}
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q is not on the roster of the day", n.Text))
	default:
		if r.Foreign {
			b.note(council.CodeMemberUnknown, fmt.Sprintf("%s is not on the roster of the day", r.Name))
		}
	}
	return []string{r.Name}
}

// stated reads the vote in a sentence at line i. If the count of a row differs from its names, it
// withholds the roll call, because either may be wrong.
func (s *Reader) stated(i int, t *rows.Stated) *Block {
	b := &Block{Line: i, End: t.End, Page: s.Rows[i].Page, Result: t.Sentence, Stated: true}
	for j := t.From; j < t.To; j++ {
		b.addCell(dialect.Result, j, true, "the sentence that states a vote, with a roll below it")
	}
	roll := roll{taken: map[string]bool{}}
	for _, r := range t.Roll {
		for j := r.Line; j < r.End; j++ {
			b.addCell(r.Kind, j, j == r.Line, "a row of the roll below the sentence")
		}
		if r.Kind == dialect.Remote {
			continue
		}
		b.Rolled = true
		named := 0
		for _, n := range s.People.Split(r.Names) {
			for _, name := range s.memberNames(b, n) {
				roll.add(b, r.Kind, n.Note, name)
				named++
			}
		}
		if r.Count < 0 {
			continue
		}
		switch r.Kind {
		case dialect.Aye:
			b.Tally.Ayes, b.Tally.Counted = r.Count, true
		case dialect.Nay:
			b.Tally.Nays, b.Tally.Counted = r.Count, true
		}
		if named != r.Count && b.Withheld == "" {
			b.note(council.CodeTallyMismatch, fmt.Sprintf("the row %s says that it has %s, and names %d", r.Label,
				council.Count(r.Count, "name"), named))
			b.Withheld = fmt.Sprintf("its row %s has %s and counts %d", r.Label, council.Count(named, "name"), r.Count)
		}
	}
	b.Roll = roll.byPosition()
	return b
}

func (b *Block) addCell(row dialect.Label, line int, label bool, why string) {
	b.Cells = append(b.Cells, cell{IsLabel: label, Row: row, Line: line, Why: why})
}

func (s *Reader) movedBy(b *Block, mover, seconder string) {
	for _, one := range []struct {
		printed string
		name    *string
	}{{mover, &b.Mover}, {seconder, &b.Seconder}} {
		if one.printed == "" || *one.name != "" {
			continue
		}
		if names := s.membersOn(one.printed); len(names) > 0 {
			if found := s.memberNames(b, names[0]); len(found) > 0 {
				*one.name = found[0]
			}
		}
	}
}
