package match

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// Outline finds for each item of the portal's outline the same item of the minutes: by file, by
// title and number, by natural key, several of one in order if both have as many; then by
// legislative file; then by a title that no other has, for the outline often lacks the file numbers
// that minutes print; then by the most similar titles that keep the order of both. It returns
// indices into minutes, -1 for what has no partner. Nobody gets two partners, and nothing is paired
// for its place alone.
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
	m.match(func(it *Item) string {
		if it.Legifile == 0 {
			return ""
		}
		return fmt.Sprint(it.Legifile)
	}, m.inOrder)
	m.match(func(it *Item) string { return it.Title }, m.inOrder)
	m.match(func(*Item) string { return "rest" }, m.align(similarity))
	return m.to
}

// similarity says how alike two items are, from 0 to about 1.2: the share of words that their
// titles have in common, a little more for the same number and section. It is 0 below the
// threshold.
func similarity(a, b *Item) float64 {
	x, y := strings.Fields(a.Title), strings.Fields(b.Title)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	s := dice(x, y)
	if beginsAlike(x, y) {
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

// Identify finds each stored item, or vote of an item, in a newer reading: -1 for what is not there
// any more, or not with certainty. reread says that both were read from the same document, so that
// the clerk put nothing in and took nothing out.
func Identify(old, now []Item, reread bool) []int {
	m := newMatcher(old, now)
	title := func(it *Item) string { return "title:" + it.Title }
	allowed := func(o, n *Item) bool { return !o.barred(n) }
	// The number of a file is the city's own. Votes of which nothing agrees under another title speak
	// against it, and so does an item of the outline under another title where minutes had one: theirs
	// can be the outline's number, joined by similar titles.
	m.match(func(it *Item) string { return it.File }, m.one(func(o, n *Item) bool {
		return o.Title == n.Title || o.alike(n) && (o.outlined() || !n.outlined()) ||
			dice(strings.Fields(o.Title), strings.Fields(n.Title)) >= threshold
	}))
	// The portal's file is joined to minutes by similar titles, so it decides nothing between votes of
	// one title, and nothing under another title.
	twice := repeated(old, now)
	m.match(func(it *Item) string {
		if it.Legifile == 0 || len(it.Votes) > 0 && twice[it.Title] {
			return ""
		}
		return fmt.Sprint(it.Legifile)
	}, m.one(func(o, n *Item) bool {
		return o.alike(n) && allowed(o, n) && (o.Title == n.Title || o.outlined() && n.outlined())
	}))
	// The same words and the same votes. Where several are the same in all of that, their number must
	// be, too.
	equal := func(it *Item) string { return it.File + "\x00" + it.Title + "\x00" + it.content() }
	m.match(equal, m.one(func(o, n *Item) bool { return (o.distinctive() || o.Section == n.Section) && allowed(o, n) }))
	m.match(func(it *Item) string { return equal(it) + "\x00" + it.Section }, m.allInGap(allowed))
	m.match(equal, m.allInGap(allowed))
	// The same votes of the same people under a corrected title.
	m.match(func(it *Item) string {
		if !it.distinctive() {
			return ""
		}
		return it.content()
	}, m.one(func(o, n *Item) bool { return similarTitles(o.Title, n.Title) && allowed(o, n) }))
	if reread {
		m.match(title, m.inPlace(func(o, n *Item) bool { return o.Page == n.Page }))
	}
	// In place between the same neighbours: an item gets its votes, votes or titles are corrected.
	m.match(title, m.onlyInGap(func(o, n *Item) bool { return (len(o.Votes) == 0 || len(n.Votes) == 0) && allowed(o, n) }))
	m.match(func(*Item) string { return "all" }, m.onlyInGap(func(o, n *Item) bool {
		return o.alike(n) && allowed(o, n) && (o.Title == n.Title || similarTitles(o.Title, n.Title))
	}))
	// A title that stands once before and after, with no votes to know it by.
	m.match(title, m.one(func(o, n *Item) bool {
		return o.Title != "" && !twice[o.Title] && (reread || len(o.Votes) == 0 || len(n.Votes) == 0) && allowed(o, n)
	}))
	return m.to
}

// repeated are the titles that stand more than once in one of the lists.
func repeated(lists ...[]Item) map[string]bool {
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

// A Roll is a vote of an item as two witnesses are compared by it.
type Roll struct {
	Item       Item
	Result     council.Result
	Ayes, Nays int
}

// maxAligned is how many votes of one item are distinguished by what they say; more are paired by
// their order alone.
const maxAligned = 60

// Rolls finds for each roll of the minutes the recorded one: by file, then by number and title,
// then by title. Of several of one key the order decides; where one list is longer, those are left
// out whose absence makes the others agree best. It returns indices into recorded, -1 for what has
// no partner.
func Rolls(minutes, recorded []Roll) []int {
	m := newMatcher(minutes, recorded)
	likest := m.align(likeness)
	pair := func(old, now []int) {
		if n := min(len(old), len(now)); len(old) == len(now) || len(old) > maxAligned || len(now) > maxAligned {
			m.inOrder(old[:n], now[:n])
			return
		}
		likest(old, now)
	}
	m.match(func(r *Roll) string { return r.Item.File }, pair)
	m.match(func(r *Roll) string {
		if r.Item.Number == "" || r.Item.Title == "" {
			return ""
		}
		return r.Item.Number + " " + head(r.Item.Title)
	}, pair)
	m.match(func(r *Roll) string { return head(r.Item.Title) }, pair)
	return m.to
}

// likeness says how much two votes look like one; any two do a little.
func likeness(m, r *Roll) float64 {
	n := 1.0
	if m.Result == r.Result {
		n += 2
	}
	if m.Ayes == r.Ayes && m.Nays == r.Nays {
		n += 3
	}
	return n
}

// head is the beginning of a title, by which it is known; "" where it is too short to distinguish
// items.
func head(title string) string {
	if len(title) < 12 {
		return ""
	}
	return title[:min(len(title), 60)]
}
