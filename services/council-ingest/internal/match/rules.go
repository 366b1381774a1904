package match

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Outline finds each item of the portal's outline in the minutes. It compares in this order: file;
// title and number; the most specific of file, title and number; legislative file; title; similar
// titles in the order of both lists. It returns indices into minutes, or -1 for an item without a
// partner. The position alone never makes a pair.
func Outline(outline, minutes []record.Item) []int {
	m := newMatcher(newItems(outline), newItems(minutes))
	m.match(func(it *item) string { return it.file }, m.inOrder)
	m.match(func(it *item) string {
		if it.number == "" || it.title == "" {
			return ""
		}
		return it.title + "\x00" + it.number
	}, m.inOrder)
	m.match(func(it *item) string {
		switch {
		case it.file != "":
			return "file:" + it.file
		case it.title != "":
			return "title:" + it.title
		}
		return "number:" + it.number
	}, m.inOrder)
	m.match(legifileKey, m.inOrder)
	// The outline often lacks the file numbers that the minutes print.
	m.match(func(it *item) string { return it.title }, m.inOrder)
	m.match(func(*item) string { return "rest" }, m.align(similarity))
	return m.pairs
}

func legifileKey(it *item) string {
	if it.legifile == 0 {
		return ""
	}
	return fmt.Sprint(it.legifile)
}

// similarity returns the share of common words of two titles, plus 0.1 each for the same number and
// the same section. Below the threshold it returns 0.
func similarity(a, b *item) float64 {
	x, y := strings.Fields(a.title), strings.Fields(b.title)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	s := dice(x, y)
	if isPrefix(x, y) {
		s = max(s, 0.9)
	}
	if a.number != "" && a.number == b.number {
		s += 0.1
	}
	if a.section == b.section {
		s += 0.1
	}
	if s < threshold {
		return 0
	}
	return s
}

// Identify finds each stored item in newer minutes, and the votes of a found item among its votes. It
// returns indices into now and into the item's votes, or -1 if an item or a vote is gone or
// uncertain. reread means that both lists come from the same document, so nothing was inserted or
// removed.
func Identify(old, now []record.Item, reread bool) (items []int, votes [][]int) {
	was, is := newItemsWithVotes(old), newItemsWithVotes(now)
	items, votes = identify(was, is, reread), make([][]int, len(old))
	for o, n := range items {
		if n >= 0 {
			votes[o] = identify(was[o].apart(old[o].Votes), is[n].apart(now[n].Votes), reread)
		}
	}
	return items, votes
}

// apart returns an item for each vote of an item.
func (it *item) apart(votes []record.Vote) []item {
	out := make([]item, len(votes))
	for i := range votes {
		out[i] = item{page: council.OrZero(votes[i].Page), votes: it.votes[i : i+1]}
	}
	return out
}

func identify(old, now []item, reread bool) []int {
	m := newMatcher(old, now)
	title := func(it *item) string { return "title:" + it.title }
	allowed := func(o, n *item) bool { return !o.filesDiffer(n) }
	// The city's own file number decides, with two exceptions. Votes may disagree under another title.
	// Or the number in the minutes may come from the outline because of similar titles, and the
	// outline item now has another title.
	m.match(func(it *item) string { return it.file }, m.unique(func(o, n *item) bool {
		return o.title == n.title || o.votesAgree(n) && (o.onlyInOutline() || !n.onlyInOutline()) ||
			dice(strings.Fields(o.title), strings.Fields(n.title)) >= threshold
	}))
	// The portal's file number was assigned because titles are similar. So it does not decide between
	// items if several have that title, or if the title is another.
	twice := repeatedTitles(old, now)
	m.match(func(it *item) string {
		if len(it.votes) > 0 && twice[it.title] {
			return ""
		}
		return legifileKey(it)
	}, m.unique(func(o, n *item) bool {
		return o.votesAgree(n) && allowed(o, n) && (o.title == n.title || o.onlyInOutline() && n.onlyInOutline())
	}))
	// Items with the same words and votes match. If several are equal, the number decides.
	equal := func(it *item) string { return it.file + "\x00" + it.title + "\x00" + it.voteKey() }
	m.match(equal, m.unique(func(o, n *item) bool {
		return (o.isDistinctive() || o.section == n.section) && allowed(o, n)
	}))
	m.match(func(it *item) string { return equal(it) + "\x00" + it.section }, m.inOrderOfGap(allowed))
	m.match(equal, m.inOrderOfGap(allowed))
	// Items with the same votes of the same people match even if the title was corrected.
	m.match(func(it *item) string {
		if !it.isDistinctive() {
			return ""
		}
		return it.voteKey()
	}, m.unique(func(o, n *item) bool { return similarTitles(o.title, n.title) && allowed(o, n) }))
	if reread {
		m.match(title, m.inPlace(func(o, n *item) bool { return o.page == n.page }))
	}
	// Items between the same neighbours match, because votes were added, or votes or titles were
	// corrected.
	m.match(title, m.uniqueInGap(func(o, n *item) bool {
		return (len(o.votes) == 0 || len(n.votes) == 0) && allowed(o, n)
	}))
	m.match(func(*item) string { return "all" }, m.uniqueInGap(func(o, n *item) bool {
		return o.votesAgree(n) && allowed(o, n) && (o.title == n.title || similarTitles(o.title, n.title))
	}))
	// A title that occurs once in each list matches if one side has no votes.
	m.match(title, m.unique(func(o, n *item) bool {
		return o.title != "" && !twice[o.title] && (reread || len(o.votes) == 0 || len(n.votes) == 0) && allowed(o, n)
	}))
	return m.pairs
}

func repeatedTitles(lists ...[]item) map[string]bool {
	twice := map[string]bool{}
	for _, list := range lists {
		seen := map[string]bool{}
		for i := range list {
			twice[list[i].title] = twice[list[i].title] || seen[list[i].title]
			seen[list[i].title] = true
		}
	}
	return twice
}

// A roll is a vote and its item, from the minutes or from the portal's record.
type roll struct {
	*record.Vote
	Item      *record.Item
	ItemIndex int
	key       item
}

// rollsOf lists the selected votes of the items.
func rollsOf(items []record.Item, selected func(*record.Vote) bool) []roll {
	var rolls []roll
	for i := range items {
		it := &items[i]
		for k := range it.Votes {
			if v := &it.Votes[k]; selected(v) {
				rolls = append(rolls, roll{v, it, i, newItem(it)})
			}
		}
	}
	return rolls
}

// maxAligned is the largest number of votes of one item that are paired by content. If there are
// more, they are paired in order.
const maxAligned = 60

// pairRolls finds each roll of the minutes among the recorded rolls: first by file, then by number and
// title, then by title. Rolls with the same key are paired in order. If one list is longer, the best
// pairs are made. It returns indices into recorded, or -1 for a roll without a partner.
func pairRolls(minutes, recorded []roll) []int {
	m := newMatcher(minutes, recorded)
	alignVotes := m.align(likeness)
	pair := func(old, now []int) {
		if n := min(len(old), len(now)); len(old) == len(now) || len(old) > maxAligned || len(now) > maxAligned {
			m.inOrder(old[:n], now[:n])
			return
		}
		alignVotes(old, now)
	}
	m.match(func(r *roll) string { return r.key.file }, pair)
	m.match(func(r *roll) string {
		if r.key.number == "" || r.key.title == "" {
			return ""
		}
		return r.key.number + " " + shortTitle(r.key.title)
	}, pair)
	m.match(func(r *roll) string { return shortTitle(r.key.title) }, pair)
	return m.pairs
}

// likeness returns the weight of a pair of votes, which is never 0.
func likeness(m, r *roll) float64 {
	n := 1.0
	if m.Result == r.Result {
		n += 2
	}
	if m.AyesCount == r.AyesCount && m.NaysCount == r.NaysCount {
		n += 3
	}
	return n
}

// shortTitle returns the beginning of a title as a key, or "" if the title is too short to
// distinguish items.
func shortTitle(title string) string {
	if len(title) < 12 {
		return ""
	}
	return title[:min(len(title), 60)]
}
