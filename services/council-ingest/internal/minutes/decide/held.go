package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// holdBack takes out the votes on damaged pages that are not sure, and reports each such page once.
func (r *reader) holdBack() {
	if len(r.Doc.Damages) == 0 {
		return
	}
	held := make([][]string, len(r.Doc.Damages))
	r.done = slices.DeleteFunc(r.done, func(d *draft) bool {
		n := r.damageOf(d)
		if n < 0 || !r.Doc.Damages[n].Columns && r.sure(d) {
			return false
		}
		for _, one := range d.signals {
			r.end(one, "no vote: the page is damaged")
		}
		if words := signal.Clip(council.Fold(strings.Join(d.raws, " ")), 80); len(held[n]) < maxHeld {
			held[n] = append(held[n], fmt.Sprintf("line %d: %s", d.line, words))
		}
		return true
	})
	for n, damage := range r.Doc.Damages {
		message := place(Signal{Page: damage.Page, Line: damage.From}) + ": the page is damaged, and votes may be missing: " +
			damage.Why
		if len(held[n]) > 0 {
			message += "; not published are: " + strings.Join(held[n], "; ")
		}
		r.Report(council.CodeVotesUnread, -1, nil, damage.Page, message)
	}
}

// maxHeld is the number of votes that the anomaly of a damaged page names.
const maxHeld = 20

// damageOf returns the index of the damage that a vote depends on, or -1.
func (r *reader) damageOf(d *draft) int {
	first, last := d.from, max(d.to, d.rollAt)
	if d.motion != nil {
		first = min(first, d.motion.Para)
	}
	from, to := r.Paras[first].Lines[0].No, d.line
	if end := r.Paras[min(last, len(r.Paras)-1)].Lines; len(end) > 0 {
		to = max(to, end[len(end)-1].No)
	}
	return slices.IndexFunc(r.Doc.Damages, func(one lines.Damage) bool { return from <= one.To && to >= one.From })
}

// sure reports whether the parts of a vote prove each other, although letters of the page are wrong: its people
// are on the list of members, and its roll has as many as its tally, or everyone who is present.
func (r *reader) sure(d *draft) bool {
	if r.Members.Listed() == 0 || d.Outcome.Unread != "" {
		return false
	}
	named := map[lexicon.Sense]int{}
	for _, e := range slices.Concat(d.roll.Entries, d.Named) {
		if e.Unread != "" || slices.ContainsFunc(e.Names, func(n person.Name) bool { return !r.isListed(&n) }) {
			return false
		}
		named[e.Sense] += len(e.Names)
		if e.Everyone {
			named[e.Sense] = len(r.Present)
		}
	}
	ayes, nays := named[lexicon.Aye], named[lexicon.Nay]
	proved := d.roll.Positioned() && (ayes+nays+named[lexicon.Abstain] == len(r.Present) ||
		d.Counted && ayes == d.Ayes && nays == d.Nays)
	switch {
	case d.roll.Positioned() && !proved:
		return false
	case d.table != nil:
		return proved
	case d.motion == nil:
		return proved && d.Worded
	}
	return d.Worded && r.isListed(d.motion.Mover) && r.isListed(d.motion.Seconder)
}

// isListed reports whether a name is a member's of the list.
func (r *reader) isListed(n *person.Name) bool {
	if n == nil {
		return false
	}
	_, match := r.Resolve(*n)
	return match.Found() && match != council.MatchAmbiguous
}
