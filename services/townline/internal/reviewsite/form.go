package reviewsite

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// Forms have the values as they are read now. What somebody leaves as it is makes no correction.

// corrections are what a form says; nil if it says nothing.
func (f *file) corrections(what string, form url.Values) []clerk.Correction {
	switch {
	case what == "vote" && f.Vote != nil:
		return f.Vote.corrections(f.People, form)
	case what == "title" && f.Item != nil:
		if title := strings.TrimSpace(form.Get("title")); title != f.Item.Title {
			return []clerk.Correction{{Kind: clerk.Title, ItemID: &f.Item.ID, Becomes: &title}}
		}
	case what == "doubled" && f.Vote != nil:
		return []clerk.Correction{{Kind: clerk.Doubled, VoteID: &f.Vote.ID}}
	case what == "missing" && f.Item != nil:
		return []clerk.Correction{{Kind: clerk.Missing, ItemID: &f.Item.ID, Vote: newVote(f.People, form)}}
	}
	return nil
}

func (v *voteRow) corrections(people []councilMember, form url.Values) (all []clerk.Correction) {
	add := func(kind clerk.Kind, member, value *string) {
		all = append(all, clerk.Correction{Kind: kind, VoteID: &v.ID, Member: member, Becomes: value})
	}
	if result := form.Get("result"); result != string(v.Result) {
		add(clerk.Result, nil, &result)
	}
	for _, n := range []struct {
		kind clerk.Kind
		is   int
	}{{clerk.Ayes, v.Ayes}, {clerk.Nays, v.Nays}} {
		if text := strings.TrimSpace(form.Get(string(n.kind))); text != "" && text != strconv.Itoa(n.is) {
			add(n.kind, nil, &text)
		}
	}
	for _, n := range []struct {
		kind clerk.Kind
		is   *string
	}{{clerk.Mover, v.Mover}, {clerk.Seconder, v.Seconder}} {
		if name := text(form, string(n.kind)); council.FoldName(council.Text(name)) != council.FoldName(council.Text(n.is)) {
			add(n.kind, nil, name)
		}
	}
	for _, p := range people {
		if position := form.Get(positionField(p.ID)); position != v.position(p.ID) && position != "" {
			add(clerk.Position, &p.Name, notNone(position))
		}
	}
	if name := text(form, "other"); name != nil {
		add(clerk.Position, name, notNone(form.Get("otherposition")))
	}
	return all
}

// position is that of a member, clerk.NotNamed for one whom the roll does not name.
func (v *voteRow) position(member int64) string {
	for _, r := range v.Roll {
		if r.ID == member {
			return string(r.Position)
		}
	}
	return clerk.NotNamed
}

func newVote(people []councilMember, form url.Values) *clerk.NewVote {
	v := &clerk.NewVote{MotionText: form.Get("motion"), Result: council.Result(form.Get("result")),
		ResultRaw: form.Get("printed"), ViaConsent: form.Get("consent") != "",
		Mover: text(form, "mover"), Seconder: text(form, "seconder")}
	if page := text(form, "page"); page != nil {
		n := whole(*page)
		v.Page = &n
	}
	name := func(who, position string) {
		if position == "" || position == clerk.NotNamed {
			return
		}
		v.Roll = append(v.Roll, clerk.RollEntry{Member: who, Position: council.Position(position)})
		switch council.Position(position) {
		case council.Aye:
			v.Ayes++
		case council.Nay:
			v.Nays++
		}
	}
	for _, p := range people {
		name(p.Name, form.Get(positionField(p.ID)))
	}
	if other := text(form, "other"); other != nil {
		name(*other, form.Get("otherposition"))
	}
	for field, n := range map[string]*int{"ayes": &v.Ayes, "nays": &v.Nays} {
		if said := text(form, field); said != nil {
			*n = whole(*said)
		}
	}
	return v
}

// whole is a number, -1 for what is none, which pkg/clerk refuses.
func whole(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return -1
}

func positionField(member int64) string { return "position-" + number(member) }

// text is what somebody wrote into a field, nil for nothing.
func text(form url.Values, field string) *string {
	if s := strings.TrimSpace(form.Get(field)); s != "" {
		return &s
	}
	return nil
}

func notNone(position string) *string {
	if position == clerk.NotNamed {
		return nil
	}
	return &position
}
