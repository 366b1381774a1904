package vote

import (
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// stated reads the vote that a sentence at line i states, with its roll. Where a row counts other names than it prints, nobody knows which of
// both is right, or who is missing: the roll is withheld.
func (s *Reader) stated(i int, t *rows.Stated) *Block {
	b := &Block{Line: i, End: t.End, Page: s.Rows[i].Page, Result: t.Sentence, Stated: true}
	for j := t.From; j < t.To; j++ {
		b.cell(dialect.Result, j, true, "the sentence that states a vote, with a roll below it")
	}
	roll := roll{taken: map[string]bool{}}
	for _, r := range t.Roll {
		for j := r.Line; j < r.End; j++ {
			b.cell(r.Kind, j, j == r.Line, "a row of the roll below the sentence")
		}
		if r.Kind == dialect.Remote {
			continue
		}
		b.Rolled = true
		named := 0
		for _, n := range s.People.Split(r.Names) {
			for _, name := range s.memberNames(b, n) {
				roll.put(b, r.Kind, n.Note, name)
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
			b.Note(council.CodeTallyMismatch, fmt.Sprintf("the row %s says that it has %s, and names %d", r.Label, council.Count(r.Count, "name"), named))
			b.Withheld = fmt.Sprintf("its row %s has %s and counts %d", r.Label, council.Count(named, "name"), r.Count)
		}
	}
	b.Positions = roll.positions()
	return b
}

// cell keeps what a line of a stated vote was read as.
func (b *Block) cell(row dialect.Row, line int, label bool, why string) {
	b.Cells = append(b.Cells, Cell{IsLabel: label, Row: row, Line: line, Why: why})
}

// MovedBy gives a stated vote its mover and seconder as the sentence of its motion names them.
func (s *Reader) MovedBy(b *Block, mover, seconder string) {
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
