package rest

import (
	"net/url"
	"reflect"
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
		if again := plainPath(u.EscapedPath()); strings.Count(again, "/") != 5 {
			t.Fatalf("%q: %q", s, again)
		}
	})
}

func TestSnake(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"VersionID": "version_id", "ID": "id", "StopURLs": "stop_ur_ls", "Low": "low", "HTTPPort": "http_port", "FeedAlias": "feed_alias"} {
		if got := snake(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// A body is what encoding/json makes of its value, however it is written.
func TestBodiesProperty(t *testing.T) {
	t.Parallel()
	type inner struct {
		Text *string `json:"text"`
		Left int     `json:"left,omitempty"`
	}
	type body struct {
		inner
		Rows   []inner           `json:"rows"`
		Few    []string          `json:"few,omitempty"`
		None   []inner           `json:"none,omitzero"`
		Map    map[string]string `json:"map"`
		At     Time              `json:"at"`
		Made   Encoded[string]   `json:"made"`
		Skip   int               `json:"-"`
		hidden int
	}
	fields := bodyFields(reflect.TypeFor[body]())
	if fields == nil {
		t.Fatal("the body is not written field by field")
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a<b>&c", `"\`, "\u2028"}))
		row := rapid.Custom(func(t *rapid.T) inner {
			s := text.Draw(t, "text")
			return inner{rapid.SampledFrom([]*string{nil, &s}).Draw(t, "pointer"), rapid.IntRange(0, 1).Draw(t, "left")}
		})
		made, err := Encode(text.Draw(t, "made"))
		if err != nil {
			t.Fatal(err)
		}
		v := body{inner: row.Draw(t, "inner"), Rows: rapid.SliceOf(row).Draw(t, "rows"), Few: rapid.SliceOfN(text, 0, 2).Draw(t, "few"), None: rapid.SliceOfN(row, 0, 1).Draw(t, "none"),
			Map: rapid.MapOfN(text, text, 0, 2).Draw(t, "map"), Made: made, hidden: 1}
		if rapid.Bool().Draw(t, "nil") {
			v.Rows, v.Few, v.None, v.Map = nil, nil, nil, nil
		}
		want, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := encode(v, fields, func(int) error { return nil })
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v: %s\nwant\n%s", err, got, want)
		}
	})
}
