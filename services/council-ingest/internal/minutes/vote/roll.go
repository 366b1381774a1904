package vote

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/roster"
)

// roll collects the names of a table by row, in printed order.
type roll struct {
	names [dialect.Remote + 1][]string
	taken map[string]bool
}

// put puts a member on a row, unless he is on it already. A note in brackets
// ("recusal") counts more than the row.
func (r *roll) put(b *Block, kind dialect.Row, note, name string) {
	if r.taken[name] {
		b.Note(council.CodeMemberTwice, fmt.Sprintf("%s stands in two places of one vote", name))
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

// positions are the five lists of a vote: who was present without voting
// abstained, and who was away was absent.
func (r *roll) positions() record.Positions {
	return record.Positions{
		Aye:     r.names[dialect.Aye],
		Nay:     r.names[dialect.Nay],
		Abstain: slices.Concat(r.names[dialect.Abstain], r.names[dialect.Present]),
		Absent:  slices.Concat(r.names[dialect.Absent], r.names[dialect.Away]),
		Recused: r.names[dialect.Recused],
	}
}

// memberNames resolves one printed name of a list, and says what is wrong with
// it. Names between which a comma is missing come back as several.
func (s *Reader) memberNames(b *Block, n dialect.Name) []string {
	r := s.People.Resolve(n.Text)
	if roster.IsUnread(r.Name) {
		b.Note(council.CodeMemberUnknown, fmt.Sprintf("%q holds characters that could not be read, and fits no member", n.Text))
		return nil
	}
	switch r.Match {
	case council.MatchMisspelt:
		b.Note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s", n.Text, r.Name))
	case council.MatchAmbiguous:
		b.Note(council.CodeMemberAmbiguous, fmt.Sprintf("%q fits several members", n.Text))
	case council.MatchNone:
		if many := s.People.SplitUnparted(n.Text); many != nil {
			b.Note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s: commas are missing", n.Text, strings.Join(many, ", ")))
			return many
		}
		if s.People.Present.Len() == 0 && strings.Contains(n.Text, " ") && s.IsPersonShaped(n.Text) {
			s.People.Learn(n.Text) // nothing but the rolls says who the members are
			break
		}
		b.Note(council.CodeMemberUnknown, fmt.Sprintf("%q is not on the roster of the day", n.Text))
	default:
		if r.Foreign {
			b.Note(council.CodeMemberUnknown, fmt.Sprintf("%s is not on the roster of the day", r.Name))
		}
	}
	return []string{r.Name}
}
