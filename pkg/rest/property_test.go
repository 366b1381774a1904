package rest

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestURLProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.String(), 2, 2).Draw(t, "ids")
		s := URL("https://h.example/v1/", "/a/{x}/b/{y}", ids...)
		u, err := url.Parse(s)
		if err != nil || u.RawQuery != "" || u.Fragment != "" || u.Host != "h.example" {
			t.Fatalf("%q: %v", s, err)
		}
		segs := strings.Split(u.EscapedPath(), "/")
		if len(segs) != 6 {
			t.Fatalf("%q has %d segments", s, len(segs))
		}
		for i, at := range []int{3, 5} {
			if got, err := url.PathUnescape(segs[at]); err != nil || got != ids[i] {
				t.Fatalf("%q holds %q, want %q", s, got, ids[i])
			}
		}
	})
}
