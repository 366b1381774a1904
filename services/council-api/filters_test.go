package councilapi

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest/resttest"
)

// walk follows next_cursor to the end and returns the ids of all entries.
func walk(t *testing.T, api *resttest.API, path string, q url.Values, key string) []int64 {
	t.Helper()
	var ids []int64
	for {
		var page struct {
			Data       []map[string]any
			NextCursor *string `json:"next_cursor"`
			Count      int
		}
		res := api.Get(t, path+"?"+q.Encode())
		if res.Status != 200 {
			t.Fatalf("%s?%s: %d %s", path, q.Encode(), res.Status, res.Body)
		}
		res.JSON(t, &page)
		if page.Count != len(page.Data) {
			t.Fatalf("%s?%s: count %d of %d entries", path, q.Encode(), page.Count, len(page.Data))
		}
		for _, e := range page.Data {
			ids = append(ids, int64(e[key].(float64)))
		}
		if page.NextCursor == nil {
			return ids
		}
		if page.Count == 0 {
			t.Fatalf("%s?%s: an empty page with a next page", path, q.Encode())
		}
		q = maps.Clone(q)
		q.Set("cursor", *page.NextCursor)
		link, rel, _ := strings.Cut(res.Header.Get("Link"), ">")
		if !strings.HasPrefix(link, "<https://votes.example"+path+"?") || !strings.HasPrefix(rel, `; rel="next"`) ||
			!strings.Contains(link, "cursor="+*page.NextCursor) {
			t.Errorf("Link %s%s", link, rel)
		}
	}
}

// A filter is a parameter with a value, and its meaning in Go.
type filter[T any] struct {
	name, value string
	keep        func(T) bool
}

// inDates returns the date filters of a list.
func inDates[T any](r *rand.Rand, of func(T) time.Time) []filter[T] {
	day := time.Date(2024, 1, 1+r.IntN(120), 0, 0, 0, 0, time.UTC)
	return []filter[T]{
		{"from", day.Format(time.DateOnly), func(v T) bool { return !of(v).Before(day) }},
		{"to", day.AddDate(0, 0, 60).Format(time.DateOnly), func(v T) bool { return !of(v).After(day.AddDate(0, 0, 60)) }},
	}
}

func words[T any, W ~string](name string, list []W, is func(T, W) bool) []filter[T] {
	var out []filter[T]
	for _, w := range list {
		out = append(out, filter[T]{name, string(w), func(v T) bool { return is(v, w) }})
	}
	return out
}

func yesNo[T any](name string, is func(T) bool) []filter[T] {
	return []filter[T]{
		{name, "true", is}, {name, "1", is},
		{name, "false", func(v T) bool { return !is(v) }}, {name, "0", func(v T) bool { return !is(v) }},
	}
}

// compare checks every single filter and random sets of filters against the same filters in Go. The
// length of the pages is random.
func compare[T any](t *testing.T, api *resttest.API, r *rand.Rand, path, key string, all []T, id func(T) int64,
	order func(a, b T) int, filters []filter[T]) {
	t.Helper()
	sorted := slices.SortedFunc(slices.Values(all), order)
	try := func(set []filter[T]) {
		q := url.Values{"limit": {strconv.Itoa(3 + r.IntN(60))}}
		want := []int64{}
		for _, f := range set {
			q.Set(f.name, f.value)
		}
		for _, v := range sorted {
			keep := true
			for _, f := range set {
				keep = keep && f.keep(v)
			}
			if keep {
				want = append(want, id(v))
			}
		}
		got := walk(t, api, path, q, key)
		if d := gocmp.Diff(want, append([]int64{}, got...)); d != "" {
			t.Errorf("%s?%s: (-want +got)\n%s", path, q.Encode(), d)
		}
	}
	try(nil)
	for _, f := range filters {
		try([]filter[T]{f})
	}
	for range 20 {
		set := map[string]filter[T]{}
		for range 1 + r.IntN(4) {
			f := filters[r.IntN(len(filters))]
			set[f.name] = f
		}
		var list []filter[T]
		for _, f := range set {
			list = append(list, f)
		}
		try(list)
	}
}

func TestFiltersEqualBruteForce(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 7, 24)
	api := documented(t, testServer(t, reader))

	t.Run("meetings", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(1, 2))
		var all []*wMeeting
		for i := range w.meetings {
			all = append(all, &w.meetings[i])
		}
		compare(t, api, r, "/v1/meetings", "iqm2_id", all, func(m *wMeeting) int64 {
			return m.id
		}, (*wMeeting).before, slices.Concat(
			inDates(r, func(m *wMeeting) time.Time { return m.date }),
			words("status", council.Statuses(), func(m *wMeeting, s council.Status) bool { return m.status == s }),
			words("type", council.MeetingTypes(), func(m *wMeeting, k council.MeetingType) bool { return m.kind == k })))
	})

	t.Run("items", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(1, 3))
		// An item has the values that filters use.
		type item struct {
			*wItem
			votes []*wVote
		}
		var all []item
		for i := range w.items {
			it := item{wItem: &w.items[i]}
			for j := range w.votes {
				if w.votes[j].item == it.wItem {
					it.votes = append(it.votes, &w.votes[j])
				}
			}
			all = append(all, it)
		}
		order := func(a, b item) int { return cmp.Or(a.meeting.before(b.meeting), a.ord-b.ord) }
		// result, via_consent and unanimous must match the same vote.
		any := func(is func(*wVote) bool) func(item) bool {
			return func(it item) bool { return slices.ContainsFunc(it.votes, is) }
		}
		filters := slices.Concat(
			inDates(r, func(it item) time.Time { return it.meeting.date }),
			words("topic", council.Topics(), func(it item, s council.Topic) bool { return it.topic == s }),
			words("result", council.Results(), func(it item, s council.Result) bool {
				return any(func(v *wVote) bool { return v.result == s })(it)
			}),
			[]filter[item]{
				{"q", "housing", func(it item) bool { return strings.Contains(it.title, "housing") }},
				{"q", "CAFE or resume", func(it item) bool {
					return strings.Contains(it.title, "café") || strings.Contains(it.title, "résumé")
				}},
				{"q", "contract -police", func(it item) bool {
					return strings.Contains(it.title, "contracts") && !strings.Contains(it.title, "police")
				}},
				{"q", `"street sweeping"`, func(it item) bool { return strings.Contains(it.title, "street sweeping") }},
				{"meeting_id", "", func(item) bool { return true }},
				{"meeting_id", "null", func(item) bool { return true }},
			})
		for _, m := range w.meetings[:12] {
			filters = append(filters, filter[item]{"meeting_id", fmt.Sprint(m.id), func(it item) bool {
				return it.meeting.id == m.id
			}})
		}
		for _, m := range append(slices.Clone(w.members), wMember{id: 999}) {
			filters = append(filters, filter[item]{"member", fmt.Sprint(m.id), any(func(v *wVote) bool {
				return v.of(m.id) != ""
			})})
		}
		compare(t, api, r, "/v1/items", "id", all, func(it item) int64 { return it.id }, order, filters)

		for _, test := range []struct {
			query string
			keep  func(item) bool
		}{
			{"via_consent=1", any(func(v *wVote) bool { return v.consent })},
			{"via_consent=false", any(func(v *wVote) bool { return !v.consent })},
			{"unanimous=true", any(func(v *wVote) bool { return v.unanimous })},
			{"unanimous=0", any(func(v *wVote) bool { return !v.unanimous })},
			{"result=failed&via_consent=true", any(func(v *wVote) bool { return v.result == council.Failed && v.consent })},
			{"result=adopted&unanimous=0&via_consent=0", any(func(v *wVote) bool {
				return v.result == council.Adopted && !v.unanimous && !v.consent
			})},
			{"member=104&position=nay", any(func(v *wVote) bool { return v.of(104) == council.Nay })},
			{"member=104&position=aye&result=failed&unanimous=false", func(it item) bool {
				return any(func(v *wVote) bool { return v.of(104) == council.Aye })(it) &&
					any(func(v *wVote) bool { return v.result == council.Failed && !v.unanimous })(it)
			}},
		} {
			var want []int64
			for _, it := range slices.SortedFunc(slices.Values(all), order) {
				if test.keep(it) {
					want = append(want, it.id)
				}
			}
			q, _ := url.ParseQuery(test.query + "&limit=7")
			if d := gocmp.Diff(want, walk(t, api, "/v1/items", q, "id")); d != "" || len(want) == 0 {
				t.Errorf("%s: %d wanted\n%s", test.query, len(want), d)
			}
		}
	})

	t.Run("votes", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(1, 4))
		var all []*wVote
		margins := map[string]bool{"9-9": true}
		for i := range w.votes {
			all = append(all, &w.votes[i])
			margins[fmt.Sprintf("%d-%d", w.votes[i].ayes, w.votes[i].nays)] = true
		}
		filters := slices.Concat(voteFilters(r, func(v *wVote) *wVote { return v }),
			yesNo("split", func(v *wVote) bool { return !v.unanimous }),
			yesNo("via_consent", func(v *wVote) bool { return v.consent }))
		for _, m := range w.members {
			filters = append(filters, filter[*wVote]{"mover", fmt.Sprint(m.id), func(v *wVote) bool { return v.mover == m.id }},
				filter[*wVote]{"seconder", fmt.Sprint(m.id), func(v *wVote) bool { return v.second == m.id }})
		}
		for margin := range margins {
			filters = append(filters, filter[*wVote]{"margin", margin, func(v *wVote) bool {
				return fmt.Sprintf("%d-%d", v.ayes, v.nays) == margin
			}})
		}
		for n := range 10 {
			filters = append(filters, filter[*wVote]{"ayes", fmt.Sprint(n), func(v *wVote) bool { return v.ayes == n }},
				filter[*wVote]{"nays", fmt.Sprint(n), func(v *wVote) bool { return v.nays == n }})
		}
		compare(t, api, r, "/v1/votes", "id", all, func(v *wVote) int64 { return v.id }, (*wVote).before, filters)
	})

	t.Run("member votes", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(1, 5))
		for _, m := range w.members[:2] {
			var all []*wVote
			for i := range w.votes {
				if w.votes[i].of(m.id) != "" {
					all = append(all, &w.votes[i])
				}
			}
			compare(t, api, r, fmt.Sprintf("/v1/members/%d/votes", m.id), "id", all, func(v *wVote) int64 {
				return v.id
			}, (*wVote).before, slices.Concat(
				voteFilters(r, func(v *wVote) *wVote { return v }),
				yesNo("split", func(v *wVote) bool { return !v.unanimous }),
				words("position", council.Positions(), func(v *wVote, p council.Position) bool { return v.of(m.id) == p })))
		}
	})

	t.Run("anomalies", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(1, 6))
		var all []*wNote
		for i := range w.notes {
			all = append(all, &w.notes[i])
		}
		filters := slices.Concat(inDates(r, func(n *wNote) time.Time { return n.meeting.date }),
			words("kind", council.AnomalyKinds(), func(n *wNote, k council.AnomalyKind) bool { return n.kind == k }),
			words("code", []string{"tally-mismatch", "mover-missing", "no-text", "nobody-has-this"},
				func(n *wNote, c string) bool { return n.code == c }))
		for _, m := range w.meetings[:12] {
			filters = append(filters, filter[*wNote]{"meeting_id", fmt.Sprint(m.id), func(n *wNote) bool {
				return n.meeting.id == m.id
			}})
		}
		compare(t, api, r, "/v1/anomalies", "id", all, func(n *wNote) int64 { return n.id },
			func(a, b *wNote) int { return cmp.Or(a.meeting.before(b.meeting), a.ord-b.ord) }, filters)
	})
}

func voteFilters[T any](r *rand.Rand, of func(T) *wVote) []filter[T] {
	return slices.Concat(
		inDates(r, func(v T) time.Time { return of(v).item.meeting.date }),
		words("result", council.Results(), func(v T, s council.Result) bool { return of(v).result == s }),
		words("topic", council.Topics(), func(v T, s council.Topic) bool { return of(v).item.topic == s }))
}

// of returns the position of a member, or "" if the roll call does not have the member.
func (v *wVote) of(member int64) council.Position {
	for _, p := range v.roll {
		if p.member == member {
			return p.position
		}
	}
	return ""
}

func (v *wVote) before(o *wVote) int {
	return cmp.Or(v.item.meeting.before(o.item.meeting), v.ord-o.ord)
}
