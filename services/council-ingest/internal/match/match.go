// Package match pairs the items and votes of two records of one meeting.
//
// One engine (matcher.go) runs three sets of rules. Outline pairs the portal's agenda with the
// minutes. Identify finds stored items and votes in newer minutes. Rolls pairs the votes of the
// minutes with the votes that the portal records. The rules make only certain pairs: an id must
// never come to identify another vote.
//
// The package is pure: it accesses no tables and no portals.
package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// An Item has the properties that identify an agenda item. To compare the votes of one item, each
// becomes an Item with a page and one vote. Texts are folded.
type Item struct {
	ID       int64  // the caller's id; no rule uses it
	File     string // the city's file number
	Legifile int64  // the portal's number of the file
	Title    string
	Section  string
	Number   string
	Page     int
	Votes    []Vote
}

// NewItem folds the printed texts of an item.
func NewItem(file, number, section *string, title string) Item {
	fold := func(s *string) string { return council.FoldName(council.Text(s)) }
	return Item{File: fold(file), Number: fold(number), Section: fold(section), Title: council.FoldName(title)}
}

// A Vote has the texts that identify a vote, folded.
type Vote struct {
	Motion   string
	Outcome  string // printed result, and tally
	Mover    string
	Seconder string
	Roll     string
}

// near reports whether one vote can be a correction of the other. At most two of the five parts may
// differ, and the motion only by a few words. At least as many parts must be equal and not empty.
func (v Vote) near(o Vote) bool {
	if v.Motion != o.Motion && v.Motion != "" && o.Motion != "" &&
		dice(strings.Fields(v.Motion), strings.Fields(o.Motion)) < threshold {
		return false
	}
	differ, agree := 0, 0
	for _, part := range []struct{ same, stated bool }{
		{v.Motion == o.Motion, v.Motion != ""}, {v.Outcome == o.Outcome, true}, {v.Mover == o.Mover, v.Mover != ""},
		{v.Seconder == o.Seconder, v.Seconder != ""}, {v.Roll == o.Roll, v.Roll != ""},
	} {
		switch {
		case !part.same:
			differ++
		case part.stated:
			agree++
		}
	}
	return differ == 0 || differ <= 2 && agree >= differ
}

// voteKey is equal for items with equal votes. It is "" for items without votes.
func (it *Item) voteKey() string {
	if len(it.Votes) == 0 {
		return ""
	}
	return fmt.Sprintf("%#v", it.Votes)
}

// isDistinctive reports whether the votes name so many people that another item is unlikely to have
// the same votes.
func (it *Item) isDistinctive() bool {
	n := 0
	for _, v := range it.Votes {
		for _, text := range []string{v.Mover, v.Seconder, v.Roll} {
			if text != "" {
				n++
			}
		}
	}
	return n >= 2
}

// votesAgree reports whether two items can be the same according to their votes. An item without
// votes agrees with every item.
func (it *Item) votesAgree(o *Item) bool {
	if len(it.Votes) == 0 || len(o.Votes) == 0 {
		return true
	}
	return slices.ContainsFunc(it.Votes, func(v Vote) bool { return slices.ContainsFunc(o.Votes, v.near) })
}

// onlyInOutline reports whether an item seems to come only from the portal's outline. Other items
// got the portal's file number because their titles are similar.
func (it *Item) onlyInOutline() bool { return it.Page == 0 && len(it.Votes) == 0 }

// filesDiffer reports whether two items belong to different files, according to their printed
// numbers or to the portal's links. If items have the same title in the minutes, their links may be
// swapped.
func (it *Item) filesDiffer(o *Item) bool {
	return it.File != "" && o.File != "" && it.File != o.File ||
		it.Legifile != 0 && o.Legifile != 0 && it.Legifile != o.Legifile &&
			(it.Title != o.Title || it.onlyInOutline() && o.onlyInOutline())
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
