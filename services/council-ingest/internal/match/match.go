// Package match pairs the items and votes of two records of one meeting.
//
// One engine (matcher.go) runs three sets of rules. Outline pairs the portal's agenda with the
// minutes. Identify finds stored items and votes in newer minutes. Compare pairs the votes of the
// minutes with the votes that the portal records, and lists their differences. The rules make only
// certain pairs: an id must never come to identify another vote.
//
// The package is pure: it accesses no tables and no portals.
package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// An item has the properties that identify an agenda item. To compare the votes of one item, each
// becomes an item with a page and one vote. Texts are folded.
type item struct {
	file     string // the city's file number
	legifile int64  // the portal's number of the file
	title    string
	section  string
	number   string
	page     int
	votes    []vote
}

// newItem returns an item without its votes.
func newItem(it *record.Item) item {
	return item{file: fold(it.FileNumber), legifile: council.OrZero(it.LegifileID), title: council.FoldName(it.Title),
		section: fold(it.Section), number: fold(it.ItemNumber), page: council.OrZero(it.Page)}
}

func fold(printed *string) string { return council.FoldName(council.Text(printed)) }

func newItems(items []record.Item) []item {
	out := make([]item, len(items))
	for i := range items {
		out[i] = newItem(&items[i])
	}
	return out
}

func newItemsWithVotes(items []record.Item) []item {
	out := newItems(items)
	for i := range items {
		for k := range items[i].Votes {
			out[i].votes = append(out[i].votes, newVote(&items[i].Votes[k]))
		}
	}
	return out
}

// A vote has the texts that identify a vote, folded.
type vote struct {
	motion   string
	outcome  string // printed result, and tally
	mover    string
	seconder string
	roll     string
}

func (v vote) parts() []string { return []string{v.motion, v.outcome, v.mover, v.seconder, v.roll} }

func newVote(v *record.Vote) vote {
	var roll []string
	for _, e := range v.Roll {
		roll = append(roll, string(e.Position)+" "+council.FoldName(e.Member))
	}
	slices.Sort(roll)
	return vote{
		motion:   council.FoldName(v.MotionText),
		outcome:  fmt.Sprint(v.ResultRaw, "|", v.AyesCount, "|", v.NaysCount),
		mover:    fold(v.Mover),
		seconder: fold(v.Seconder),
		roll:     strings.Join(roll, ", "),
	}
}

// near reports whether one vote can be a correction of the other. At most two of the five parts may
// differ, and the motion only by a few words. At least as many parts must be equal and not empty.
func (v vote) near(o vote) bool {
	if v.motion != o.motion && v.motion != "" && o.motion != "" &&
		dice(strings.Fields(v.motion), strings.Fields(o.motion)) < threshold {
		return false
	}
	differ, agree := 0, 0
	others := o.parts()
	for i, part := range v.parts() {
		switch {
		case part != others[i]:
			differ++
		case part != "":
			agree++
		}
	}
	return differ == 0 || differ <= 2 && agree >= differ
}

// voteKey is equal for items with equal votes. It is "" for items without votes.
func (it *item) voteKey() string {
	if len(it.votes) == 0 {
		return ""
	}
	return fmt.Sprintf("%#v", it.votes)
}

// isDistinctive reports whether the votes name so many people that another item is unlikely to have
// the same votes.
func (it *item) isDistinctive() bool {
	n := 0
	for _, v := range it.votes {
		for _, text := range []string{v.mover, v.seconder, v.roll} {
			if text != "" {
				n++
			}
		}
	}
	return n >= 2
}

// votesAgree reports whether two items can be the same according to their votes. An item without
// votes agrees with every item.
func (it *item) votesAgree(o *item) bool {
	if len(it.votes) == 0 || len(o.votes) == 0 {
		return true
	}
	return slices.ContainsFunc(it.votes, func(v vote) bool { return slices.ContainsFunc(o.votes, v.near) })
}

// onlyInOutline reports whether an item seems to come only from the portal's outline. Other items
// got the portal's file number because their titles are similar.
func (it *item) onlyInOutline() bool { return it.page == 0 && len(it.votes) == 0 }

// filesDiffer reports whether two items belong to different files, according to their printed
// numbers or to the portal's links. If items have the same title in the minutes, their links may be
// swapped.
func (it *item) filesDiffer(o *item) bool {
	return it.file != "" && o.file != "" && it.file != o.file ||
		it.legifile != 0 && o.legifile != 0 && it.legifile != o.legifile &&
			(it.title != o.title || it.onlyInOutline() && o.onlyInOutline())
}

const threshold = 0.6

// similarTitles reports whether one title can be a corrected or truncated form of the other.
func similarTitles(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return dice(x, y) >= threshold || isPrefix(x, y)
}

func isPrefix(a, b []string) bool {
	short := min(len(a), len(b))
	return short >= 3 && slices.Equal(a[:short], b[:short])
}

// dice returns twice the number of common words divided by the number of all words.
func dice(a, b []string) float64 {
	count := make(map[string]int, len(a))
	for _, w := range a {
		count[w]++
	}
	common := 0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}
