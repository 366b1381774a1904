package townline_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

type listedVote struct {
	ID         int64
	ItemTitle  string  `json:"item_title"`
	ItemNumber *string `json:"item_number"`
	Result     string
	Ayes       int `json:"ayes_count"`
	Nays       int `json:"nays_count"`
	Positions  []plainPosition
}

// A shownItem is an item on the page of its meeting. The items of a consent block share one vote.
type shownItem struct{ heading, votes nodes }

// outcome returns the outcome of a vote as pages write it.
func (v *listedVote) outcome() string {
	if v.Ayes == 0 && v.Nays == 0 {
		return v.Result + " no tally printed"
	}
	return fmt.Sprintf("%s %d to %d", v.Result, v.Ayes, v.Nays)
}

// outcomes returns the outcomes of the votes in elements.
func (ns nodes) outcomes() []string {
	list := []string{}
	words, counts := ns.all("span", "outcome"), ns.all("b", "count").texts()
	for i, w := range words {
		list = append(list, strings.TrimPrefix(attribute(w, "class"), "outcome ")+" "+counts[i])
	}
	return list
}

// numbered returns a title with its number first, as on pages.
func numbered(number *string, title string) string {
	if number != nil {
		return folded(*number + " " + title)
	}
	return folded(title)
}

// compareMeetings compares pages of meetings with the JSON: the order of items, the outcome of each
// vote, and its roll call.
func (h *councilHalf) compareMeetings(t *testing.T, most int) {
	t.Helper()
	type key struct {
		ID int64 `json:"iqm2_id"`
	}
	votes := 0
	for _, m := range spread(walkAll[key](t, h, "/meetings?limit=200"), most) {
		path := fmt.Sprintf("/meetings/%d", m.ID)
		var meeting struct {
			Items []struct {
				ItemNumber *string `json:"item_number"`
				Title      string
				Votes      []listedVote
			}
		}
		h.get(t, path, &meeting)
		var items []shownItem
		for _, section := range h.page(t, path).all("section", "item") {
			block := nodes{section}
			votes := block.all("div", "vote")
			if !strings.Contains(attribute(section, "class"), "consent") {
				items = append(items, shownItem{block, votes})
				continue
			}
			for _, li := range block.all("li", "") {
				one := shownItem{heading: nodes{li}}
				if len(one.heading.all("h3", "").all("a", "")) > 0 { // its vote is shown once for all items
					one.votes = votes
				}
				items = append(items, one)
			}
		}
		if len(items) != len(meeting.Items) {
			t.Errorf("%s shows %d items of %d", path, len(items), len(meeting.Items))
			continue
		}
		for i, it := range meeting.Items {
			var want []string
			title, got := numbered(it.ItemNumber, it.Title), items[i].heading.all("h3", "").texts()
			repeated := i > 0 && len(it.Votes) > 0 && it.ItemNumber != nil &&
				title == numbered(meeting.Items[i-1].ItemNumber, meeting.Items[i-1].Title)
			if !repeated {
				want = append(want, title)
			}
			for _, v := range it.Votes {
				votes++
				want = append(want, v.outcome())
				for _, p := range []string{"aye", "nay", "abstain", "absent", "recused"} {
					for _, one := range v.Positions {
						if string(one.Position) == p {
							want = append(want, p+" "+folded(one.MemberName))
						}
					}
				}
			}
			for _, v := range items[i].votes {
				got = append(got, nodes{v}.outcomes()...)
				for _, row := range (nodes{v}).all("table", "roll").all("tbody", "").all("tr", "") {
					for _, name := range (nodes{row}).all("a", "").texts() {
						got = append(got, attribute(row, "class")+" "+name)
					}
				}
			}
			if d := gocmp.Diff(want, got); d != "" {
				t.Errorf("%s, item %d (-JSON +page)\n%s", path, i+1, d)
			}
		}
	}
	t.Logf("%d votes on pages of meetings match the JSON", votes)
}

// compareLists compares lists with the JSON: the votes of a search, the count of each topic, and
// the changes, which the page groups.
func (h *councilHalf) compareLists(t *testing.T) {
	t.Helper()
	for _, query := range []string{"", "?split=true", "?result=failed"} {
		sep := map[bool]string{true: "?", false: "&"}[query == ""]
		found, _ := listPage[listedVote](t, h, "/search/votes"+query+sep+"limit=15", "")
		page := h.page(t, "/votes"+query).all("ul", "votes")
		want := []string{}
		for i := range found {
			want = append(want, numbered(found[i].ItemNumber, found[i].ItemTitle)+": "+found[i].outcome())
		}
		got, titles := page.outcomes(), page.all("p", "about").texts()
		for i := range got {
			got[i] = titles[i] + ": " + got[i]
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("/votes%s (-JSON +page)\n%s", query, d)
		}
	}

	var topics struct {
		Data []struct {
			Count int
			Split int `json:"split_votes"`
		}
		Unclassified int
	}
	h.get(t, "/topics", &topics)
	want := []string{}
	for _, topic := range topics.Data {
		want = append(want, strconv.Itoa(topic.Count), strconv.Itoa(topic.Split))
	}
	if d := gocmp.Diff(append(want, strconv.Itoa(topics.Unclassified), ""),
		h.page(t, "/topics").all("td", "n").texts()); d != "" {
		t.Errorf("/topics (-JSON +page)\n%s", d)
	}
	h.compareChanges(t)
}

var (
	publishedVotes = regexp.MustCompile(`· ([0-9,]+) votes?\b`)
	publishedNames = regexp.MustCompile(`· ([0-9,]+) new members?\b`)
)

// compareChanges compares the number of entries on all pages of /changes with the JSON.
func (h *councilHalf) compareChanges(t *testing.T) {
	t.Helper()
	want, got := map[string]int{}, map[string]int{}
	for _, r := range walkAll[struct{ Kind string }](t, h, "/changes?limit=200") {
		if strings.HasPrefix(r.Kind, "vote_") || r.Kind == "member_added" {
			want[r.Kind]++
		}
	}
	add := func(kind string, n int) {
		if n > 0 {
			got[kind] += n
		}
	}
	for path := "/changes"; path != ""; {
		page := h.page(t, path)
		for _, line := range page.all("li", "entry") {
			text := nodes{line}.all("p", "").texts()[0]
			what, _, _ := strings.Cut(text, ":")
			count := func(re *regexp.Regexp) int {
				m := re.FindStringSubmatch(text)
				if m == nil {
					return 0
				}
				n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			votes, names := count(publishedVotes), count(publishedNames)
			if names+votes == 0 { // the page has no other entries
				votes, names = map[bool]int{true: 1}[what == "First published"], map[bool]int{true: 1}[what == "member added"]
			}
			add("vote_added", votes)
			add("member_added", names)
			add("vote_changed", map[bool]int{true: 1}[what == "corrected"])
			add("vote_removed", map[bool]int{true: 1}[what == "removed"])
		}
		path = ""
		for _, a := range page.all("nav", "pager").all("a", "") {
			if attribute(a, "rel") == "next" {
				path = attribute(a, "href")
			}
		}
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("/changes (-JSON +page)\n%s", d)
	}
}
