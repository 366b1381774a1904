package council

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

type RollEntry struct {
	Member   string   `json:"member"`
	Position Position `json:"position"`
}

// A Roll is a roll call in printed order. Its JSON is an object with a list of members for each
// position; UnmarshalJSON also accepts a list of entries.
type Roll []RollEntry

// NewRoll makes a roll from lists of members, in the order of [Positions].
func NewRoll(lists ...[]string) Roll {
	var r Roll
	for i, members := range lists {
		for _, member := range members {
			r = append(r, RollEntry{member, Positions()[i]})
		}
	}
	return r
}

// Of returns the members with a position, never nil.
func (r Roll) Of(p Position) []string {
	members := []string{}
	for _, e := range r {
		if e.Position == p {
			members = append(members, e.Member)
		}
	}
	return members
}

func (r Roll) Count(p Position) int { return len(r.Of(p)) }

func (r Roll) Members() []string {
	var members []string
	for _, e := range r {
		members = append(members, e.Member)
	}
	return members
}

// Index returns the index of a member, or -1.
func (r Roll) Index(member string) int {
	key := FoldName(member)
	return slices.IndexFunc(r, func(e RollEntry) bool { return FoldName(e.Member) == key })
}

// Sorted returns the entries sorted by position and member.
func (r Roll) Sorted() Roll {
	return slices.SortedFunc(slices.Values(r), func(a, b RollEntry) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Member, b.Member))
	})
}

// IsUnanimous reports whether there are ayes but no nays or abstentions. It counts the roll if the
// roll names any member in these positions, and otherwise uses the tally.
func (r Roll) IsUnanimous(ayes, nays int) bool {
	abstained := r.Count(Abstain) > 0
	if a, n := r.Count(Aye), r.Count(Nay); a+n > 0 || abstained {
		ayes, nays = a, n
	}
	return ayes > 0 && nays == 0 && !abstained
}

type lists struct {
	Aye     []string `json:"aye"`
	Nay     []string `json:"nay"`
	Abstain []string `json:"abstain"`
	Absent  []string `json:"absent"`
	Recused []string `json:"recused"`
}

func (r Roll) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false) // the caller's encoder escapes
	err := out.Encode(lists{Aye: r.Of(Aye), Nay: r.Of(Nay), Abstain: r.Of(Abstain), Absent: r.Of(Absent),
		Recused: r.Of(Recused)})
	return text.Bytes(), err
}

func (r *Roll) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]RollEntry)(r))
	}
	var l lists
	err := json.Unmarshal(text, &l)
	*r = NewRoll(l.Aye, l.Nay, l.Abstain, l.Absent, l.Recused)
	return err
}
