package minutes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// membersOn lists the people on a MOVER or SECONDER row: "Odile Brandt,
// Director, District I" is one, "Odile Brandt, Julien Bouquet" are two.
func (s *scan) membersOn(value string) []printedName {
	var out []printedName
	for i, n := range s.people.split(strings.ReplaceAll(value, " & ", " ")) {
		if i > 0 {
			// What follows a comma is mostly an office; only a member's name
			// makes it a second person.
			if r := s.people.resolve(n.text); !r.match.Found() {
				continue
			}
		}
		out = append(out, n)
	}
	return out
}

// fillBlock turns the rows of a table into a block.
func (s *scan) fillBlock(b *block, rows []row) {
	roll := roll{taken: map[string]bool{}}
	for _, r := range rows {
		value := r.value()
		switch {
		case r.kind == rowResult:
			b.result = cleanResult(value)
			b.tally = readTally(b.result)
		case r.kind == rowMotion && s.isMoverCell(value, rows):
			s.fillPerson(b, rowMover, value) // "MOTION: Roe, Trustee" above "SECOND: Doe, Trustee"
		case r.kind == rowMotion:
			b.moved = joinLines(r.parts)
		case r.kind == rowMover || r.kind == rowSeconder:
			s.fillPerson(b, r.kind, value)
		case r.kind == rowUnknown && value != "":
			b.note(council.CodeLabelUnknown, fmt.Sprintf("row %q of the vote is not known; its value was not used", r.label))
		case r.kind.isList() && r.kind != rowRemote:
			b.rolled = true
			value = b.count(r, value)
			for _, n := range s.people.split(value) {
				for _, name := range s.memberNames(b, n) {
					roll.put(b, r.kind, n.note, name)
				}
			}
		}
	}
	b.positions = roll.positions()
	b.settleCounts(&roll)
}

// count remembers how many names a row says that it has, beside its label
// ("AYES (5):") or before the names, and returns the names.
func (b *block) count(r row, value string) string {
	n, names := cutCount(value)
	if n < 0 {
		_, rest, _ := strings.Cut(r.label, "(")
		var length int
		if n, length = countIn("(" + rest); length == 0 || strings.IndexByte(r.label, ':') < strings.IndexByte(r.label, '(') {
			return value
		}
		names = value
	}
	if b.counts == nil {
		b.counts = map[rowKind]int{}
	}
	b.counts[r.kind] = n
	return names
}

// settleCounts compares what the rows say of their number of names with the
// names. Where the RESULT line does not count and nobody is named, the rows are
// the tally.
func (b *block) settleCounts(roll *roll) {
	for kind := rowAye; kind <= rowRemote; kind++ {
		if n, printed := b.counts[kind]; printed && len(roll.names[kind]) > 0 && n != len(roll.names[kind]) {
			b.note(council.CodeTallyMismatch, fmt.Sprintf("a row says that it has %s, and names %s", council.Count(n, "name"), strings.Join(roll.names[kind], ", ")))
		}
	}
	ayes, printed := b.counts[rowAye]
	if printed && !b.tally.counted && len(roll.names[rowAye])+len(roll.names[rowNay]) == 0 {
		b.tally.ayes, b.tally.nays, b.tally.counted = ayes, b.counts[rowNay], true
	}
}

// roll collects the names of a table by row, in printed order.
type roll struct {
	names [rowRemote + 1][]string
	taken map[string]bool
}

// put puts a member on a row, unless he is on it already. A note in brackets
// ("recusal") counts more than the row.
func (r *roll) put(b *block, kind rowKind, note, name string) {
	if r.taken[name] {
		b.note(council.CodeMemberTwice, fmt.Sprintf("%s stands in two places of one vote", name))
		if slices.Contains(r.names[kind], name) {
			return
		}
	}
	r.taken[name] = true
	if strings.Contains(note, "recus") {
		kind = rowRecused
	}
	r.names[kind] = append(r.names[kind], name)
}

// positions are the five lists of a vote: who was present without voting
// abstained, and who was away was absent.
func (r *roll) positions() Positions {
	return Positions{
		Aye:     r.names[rowAye],
		Nay:     r.names[rowNay],
		Abstain: slices.Concat(r.names[rowAbstain], r.names[rowPresent]),
		Absent:  slices.Concat(r.names[rowAbsent], r.names[rowAway]),
		Recused: r.names[rowRecused],
	}
}

// memberNames resolves one printed name of a list, and says what is wrong with
// it. Names between which a comma is missing come back as several.
func (s *scan) memberNames(b *block, n printedName) []string {
	r := s.people.resolve(n.text)
	if isUnread(r.name) {
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q holds characters that could not be read, and fits no member", n.text))
		return nil
	}
	switch r.match {
	case council.MatchMisspelt:
		b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s", n.text, r.name))
	case council.MatchAmbiguous:
		b.note(council.CodeMemberAmbiguous, fmt.Sprintf("%q fits several members", n.text))
	case council.MatchNone:
		if many := s.people.splitUnparted(n.text); many != nil {
			b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s: commas are missing", n.text, strings.Join(many, ", ")))
			return many
		}
		if s.people.roster.Len() == 0 && strings.Contains(n.text, " ") && s.p.dialect.isPersonShaped(n.text) {
			s.people.learn(n.text) // nothing but the rolls says who the members are
			break
		}
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q is not on the roster of the day", n.text))
	default:
		if r.foreign {
			b.note(council.CodeMemberUnknown, fmt.Sprintf("%s is not on the roster of the day", r.name))
		}
	}
	return []string{r.name}
}

// isMoverCell reports whether a row MOTION names who moved, and not what: it is
// a member, or, above a row SECOND, a name with an office.
func (s *scan) isMoverCell(value string, rows []row) bool {
	d := s.p.dialect
	name, office, found := strings.Cut(value, ",")
	if suffix, rest, _ := strings.Cut(office, ","); isNameSuffix(strings.TrimSpace(suffix)) {
		office, found = rest, rest != ""
	}
	full := d.stripTitle(name)
	switch n := len(strings.Fields(full)); {
	case n > 5 || !d.isPersonShaped(full) || found && !d.isPersonShaped(office) && !d.isTitle(office):
		return false
	case s.people.resolve(full).match <= council.MatchGiven || found && d.isTitle(office):
		return true
	case n < 2:
		return false
	}
	second := slices.ContainsFunc(rows, func(r row) bool { return r.kind == rowSeconder })
	return second && !slices.ContainsFunc(rows, func(r row) bool { return r.kind == rowMover })
}

func (s *scan) fillPerson(b *block, kind rowKind, value string) {
	people := s.membersOn(value)
	if len(people) == 0 {
		return
	}
	names := make([]string, 0, len(people))
	for _, n := range people {
		names = append(names, s.memberNames(b, n)...)
	}
	if len(names) == 0 {
		return
	}
	if len(names) > 1 {
		row := "MOVER"
		if kind == rowSeconder {
			row = "SECONDER"
		}
		b.note(council.CodeMoverMultiple, fmt.Sprintf("%s names %s", row, strings.Join(names, " and ")))
	}
	if kind == rowMover {
		b.mover = names[0]
		if len(names) > 1 {
			b.movers = names
		}
	} else {
		b.seconder = names[0]
	}
}

// cleanResult folds blanks and leaves out the day to which a matter was put
// off.
func cleanResult(value string) string {
	for _, mark := range []string{" Next:", " NEXT:", "Next:"} {
		if i := strings.Index(value, mark); i >= 0 {
			value = value[:i]
		}
	}
	return fold(value)
}
