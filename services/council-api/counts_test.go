package councilapi

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// The facets of a search equal counts in Go, and the page of the search shows the same numbers.
func TestFacetsEqualACountInGo(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 7, 40)
	srv := testServer(t, reader)
	api := documented(t, srv)
	topic := council.Topic(topicOf(w))
	for query, keep := range map[string]func(*wVote) bool{
		"":           func(*wVote) bool { return true },
		"split=true": func(v *wVote) bool { return !v.unanimous },
		"split=true&result=adopted&ayes=3": func(v *wVote) bool {
			return !v.unanimous && v.result == council.Adopted && v.ayes == 3
		},
		"topic=" + string(topic): func(v *wVote) bool { return v.item.topic == topic },
		"q=housing&via_consent=false": func(v *wVote) bool {
			return strings.Contains(v.item.title, "housing") && !v.consent
		},
		"from=2024-02-01&to=2024-03-31": func(v *wVote) bool {
			d := v.item.meeting.date.Format("01")
			return d == "02" || d == "03"
		},
		"q=nowhere":                            func(*wVote) bool { return false },
		"mover=" + fmt.Sprint(w.members[2].id): func(v *wVote) bool { return v.mover == w.members[2].id },
	} {
		want := map[string]int64{}
		for i := range w.votes {
			if v := &w.votes[i]; keep(v) {
				want["total"]++
				want["topic "+string(v.item.topic)]++
				want["result "+string(v.result)]++
				want["year "+v.item.meeting.date.Format("2006")]++
				want[fmt.Sprintf("margin %d-%d", v.ayes, v.nays)]++
				want["split "+strconv.FormatBool(!v.unanimous)]++
			}
		}
		var f civic.Facets
		api.Get(t, "/v1/search/votes/facets?"+query).JSON(t, &f)
		got := map[string]int64{"total": f.Total, "split true": f.Split, "split false": f.Unanimous}
		for kind, list := range map[string][]civic.Facet{"topic ": f.Topics, "result ": f.Results, "year ": f.Years,
			"margin ": f.Margins} {
			last := f.Total
			for _, one := range list {
				value := ""
				if one.Value != nil {
					value = *one.Value
				}
				got[kind+value] = one.Count
				if kind != "year " && one.Count > last {
					t.Errorf("%s: the facet %s is not in order", query, kind)
				}
				last = one.Count
			}
		}
		for key, n := range got {
			if n == 0 {
				delete(got, key)
			}
		}
		if d := gocmp.Diff(want, got); d != "" || !f.Complete {
			t.Errorf("%s: complete %t (-want +got)\n%s", query, f.Complete, d)
		}
		testFacetLinks(t, srv, query)
	}
}

// testFacetLinks follows the links of the facets on a search page. The page behind a link has as
// many votes as the link shows.
func testFacetLinks(t *testing.T, srv *rest.Server, query string) {
	t.Helper()
	ways := 0
	for _, n := range elements(t, browse(t, srv, "/votes?"+query).Body.String()) {
		if n.Data != "p" || attr(n, "class") != "facet" {
			continue
		}
		for e := range n.Descendants() {
			if e.Data != "a" {
				continue
			}
			number := textIn(e.NextSibling.NextSibling)
			page := browse(t, srv, attr(e, "href")).Body.String()
			if ways++; !strings.Contains(page, "<p>"+number+" votes were found.</p>") &&
				!(number == "1" && strings.Contains(page, "<p>1 vote was found.</p>")) {
				t.Errorf("/votes?%s: the link to %s does not show %s votes", query, attr(e, "href"), number)
			}
		}
	}
	if q, _ := url.ParseQuery(query); ways == 0 && q.Get("q") != "nowhere" {
		t.Errorf("/votes?%s has no link to fewer votes", query)
	}
}

// The pages of attendance have every entry of a member, and their counts.
func TestAttendanceOfMembers(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 17, 40)
	srv := testServer(t, reader)
	api := documented(t, srv)
	for _, m := range w.members[:3] {
		meetings := slices.SortedFunc(slices.Values(w.meetings), func(a, b wMeeting) int { return a.before(&b) })
		want, counts := []int64{}, map[string]int64{}
		for i := range meetings {
			for _, p := range w.attendance(&meetings[i]) {
				if p.member == m.id {
					want = append(want, meetings[i].id)
					counts[p.status]++
				}
			}
		}
		path := fmt.Sprintf("/v1/members/%d/attendance", m.id)
		if d := gocmp.Diff(want, walk(t, api, path, url.Values{"limit": {"3"}}, "meeting_id")); d != "" || len(want) < 5 {
			t.Errorf("%s: want %d entries (-want +got)\n%s", path, len(want), d)
		}
		var got struct{ Counts []civic.StatusCount }
		api.Get(t, path).JSON(t, &got)
		list := []string{}
		for status, n := range counts {
			list = append(list, fmt.Sprintf("%s: %d", status, n))
		}
		slices.SortFunc(list, func(a, b string) int {
			return cmp.Or(cmp.Compare(counts[strings.Split(b, ":")[0]], counts[strings.Split(a, ":")[0]]), strings.Compare(a, b))
		})
		for i, one := range got.Counts {
			if i >= len(list) || fmt.Sprintf("%s: %d", one.Status, one.Count) != list[i] {
				t.Errorf("%s: %+v, want %v", path, got.Counts, list)
				break
			}
		}
		page := textIn(elements(t, browse(t, srv, fmt.Sprintf("/members/%d", m.id)).Body.String())[0])
		if shown := strings.Join(list, " · "); !strings.Contains(page, shown) || len(list) != len(got.Counts) {
			t.Errorf("the page of member %d lacks %q", m.id, shown)
		}
	}
	if res := api.Get(t, "/v1/members/999999/attendance"); res.Status != 404 {
		t.Errorf("unknown member: %d", res.Status)
	}
}
