package transitapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/townline/townline/services/transit-api/internal/wire"
)

// For all page sizes, the next and previous links of a list visit the same items.
func TestPagingWalks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, path := range []string{
		"/", "/feeds",
		"/feeds/metro/agencies",
		"/feeds/metro/agencies/M%20T/routes",
		"/feeds/metro/agencies/M%20T/routes/R%2F1/directions",
		"/feeds/metro/agencies/M%20T/routes/R%2F1/stops/0,1",
		"/feeds/metro/agencies/M%20T/routes/loop/trips",
		"/feeds/metro/agencies/M%20T/routes/idle/trips",
		"/feeds/metro/agencies/M%20T/routes/R%2F1/trips/late/stop_times",
		"/feeds/metro/agencies/M%20T/routes/R%2F1/trips/late/stops",
		"/feeds/metro/services", "/feeds/metro/shapes", "/feeds/metro/shapes/sh%201", "/feeds/metro/stops",
		"/feeds/metro/stops/100/routes", "/feeds/metro/stops/100/directions",
		"/feeds/metro/stops/100/trips", "/feeds/metro/stops/100/stop_times", "/feeds/metro/stops/S/trips",
		"/feeds/metro/stops/S/stop_times",
	} {
		whole := readPage(t, w, path)
		if whole.Meta.TotalCount != len(whole.Data) || whole.Meta.DataCount != len(whole.Data) {
			t.Errorf("%s: totalCount %d, dataCount %d for %d items", path, whole.Meta.TotalCount, whole.Meta.DataCount,
				len(whole.Data))
		}
		for _, size := range []int{1, 2, 3, 7} {
			var forth, back []string
			at := fmt.Sprintf("%s?limit=%d", path, size)
			last := at
			for at != "" {
				p := readPage(t, w, at)
				forth = append(forth, p.Data...)
				if p.Meta.TotalCount != len(whole.Data) || p.Meta.Limit != size {
					t.Fatalf("%s: meta %+v", at, p.Meta)
				}
				last, at = at, p.next("next")
			}
			if !slices.Equal(forth, whole.Data) {
				t.Errorf("%s by %d: %d items forwards, want %d", path, size, len(forth), len(whole.Data))
			}
			for at = last; at != ""; {
				p := readPage(t, w, at)
				back = append(slices.Clone(p.Data), back...)
				at = p.next("previous")
			}
			if !slices.Equal(back, whole.Data) {
				t.Errorf("%s by %d: %d items backwards, want %d", path, size, len(back), len(whole.Data))
			}
		}
	}
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const path = "/feeds/metro/stops?_format=json"
	total := readPage(t, w, path).Meta.TotalCount
	for _, c := range []struct {
		query                string
		count, limit         int
		self, next, previous any
	}{
		{"", total, 500, "", false, false},
		{"&limit=99999", total, 10_000, "&limit=10000", false, false},
		{"&z=%20%26&offset=4&a=1&a=2&a=1&limit=2", 2, 2, "&limit=2&offset=4", "&limit=2&offset=6", "&limit=2&offset=2"},
		{"&offset=3&limit=4", 4, 4, "&limit=4&offset=3", "&limit=4&offset=7", "&limit=4&offset=0"},
		{fmt.Sprint("&limit=2&offset=", total), 0, 2, fmt.Sprint("&limit=2&offset=", total), false,
			fmt.Sprint("&limit=2&offset=", total-2)},
		{"&limit=2&offset=9223372036854775807", 0, 2, "&limit=2&offset=9223372036854775807", false,
			fmt.Sprint("&limit=2&offset=", total-2)},
	} {
		want := map[string]any{"self": c.self, "next": c.next, "previous": c.previous}
		for rel, query := range want {
			if text, is := query.(string); is {
				want[rel] = public + path + text
			}
		}
		got := readPage(t, w, path+c.query).Meta
		if diff := cmp.Diff(want, got.Links); diff != "" || got.TotalCount != total || got.DataCount != c.count ||
			got.Limit != c.limit {
			t.Errorf("%s: %+v\n%s", c.query, got, diff)
		}
	}
}

func TestLinksJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l wire.Links
		want := map[string]any{}
		for i, href := range rapid.SliceOf(rapid.String()).Draw(t, "hrefs") {
			rel := strconv.Itoa(i)
			l.Add(rel, href)
			want[rel] = any(strings.ToValidUTF8(href, "\ufffd"))
			if href == "" {
				want[rel] = false
			}
		}
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %v, want %v", b, err, want)
		}
	})
}

type listPage struct {
	Meta struct {
		TotalCount, DataCount, Limit, Offset int
		Links                                map[string]any
	}
	Data []string // JSON of each item
}

func readPage(t *testing.T, w *world, path string) listPage {
	t.Helper()
	var raw struct {
		Meta json.RawMessage
		Data []json.RawMessage
	}
	var p listPage
	if err := json.Unmarshal(w.ask(t, path), &raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw.Meta, &p.Meta); err != nil {
		t.Fatal(err)
	}
	for _, item := range raw.Data {
		p.Data = append(p.Data, string(item))
	}
	return p
}

// next returns a paging link; "" at the ends.
func (p listPage) next(rel string) string {
	href, _ := p.Meta.Links[rel].(string)
	return strings.TrimPrefix(href, public)
}
