// Package match pairs the items and votes of two readings of one meeting.
//
// Three callers ask three questions, each with its own rules over one engine (matcher.go): Outline
// joins the portal's agenda to the minutes, Identify finds stored items and votes in a newer
// reading, Rolls finds the votes that two witnesses both have. A pair is certain or there is none:
// an id must never come to name another vote.
//
// The package is pure. It knows neither tables nor portals.
package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// An Item is what an agenda item is recognised by. A vote among the votes of its item is an Item
// that has only a page and itself. Texts are folded.
type Item struct {
	ID       int64  // the caller's; no rule looks at it
	File     string // the city's number of the file
	Legifile int64  // the portal's
	Title    string
	Section  string
	Number   string
	Page     int
	Votes    []Vote
}

// NewItem folds what a source prints of an item.
func NewItem(file, number, section *string, title string) Item {
	return Item{File: fold(file), Number: fold(number), Section: fold(section), Title: council.FoldName(title)}
}

func fold(s *string) string {
	if s == nil {
		return ""
	}
	return council.FoldName(*s)
}

// A Vote is what was decided, by whom.
type Vote struct {
	Motion   string // folded
	Outcome  string // result as printed, and tally
	Mover    string // folded
	Seconder string
	Roll     string
}

// near reports whether a vote can be the other after a correction: at most two of its five parts
// differ, words of the motion only a little, and of two that differ the rest must say something.
func (v Vote) near(o Vote) bool {
	if v.Motion != o.Motion && v.Motion != "" && o.Motion != "" &&
		dice(strings.Fields(v.Motion), strings.Fields(o.Motion)) < threshold {
		return false
	}
	differ, agree := 0, 0
	for _, part := range []struct{ same, said bool }{
		{v.Motion == o.Motion, v.Motion != ""}, {v.Outcome == o.Outcome, true}, {v.Mover == o.Mover, v.Mover != ""},
		{v.Seconder == o.Seconder, v.Seconder != ""}, {v.Roll == o.Roll, v.Roll != ""},
	} {
		switch {
		case !part.same:
			differ++
		case part.said:
			agree++
		}
	}
	return differ == 0 || differ <= 2 && agree >= differ
}

// content is all that was voted, as a key; "" if nothing was.
func (it *Item) content() string {
	if len(it.Votes) == 0 {
		return ""
	}
	return fmt.Sprintf("%#v", it.Votes)
}

// distinctive reports whether the votes name so many people that others would hardly have done the
// same.
func (it *Item) distinctive() bool {
	n := 0
	for _, v := range it.Votes {
		for _, said := range []bool{v.Mover != "", v.Seconder != "", v.Roll != ""} {
			if said {
				n++
			}
		}
	}
	return n >= 2
}

// alike reports whether two items, or votes, can be one by what was voted. One without votes can be
// any.
func (it *Item) alike(o *Item) bool {
	if len(it.Votes) == 0 || len(o.Votes) == 0 {
		return true
	}
	return slices.ContainsFunc(it.Votes, func(v Vote) bool { return slices.ContainsFunc(o.Votes, v.near) })
}

// outlined reports whether an item stands on the portal's outline alone, as far as one can see: the
// portal's file of any other was joined to it by similar titles.
func (it *Item) outlined() bool { return it.Page == 0 && len(it.Votes) == 0 }

// barred reports whether two items are of two files: by the numbers that they print, or by the
// portal's own links, which may have been swapped between those of one title in the minutes.
func (it *Item) barred(o *Item) bool {
	return it.File != "" && o.File != "" && it.File != o.File ||
		it.Legifile != 0 && o.Legifile != 0 && it.Legifile != o.Legifile && (it.Title != o.Title || it.outlined() &&
			o.outlined())
}

// threshold is the least similarity at which two texts are the same one.
const threshold = 0.6

// similarTitles reports whether one title can be the other, corrected or cut.
func similarTitles(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return dice(x, y) >= threshold || beginsAlike(x, y)
}

// beginsAlike reports whether one text is the beginning of the other, such as a title that was cut
// off.
func beginsAlike(a, b []string) bool {
	short := min(len(a), len(b))
	return short >= 3 && slices.Equal(a[:short], b[:short])
}

// dice is twice the common words over all words.
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
