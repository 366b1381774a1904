package decide

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// membersOn returns the members in a row MOVER or SECONDER. "Odile Brandt, Director, District I" is
// one member, "Odile Brandt, Julien Bouquet" are two.
func (s tableReader) membersOn(value string) []dialect.Name {
	var out []dialect.Name
	for i, n := range s.People.Split(strings.ReplaceAll(value, " & ", " ")) {
		// Usually an office follows the comma. If a member follows, that is a second person.
		if i == 0 || s.People.Resolve(n.Text).Match.Found() {
			out = append(out, n)
		}
	}
	return out
}

func (s tableReader) fill(b *table, rows []tableRow) {
	for _, r := range rows {
		value := r.value()
		switch {
		case r.kind == dialect.Result:
			b.result = cleanResult(value)
			b.tally = lex.ReadTally(b.result)
		case r.kind == dialect.Motion:
			b.moved = lex.Join(r.parts)
		case r.kind == dialect.Mover || r.kind == dialect.Seconder:
			s.fillPerson(b, r.kind, value)
		case r.kind == dialect.Unknown && value != "":
			b.note(council.CodeLabelUnknown, fmt.Sprintf("row %q of the vote is not known; its value was not used", r.label))
		case r.kind.IsList() && r.kind != dialect.Remote:
			s.fillRow(b, r, value)
		}
	}
	if ayes := b.roll.count(aye); ayes >= 0 && !b.tally.Counted {
		b.tally.Ayes, b.tally.Nays, b.tally.Counted = ayes, max(b.roll.count(nay), 0), true
	}
}

// fillRow reads a row of names. A note in parentheses ("recusal") overrides the label.
func (s tableReader) fillRow(b *table, r tableRow, value string) {
	e, recusals := entry{sense: sensesOf[r.kind]}, entry{sense: recused, count: -1}
	e.count, value = countOf(r, value)
	for _, n := range s.People.Split(value) {
		row := &e
		if strings.Contains(n.Note, "recus") {
			row = &recusals
		}
		for _, name := range s.memberNames(b, n) {
			row.names = append(row.names, person.Name{Text: name})
		}
	}
	if e.nobody = len(e.names) == 0; len(recusals.names) > 0 {
		e.count = -1
		b.roll.entries = append(b.roll.entries, recusals)
	}
	b.roll.entries = append(b.roll.entries, e)
}

// sensesOf maps the labels of rows. A member who was present and did not vote abstained.
var sensesOf = map[dialect.Label]sense{dialect.Aye: aye, dialect.Nay: nay, dialect.Abstain: abstain,
	dialect.Present: abstain, dialect.Absent: absent, dialect.Away: absent, dialect.Recused: recused}

// countOf splits off the count of a row, as in "AYES (5): Doe, …" or "AYES: 5 - Doe, …". It is -1
// if there is none.
func countOf(r tableRow, value string) (count int, names string) {
	if count, names = lex.CutCount(value); count >= 0 {
		return count, names
	}
	_, rest, _ := strings.Cut(r.label, "(")
	n, length := lex.CountIn("(" + rest)
	if length == 0 || strings.IndexByte(r.label, ':') < strings.IndexByte(r.label, '(') {
		return -1, value
	}
	return n, value
}

func (s tableReader) fillPerson(b *table, kind dialect.Label, value string) {
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
		b.seconder = names[0]
		return
	}
	b.mover, b.movers = names[0], names
}

func cleanResult(value string) string {
	for _, mark := range []string{"Next:", " NEXT:"} {
		value, _, _ = strings.Cut(value, mark)
	}
	return council.Fold(value)
}

// memberNames resolves a printed name and notes problems. A value of several names without commas
// gives several members.
func (s tableReader) memberNames(b *table, n dialect.Name) []string {
	r := s.People.Resolve(n.Text)
	if rows.IsUnread(r.Name) {
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q holds characters that could not be read, and fits no member",
			n.Text))
		return nil
	}
	switch r.Match {
	case council.MatchMisspelt:
		b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s", n.Text, r.Name))
	case council.MatchAmbiguous: // the proof says so
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
