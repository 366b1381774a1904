package reviewsite

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// corrections returns the corrections of a form. Its fields start with the current values; an
// unchanged field makes no correction.
func (f *file) corrections(do string, form url.Values) []clerk.Correction {
	switch {
	case do == "vote" && f.Vote != nil:
		return correctionsOf(f.Vote, f.Members, form)
	case do == "title" && f.Item != nil:
		if title := strings.TrimSpace(form.Get("title")); title != f.Item.Title {
			return []clerk.Correction{{Kind: clerk.Title, ItemID: &f.Item.ID, Becomes: &title}}
		}
	case do == "doubled" && f.Vote != nil:
		return []clerk.Correction{{Kind: clerk.Doubled, VoteID: &f.Vote.ID}}
	case do == "person" && len(f.Namesakes) > 0:
		return []clerk.Correction{{Kind: clerk.Person, Meeting: f.Meeting.ID, Member: &f.Namesakes[0].Name,
			Becomes: clerk.OrNone(form.Get("person"))}}
	case do == "missing" && f.Item != nil:
		return []clerk.Correction{{Kind: clerk.Missing, ItemID: &f.Item.ID, Missing: newVote(f.Members, form)}}
	}
	return nil
}

func correctionsOf(v *council.StoredVote, members []memberRow, form url.Values) (all []clerk.Correction) {
	add := func(kind clerk.Kind, member, value *string) {
		all = append(all, clerk.Correction{Kind: kind, VoteID: &v.ID, Member: member, Becomes: value})
	}
	if result := form.Get("result"); result != string(v.Result) {
		add(clerk.Result, nil, &result)
	}
	for _, n := range []struct {
		kind clerk.Kind
		is   int
	}{{clerk.Ayes, v.AyesCount}, {clerk.Nays, v.NaysCount}} {
		if text := field(form, string(n.kind)); text != nil && *text != strconv.Itoa(n.is) {
			add(n.kind, nil, text)
		}
	}
	for _, n := range []struct {
		kind clerk.Kind
		is   *string
	}{{clerk.Mover, v.Mover}, {clerk.Seconder, v.Seconder}} {
		if name := field(form, string(n.kind)); council.FoldName(council.Text(name)) != council.FoldName(council.Text(n.is)) {
			add(n.kind, nil, name)
		}
	}
	for _, m := range members {
		if position := form.Get(positionField(m.ID)); position != positionOf(v, m.Name) && position != "" {
			add(clerk.Position, &m.Name, clerk.OrNone(position))
		}
	}
	if name := field(form, "other"); name != nil {
		add(clerk.Position, name, clerk.OrNone(form.Get("otherposition")))
	}
	return all
}

// positionOf returns the position of a member; clerk.NotNamed if the roll call does not have the
// member.
func positionOf(v *council.StoredVote, name string) string {
	at := slices.IndexFunc(v.Roll, func(e council.RollEntry) bool { return e.Member == name })
	if at < 0 {
		return clerk.NotNamed
	}
	return string(v.Roll[at].Position)
}

func newVote(members []memberRow, form url.Values) *clerk.MissingVote {
	v := &clerk.MissingVote{Vote: council.Vote{MotionText: form.Get("motion"),
		Result: council.Result(form.Get("result")), ResultRaw: form.Get("printed"),
		ViaConsent: form.Get("consent") != "", Mover: field(form, "mover"), Seconder: field(form, "seconder")}}
	if page := field(form, "page"); page != nil {
		v.Page = new(parseNumber(*page))
	}
	add := func(name, position string) {
		if position != "" && position != clerk.NotNamed {
			v.Add(name, council.Position(position))
		}
	}
	for _, m := range members {
		add(m.Name, form.Get(positionField(m.ID)))
	}
	if other := field(form, "other"); other != nil {
		add(*other, form.Get("otherposition"))
	}
	for name, n := range map[string]*int{"ayes": &v.AyesCount, "nays": &v.NaysCount} {
		if text := field(form, name); text != nil {
			*n = parseNumber(*text)
		}
	}
	return v
}

// parseNumber parses a number. For other text it returns -1, which pkg/clerk rejects.
func parseNumber(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return -1
}

func positionField(member int64) string { return "position-" + number(member) }

// field returns the trimmed text of a field; nil if it is empty.
func field(form url.Values, name string) *string {
	return council.Some(strings.TrimSpace(form.Get(name)))
}
