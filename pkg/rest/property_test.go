package rest

import (
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// negotiate against the words of RFC 9110, 12.5.3: what is picked is acceptable, and nothing we have is liked better.
func TestNegotiateProperty(t *testing.T) {
	t.Parallel()
	weights := []string{"", ";q=0", ";q=0.5", "; q=0.500", ";Q=1", ";q=1.0", ";q=0.001", ";q=2", ";q=x", ";level=1;q=0.3"}
	values := []float64{1, 0, .5, .5, 1, 1, .001, 0, 0, .3}
	names := []string{"gzip", "zstd", "identity", "*", "br", "GZIP", " zstd "}
	rapid.Check(t, func(t *rapid.T) {
		said := map[string]float64{}
		var elems []string
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			name, w := rapid.SampledFrom(names).Draw(t, "name"), rapid.IntRange(0, len(weights)-1).Draw(t, "weight")
			elems = append(elems, name+weights[w])
			key := strings.ToLower(strings.TrimSpace(name))
			if before, ok := said[key]; !ok || values[w] > before {
				said[key] = values[w]
			}
		}
		liking := func(c coding) float64 {
			if q, ok := said[c.name()]; ok {
				return q
			}
			if c == identity {
				return math.SmallestNonzeroFloat64 // acceptable unless refused
			}
			return said["*"]
		}
		got := negotiate([]string{strings.Join(elems, ",")})
		if got != identity && liking(got) == 0 {
			t.Fatalf("%v: %s is refused", elems, got.name())
		}
		for _, c := range []coding{gzipped, zstded} {
			if liking(c) > liking(got) {
				t.Fatalf("%v: %s, but %s is liked better", elems, got.name(), c.name())
			}
		}
	})
}

func TestNegotiate(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"gzip": "gzip", "gzip, deflate, br, zstd": "zstd", "*": "zstd", "*;q=0": "identity", "gzip;q=1, zstd;q=0.9": "gzip",
		"identity, gzip;q=0.5": "identity", "identity;q=0.5, gzip;q=0.5": "gzip", "identity;q=0": "identity", "x-gzip": "gzip",
		"gzip;q=0, *": "zstd", "": "identity", ",,;": "identity",
	} {
		if got := negotiate([]string{header}).name(); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	if got := negotiate([]string{"br", "gzip"}); got != gzipped {
		t.Errorf("two lines: %s", got.name())
	}
}

func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{`"a", W/"b-gzip"`, "application/json;q=0.5, */*", "gzip;q=0.1;q=x", `"`, `W/"`, "*"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lines := []string{s}
		negotiate(lines)
		if namesJSON(lines) && !strings.Contains(strings.ToLower(s), "application/") {
			t.Errorf("%q names JSON", s)
		}
		if quoted, ok := matchTag(lines, "tag"); ok && !strings.Contains(s, quoted) {
			t.Errorf("%q in %q", quoted, s)
		}
	})
}

func TestMatchTagProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tags := rapid.SliceOfN(rapid.StringMatching(`[A-Za-z0-9_-]{0,8}(-gzip|-zstd)?`), 0, 5).Draw(t, "tags")
		want := rapid.StringMatching(`[A-Za-z0-9_]{4}`).Draw(t, "want")
		if rapid.Bool().Draw(t, "there") {
			tags = append(tags, want+rapid.SampledFrom([]string{"", "-gzip", "-zstd"}).Draw(t, "coding"))
		}
		var list []string
		held := false
		for _, tag := range tags {
			held = held || tag == want || tag == want+"-gzip" || tag == want+"-zstd"
			list = append(list, rapid.SampledFrom([]string{"", "W/"}).Draw(t, "weak")+`"`+tag+`"`)
		}
		sep := rapid.SampledFrom([]string{",", ", ", " , "}).Draw(t, "sep")
		if _, ok := matchTag([]string{strings.Join(list, sep)}, want); ok != held {
			t.Fatalf("%v: found %v, want %v", list, ok, held)
		}
	})
}

type everyKind struct {
	Int   int64    `query:"int" min:"-5" max:"1000"`
	Clamp int      `query:"clamp" min:"1" clamp:"100" default:"7"`
	Maybe *int64   `query:"maybe" min:"1" null:"true"`
	Float *float64 `query:"float" min:"0"`
	Bool  *bool    `query:"bool"`
	Date  *Date    `query:"date"`
	Text  *string  `query:"text" maxlen:"10"`
	Word  *string  `query:"word" enum:"one,two"`
}

// ask reads a raw query as the server does.
func ask(pl *plan, query string) (everyKind, *Call, error) {
	c := &Call{e: &Endpoint{Spec: Spec{ID: "x"}, plan: pl}}
	var p everyKind
	err := pl.read(c, query)
	if err == nil {
		pl.fill(c, &p)
	}
	return p, c, err
}

// Whatever is taken, is taken as it was meant: each value comes back out of the struct, and the canonical
// request is the same for every spelling of it.
func TestParametersProperty(t *testing.T) {
	t.Parallel()
	pl, err := newPlan(reflect.TypeFor[everyKind](), "/x")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		small := rapid.Int64Range(-10, 1010).Draw(t, "small")
		day := time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "day"), 0).UTC().Format(time.DateOnly)
		text := rapid.String().Draw(t, "text")
		q := url.Values{"int": {fmt.Sprint(small)}, "clamp": {fmt.Sprint(n)}, "date": {day}, "text": {text}, "zzz": {"1", "2"}}
		p, c, err := ask(pl, q.Encode())
		valid := small >= -5 && small <= 1000 && n >= 1 && text != "" && utf8.RuneCountInString(text) <= 10 && !strings.Contains(text, "\x00")
		if (err == nil) != valid {
			t.Fatalf("%v: %v", q, err)
		}
		if err != nil {
			return
		}
		if p.Int != small || int64(p.Clamp) != min(n, 100) || p.Date.String() != day || *p.Text != text || p.Maybe != nil || p.Float != nil || p.Word != nil {
			t.Fatalf("%v became %+v", q, p)
		}
		pairs := strings.Split(q.Encode(), "&")
		pairs = append(rapid.Permutation(pairs).Draw(t, "order"), "maybe=", "", "text="+url.QueryEscape(text))
		_, again, err := ask(pl, strings.Join(pairs, "&"))
		if err != nil || string(pl.canonical(nil, again, true)) != string(pl.canonical(nil, c, true)) {
			t.Fatalf("%v: another spelling is another request (%v)", pairs, err)
		}
		q.Set("int", fmt.Sprint((small+6)%1000))
		_, other, err := ask(pl, q.Encode())
		if err != nil || string(pl.canonical(nil, other, true)) == string(pl.canonical(nil, c, true)) {
			t.Fatalf("%v: another request has the same name (%v)", q, err)
		}
	})
}

func FuzzParameters(f *testing.F) {
	for _, seed := range []string{"int=1&int=01", "clamp=9223372036854775807&float=1e308", "bool=1&date=2026-02-29", "text=%00&word=one", "maybe=null&maybe=", "%=%&&=;", "float=NaN&int=-0"} {
		f.Add(seed)
	}
	pl, err := newPlan(reflect.TypeFor[everyKind](), "/x")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		p, _, err := ask(pl, query)
		if err != nil {
			return
		}
		switch {
		case p.Int < -5 || p.Int > 1000, p.Clamp < 1 || p.Clamp > 100, p.Maybe != nil && *p.Maybe < 1,
			p.Float != nil && !(*p.Float >= 0), p.Word != nil && *p.Word != "one" && *p.Word != "two",
			p.Text != nil && (!utf8.ValidString(*p.Text) || strings.Contains(*p.Text, "\x00") || *p.Text == ""):
			t.Errorf("%q became %+v", query, p)
		}
	})
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		params any
		path   string
	}{
		"a path without its field": {struct{}{}, "/x/{id}"},
		"a field without its path": {struct {
			ID int `path:"id"`
		}{}, "/x"},
		"a query field for the path": {struct {
			ID int `query:"id"`
		}{}, "/x/{id}"},
		"a name twice": {struct {
			A int `query:"a"`
			B int `query:"a"`
		}{}, "/x"},
		"a bad bound": {struct {
			A int `query:"a" min:"x"`
		}{}, "/x"},
		"a bad pattern": {struct {
			A string `query:"a" pattern:"("`
		}{}, "/x"},
		"a default that breaks rules": {struct {
			A int `query:"a" min:"5" default:"4"`
		}{}, "/x"},
		"null without a pointer": {struct {
			A int `query:"a" null:"true"`
		}{}, "/x"},
		"a type that is none": {struct {
			A []byte `query:"a"`
		}{}, "/x"},
		"no struct": {5, "/x"},
	} {
		if _, err := newPlan(reflect.TypeOf(c.params), c.path); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

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
	server := &Server{cfg: Config{AnswerBytes: 1 << 20}, load: newLoad(1 << 20)}
	c := &Call{s: server, e: &Endpoint{fields: bodyFields(reflect.TypeFor[body]())}}
	if c.e.fields == nil {
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
		got, err := encode(t.Context(), c, v)
		if err != nil || string(got.body) != string(want) {
			t.Fatalf("%v: %s\nwant\n%s", err, got.body, want)
		}
	})
}
