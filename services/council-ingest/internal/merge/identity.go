package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// An id never comes to name another vote. So items and votes are recognised by what a person would go by, and what cannot be
// distinguished gets a new id; the old one is retired.

// A trait is what an item is recognised by, or a vote among those of its item.
type trait struct {
	file     string // the city's number of the file, folded; "" without one, as with votes
	legifile int64
	title    string // folded; "" for votes
	section  string
	number   string
	page     int32
	votes    []ballot // of an item all, of a vote itself
}

// A ballot is what was decided, by whom.
type ballot struct {
	motion   string // folded
	outcome  string // result as printed, and tally
	mover    int64
	seconder int64
	roll     string
}

func ballotOf(v *voteRow, roll []positionRow) ballot {
	b := ballot{motion: council.FoldName(v.MotionText), outcome: fmt.Sprint(v.ResultRaw, "|", v.AyesCount, "|", v.NaysCount), mover: orZero(v.MoverID), seconder: orZero(v.SeconderID)}
	names := make([]string, len(roll))
	for i, p := range roll {
		names[i] = fmt.Sprint(p.Position, p.MemberID)
	}
	slices.Sort(names)
	b.roll = strings.Join(names, " ")
	return b
}

// itemTraits are the traits of the items of a meeting, and voteTraits those of its votes by item.
func (r *rows) traits() (items []trait, votes map[int64][]trait) {
	votes = map[int64][]trait{}
	for i := range r.votes {
		v := &r.votes[i]
		votes[v.ItemID] = append(votes[v.ItemID], trait{page: orZero(v.SourcePage), votes: []ballot{ballotOf(v, r.positions[v.ID])}})
	}
	for i := range r.items {
		it := &r.items[i]
		t := trait{file: council.FoldName(deref(it.FileNumber)), legifile: orZero(it.LegifileID), title: council.FoldName(it.Title),
			section: council.FoldName(deref(it.Section)), number: council.FoldName(deref(it.ItemNumber)), page: orZero(it.SourcePage)}
		for _, v := range votes[it.ID] {
			t.votes = append(t.votes, v.votes...)
		}
		items = append(items, t)
	}
	return items, votes
}

// content is all that was voted, as a key; "" when nothing was.
func (t *trait) content() string {
	if len(t.votes) == 0 {
		return ""
	}
	return fmt.Sprintf("%#v", t.votes)
}

// distinctive reports whether the votes name so many people that others would hardly have done the same.
func (t *trait) distinctive() bool {
	n := 0
	for _, v := range t.votes {
		for _, said := range []bool{v.mover != 0, v.seconder != 0, v.roll != ""} {
			if said {
				n++
			}
		}
	}
	return n >= 2
}

// near reports whether a ballot can be the other after a correction: at most two of its five parts differ, words of the motion only a little,
// and of two that differ the rest must say something.
func (b ballot) near(o ballot) bool {
	if b.motion != o.motion && b.motion != "" && o.motion != "" && dice(strings.Fields(b.motion), strings.Fields(o.motion)) < threshold {
		return false
	}
	differ, agree := 0, 0
	for _, part := range []struct{ same, said bool }{{b.motion == o.motion, b.motion != ""}, {b.outcome == o.outcome, true}, {b.mover == o.mover, b.mover != 0},
		{b.seconder == o.seconder, b.seconder != 0}, {b.roll == o.roll, b.roll != ""}} {
		switch {
		case !part.same:
			differ++
		case part.said:
			agree++
		}
	}
	return differ == 0 || differ <= 2 && agree >= differ
}

// alike reports whether two items, or votes, can be one by what was voted. One without votes can be any.
func (t *trait) alike(o *trait) bool {
	if len(t.votes) == 0 || len(o.votes) == 0 {
		return true
	}
	for _, v := range t.votes {
		if slices.ContainsFunc(o.votes, v.near) {
			return true
		}
	}
	return false
}

// outlined reports whether an item stands on the portal's outline alone, as far as one can see: the portal's file of any other was joined to
// it by similar titles.
func (t *trait) outlined() bool { return t.page == 0 && len(t.votes) == 0 }

// barred reports whether two items are of two files: by the numbers that they print, or by the portal's own links, which may have been
// swapped between those of one title in the minutes.
func (t *trait) barred(o *trait) bool {
	return t.file != "" && o.file != "" && t.file != o.file ||
		t.legifile != 0 && o.legifile != 0 && t.legifile != o.legifile && (t.title != o.title || t.outlined() && o.outlined())
}

// An identifier finds for each of the old its new self.
type identifier struct {
	old, now []trait
	to       []int // index into now; -1: not recognised
	taken    []bool
	// Gaps: how many recognised neighbours, that kept their order, stand before each.
	oldGap, nowGap []int
}

// identify finds each stored item, or vote of an item, among what is wanted: -1 for what is not there any more, or not with
// certainty. reread says that both were read from the same document, so that nothing was put in or taken out by the clerk.
func identify(old, now []trait, reread bool) []int {
	d := &identifier{old: old, now: now, to: slices.Repeat([]int{-1}, len(old)), taken: make([]bool, len(now))}
	d.find()
	title := func(t *trait) string { return "title:" + t.title }
	// The number of a file is the city's own. Votes of which nothing agrees under another title speak against it, and so does an item of the outline
	// under another title where minutes had one: theirs can be the outline's number, joined to them by similar titles.
	d.match(func(t *trait) string { return t.file }, d.one(func(o, n *trait) bool {
		return o.title == n.title || o.alike(n) && (o.outlined() || !n.outlined()) || dice(strings.Fields(o.title), strings.Fields(n.title)) >= threshold
	}))
	// The portal's file is joined to minutes by similar titles, so it decides nothing between votes of one title, and nothing under another title.
	twice := repeated(old, now)
	d.match(func(t *trait) string {
		if t.legifile == 0 || len(t.votes) > 0 && twice[t.title] {
			return ""
		}
		return fmt.Sprint(t.legifile)
	}, d.one(func(o, n *trait) bool {
		return o.alike(n) && !o.barred(n) && (o.title == n.title || o.outlined() && n.outlined())
	}))
	// The same words and the same votes. Where several are the same in all of that, their number must be, too.
	equal := func(t *trait) string { return t.file + "\x00" + t.title + "\x00" + t.content() }
	d.match(equal, d.one(func(o, n *trait) bool { return (o.distinctive() || o.section == n.section) && !o.barred(n) }))
	d.match(func(t *trait) string { return equal(t) + "\x00" + t.section }, d.allInGap)
	d.match(equal, d.allInGap)
	// The same votes of the same people under a corrected title.
	d.match(func(t *trait) string {
		if !t.distinctive() {
			return ""
		}
		return t.content()
	}, d.one(func(o, n *trait) bool { return similarTitles(o.title, n.title) && !o.barred(n) }))
	if reread {
		d.match(title, d.inOrder)
	}
	// In place between the same neighbours: an item gets its votes, votes or titles are corrected.
	d.match(title, d.only(func(o, n *trait) bool { return (len(o.votes) == 0 || len(n.votes) == 0) && !o.barred(n) }))
	d.match(func(*trait) string { return "all" }, d.only(func(o, n *trait) bool {
		return o.alike(n) && !o.barred(n) && (o.title == n.title || similarTitles(o.title, n.title))
	}))
	// A title that stands once before and after, with no votes to know it by.
	d.match(title, d.one(func(o, n *trait) bool {
		return o.title != "" && !twice[o.title] && (reread || len(o.votes) == 0 || len(n.votes) == 0) && !o.barred(n)
	}))
	return d.to
}

// repeated are the titles that stand more than once in one of the lists.
func repeated(lists ...[]trait) map[string]bool {
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

// match gives every group of old and new ones with the same key, that nobody has recognised yet, to a rule; "" is no key.
func (d *identifier) match(key func(*trait) string, rule func(old, now []int)) {
	type group struct{ old, now []int }
	groups := map[string]*group{}
	var order []*group
	at := func(t *trait) *group {
		k := key(t)
		if k == "" {
			return &group{}
		}
		if groups[k] == nil {
			groups[k] = &group{}
			order = append(order, groups[k])
		}
		return groups[k]
	}
	for i := range d.old {
		if d.to[i] < 0 {
			g := at(&d.old[i])
			g.old = append(g.old, i)
		}
	}
	for j := range d.now {
		if !d.taken[j] {
			g := at(&d.now[j])
			g.now = append(g.now, j)
		}
	}
	for _, g := range order {
		if len(g.old) > 0 && len(g.now) > 0 {
			rule(g.old, g.now)
		}
	}
	d.find()
}

func (d *identifier) set(o, n int) { d.to[o], d.taken[n] = n, true }

// one matches the only old one with the only new one.
func (d *identifier) one(may func(o, n *trait) bool) func(old, now []int) {
	return func(old, now []int) {
		if len(old) == 1 && len(now) == 1 && may(&d.old[old[0]], &d.now[now[0]]) {
			d.set(old[0], now[0])
		}
	}
}

// gaps parts a group by the gap in which its members stand.
func (d *identifier) gaps(old, now []int, each func(old, now []int)) {
	for len(old) > 0 && len(now) > 0 {
		gap := min(d.oldGap[old[0]], d.nowGap[now[0]])
		o := cutGap(&old, d.oldGap, gap)
		if n := cutGap(&now, d.nowGap, gap); len(o) > 0 && len(n) > 0 {
			each(o, n)
		}
	}
}

func cutGap(list *[]int, gaps []int, gap int) []int {
	n := 0
	for n < len(*list) && gaps[(*list)[n]] == gap {
		n++
	}
	head := (*list)[:n]
	*list = (*list)[n:]
	return head
}

// allInGap matches members that are equal, in order, where a gap has as many after as before.
func (d *identifier) allInGap(old, now []int) {
	d.gaps(old, now, func(old, now []int) {
		if len(old) != len(now) {
			return
		}
		for k := range old {
			if !d.old[old[k]].barred(&d.now[now[k]]) {
				d.set(old[k], now[k])
			}
		}
	})
}

// inOrder matches all members in order if they are as many after as before, on the same pages and between the same neighbours.
func (d *identifier) inOrder(old, now []int) {
	if len(old) != len(now) {
		return
	}
	for k := range old {
		if d.old[old[k]].page != d.now[now[k]].page || d.oldGap[old[k]] != d.nowGap[now[k]] {
			return
		}
	}
	for k := range old {
		d.set(old[k], now[k])
	}
}

// only matches, within a gap, whose only candidate the other is, both ways.
func (d *identifier) only(may func(o, n *trait) bool) func(old, now []int) {
	return func(old, now []int) {
		d.gaps(old, now, func(old, now []int) {
			if len(old)*len(now) > maxAlign {
				return
			}
			choice, rivals := map[int]int{}, map[int]int{}
			for _, o := range old {
				count := 0
				for _, n := range now {
					if may(&d.old[o], &d.now[n]) {
						choice[o] = n
						rivals[n]++
						count++
					}
				}
				if count != 1 {
					delete(choice, o)
				}
			}
			for _, o := range old {
				if n, is := choice[o]; is && rivals[n] == 1 {
					d.set(o, n)
				}
			}
		})
	}
}

// find finds the gaps: between those that are recognised and kept their order, the longest row of such.
func (d *identifier) find() {
	// tails[k] is the old one that ends the best row of k+1; before leads back.
	var tails []int
	before := make([]int, len(d.old))
	for o, n := range d.to {
		if n < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(tails, n, func(t, n int) int { return d.to[t] - n })
		if before[o] = -1; k > 0 {
			before[o] = tails[k-1]
		}
		tails = append(tails[:k], append([]int{o}, tails[min(k+1, len(tails)):]...)...)
	}
	anchorOld, anchorNow := make([]bool, len(d.old)), make([]bool, len(d.now))
	if len(tails) > 0 {
		for o := tails[len(tails)-1]; o >= 0; o = before[o] {
			anchorOld[o], anchorNow[d.to[o]] = true, true
		}
	}
	d.oldGap, d.nowGap = count(anchorOld), count(anchorNow)
}

// count is how many are true before each.
func count(anchors []bool) []int {
	out, n := make([]int, len(anchors)), 0
	for i, is := range anchors {
		out[i] = n
		if is {
			n++
		}
	}
	return out
}

// similarTitles reports whether one title can be the other, corrected or cut.
func similarTitles(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	short := min(len(x), len(y))
	return dice(x, y) >= threshold || short >= 3 && equal(x[:short], y[:short])
}

func orZero[N int32 | int64](n *N) N {
	if n == nil {
		return 0
	}
	return *n
}
