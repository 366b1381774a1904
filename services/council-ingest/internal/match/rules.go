package match

import (
	"fmt"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Outline finds each item of the portal's outline in the minutes. It compares file; title and
// number; the most specific of file, title and number; legislative file; title; and finally similar
// titles in the order of both lists. It returns indices into minutes, -1 for an item without
// partner. Position alone never makes a pair.
func Outline(outline, minutes []Item) []int {
	m := newMatcher(outline, minutes)
	m.match(func(it *Item) string { return it.File }, m.inOrder)
	m.match(func(it *Item) string {
		if it.Number == "" || it.Title == "" {
			return ""
		}
		return it.Title + "\x00" + it.Number
	}, m.inOrder)
	m.match(func(it *Item) string {
		switch {
		case it.File != "":
			return "file:" + it.File
		case it.Title != "":
			return "title:" + it.Title
		}
		return "number:" + it.Number
	}, m.inOrder)
	m.match(legifileKey, m.inOrder)
	// The outline often lacks the file numbers that minutes print.
	m.match(func(it *Item) string { return it.Title }, m.inOrder)
	m.match(func(*Item) string { return "rest" }, m.align(similarity))
	return m.pairs
}

func legifileKey(it *Item) string {
	if it.Legifile == 0 {
		return ""
	}
	return fmt.Sprint(it.Legifile)
}

// similarity is the share of common words of two titles, plus 0.1 each for the same number and the
// same section; 0 if below the threshold.
func similarity(a, b *Item) float64 {
	x, y := strings.Fields(a.Title), strings.Fields(b.Title)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	s := dice(x, y)
	if isPrefix(x, y) {
		s = max(s, 0.9)
	}
	if a.Number != "" && a.Number == b.Number {
		s += 0.1
	}
	if a.Section == b.Section {
		s += 0.1
	}
	if s < threshold {
		return 0
	}
	return s
}

// Identify finds each stored item, or vote of an item, in newer minutes; -1 if it is gone or
// uncertain. reread means that both come from the same document, so nothing was inserted or
// removed.
func Identify(old, now []Item, reread bool) []int {
	m := newMatcher(old, now)
	title := func(it *Item) string { return "title:" + it.Title }
	allowed := func(o, n *Item) bool { return !o.filesDiffer(n) }
	// The city's own file number decides, with two exceptions. Votes may disagree under another title.
	// Or an item of the minutes may be an outline item under another title now, because the minutes'
	// number can come from the outline by similar titles.
	m.match(func(it *Item) string { return it.File }, m.unique(func(o, n *Item) bool {
		return o.Title == n.Title || o.votesAgree(n) && (o.onlyInOutline() || !n.onlyInOutline()) ||
			dice(strings.Fields(o.Title), strings.Fields(n.Title)) >= threshold
	}))
	// The portal's file was assigned by similar titles, so it does not decide between votes with the
	// same title or under another title.
	twice := repeatedTitles(old, now)
	m.match(func(it *Item) string {
		if len(it.Votes) > 0 && twice[it.Title] {
			return ""
		}
		return legifileKey(it)
	}, m.unique(func(o, n *Item) bool {
		return o.votesAgree(n) && allowed(o, n) && (o.Title == n.Title || o.onlyInOutline() && n.onlyInOutline())
	}))
	// The same words and votes; of several equal items, the same number as before.
	equal := func(it *Item) string { return it.File + "\x00" + it.Title + "\x00" + it.voteKey() }
	m.match(equal, m.unique(func(o, n *Item) bool {
		return (o.isDistinctive() || o.Section == n.Section) && allowed(o, n)
	}))
	m.match(func(it *Item) string { return equal(it) + "\x00" + it.Section }, m.inOrderOfGap(allowed))
	m.match(equal, m.inOrderOfGap(allowed))
	// The same votes of the same people under a corrected title.
	m.match(func(it *Item) string {
		if !it.isDistinctive() {
			return ""
		}
		return it.voteKey()
	}, m.unique(func(o, n *Item) bool { return similarTitles(o.Title, n.Title) && allowed(o, n) }))
	if reread {
		m.match(title, m.inPlace(func(o, n *Item) bool { return o.Page == n.Page }))
	}
	// Items between the same neighbours match: votes were added, or votes or titles were corrected.
	m.match(title, m.uniqueInGap(func(o, n *Item) bool {
		return (len(o.Votes) == 0 || len(n.Votes) == 0) && allowed(o, n)
	}))
	m.match(func(*Item) string { return "all" }, m.uniqueInGap(func(o, n *Item) bool {
		return o.votesAgree(n) && allowed(o, n) && (o.Title == n.Title || similarTitles(o.Title, n.Title))
	}))
	// A title that occurs once before and once after, without votes on one side.
	m.match(title, m.unique(func(o, n *Item) bool {
		return o.Title != "" && !twice[o.Title] && (reread || len(o.Votes) == 0 || len(n.Votes) == 0) && allowed(o, n)
	}))
	return m.pairs
}

// repeatedTitles returns the titles that occur more than once in one of the lists.
func repeatedTitles(lists ...[]Item) map[string]bool {
	twice := map[string]bool{}
	for _, list := range lists {
		seen := map[string]bool{}
		for i := range list {
			twice[list[i].Title] = twice[list[i].Title] || seen[list[i].Title]
			seen[list[i].Title] = true
		}
	}
	return twice
}

// A Roll is a vote with its item, from the minutes or from the portal's record.
type Roll struct {
	*record.Vote
	Item      *record.Item
	ItemIndex int
	key       Item
}

// RollsOf lists the votes of the selected items.
func RollsOf(items []record.Item, selected func(*record.Vote) bool) []Roll {
	var rolls []Roll
	for i := range items {
		it := &items[i]
		for k := range it.Votes {
			if v := &it.Votes[k]; selected(v) {
				rolls = append(rolls, Roll{v, it, i, NewItem(it.FileNumber, it.ItemNumber, nil, it.Title)})
			}
		}
	}
	return rolls
}

// maxAligned is the largest number of votes of one item that are paired by content; more are paired
// in order.
const maxAligned = 60

// Rolls finds each roll of the minutes among the recorded ones: by file, then by number and title,
// then by title. Rolls with the same key are paired in order; if one list is longer, the best pairs
// remain. It returns indices into recorded, -1 for a roll without partner.
func Rolls(minutes, recorded []Roll) []int {
	m := newMatcher(minutes, recorded)
	alignVotes := m.align(likeness)
	pair := func(old, now []int) {
		if n := min(len(old), len(now)); len(old) == len(now) || len(old) > maxAligned || len(now) > maxAligned {
			m.inOrder(old[:n], now[:n])
			return
		}
		alignVotes(old, now)
	}
	m.match(func(r *Roll) string { return r.key.File }, pair)
	m.match(func(r *Roll) string {
		if r.key.Number == "" || r.key.Title == "" {
			return ""
		}
		return r.key.Number + " " + shortTitle(r.key.Title)
	}, pair)
	m.match(func(r *Roll) string { return shortTitle(r.key.Title) }, pair)
	return m.pairs
}

// likeness is the weight of a pair of votes; it is never 0.
func likeness(m, r *Roll) float64 {
	n := 1.0
	if m.Result == r.Result {
		n += 2
	}
	if m.AyesCount == r.AyesCount && m.NaysCount == r.NaysCount {
		n += 3
	}
	return n
}

// shortTitle is the beginning of a title, as a key; "" if too short to distinguish items.
func shortTitle(title string) string {
	if len(title) < 12 {
		return ""
	}
	return title[:min(len(title), 60)]
}
