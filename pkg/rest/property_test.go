package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCursorProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bound := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bound")
		key, err := json.Marshal(rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "key"))
		if err != nil {
			t.Fatal(err)
		}
		sealed := sealCursor(bound, key)
		if got, err := openCursor(bound, sealed); err != nil || *got != string(key) {
			t.Fatalf("%q came back as %v, %v", key, got, err)
		}
		if sealed != url.QueryEscape(sealed) {
			t.Fatalf("%q needs escaping", sealed)
		}
		if _, err := openCursor(append(bound, 'x'), sealed); err == nil {
			t.Fatal("opened with other filters")
		}
		b := []byte(sealed)
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		b[at] = byte(rapid.IntRange(0, 255).Draw(t, "to"))
		if _, err := openCursor(bound, string(b)); err == nil && string(b) != sealed {
			t.Fatalf("opened when altered at %d: %q", at, b)
		}
		for _, other := range []string{sealed[:at], sealed + "A", sealed[:at] + "\n" + sealed[at:]} {
			if _, err := openCursor(bound, other); err == nil {
				t.Fatalf("opened %q", other)
			}
		}
	})
}

func FuzzCursor(f *testing.F) {
	bound := []byte("listThings\x00=red")
	f.Add(sealCursor(bound, json.RawMessage(`["2026-01-02",7]`)))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, s string) {
		key, err := openCursor(bound, s)
		if err == nil && sealCursor(bound, json.RawMessage(*key)) != s {
			t.Errorf("two cursors open as %s", *key)
		}
	})
}

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

func TestLinksJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l Links
		want := map[string]any{}
		for i, href := range rapid.SliceOf(rapid.String()).Draw(t, "hrefs") {
			rel := strconv.Itoa(i)
			l.Add(rel, href)
			if want[rel] = any(strings.ToValidUTF8(href, "\ufffd")); href == "" {
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

func TestSnake(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"VersionID": "version_id", "ID": "id", "StopURLs": "stop_ur_ls", "Low": "low", "HTTPPort": "http_port", "FeedAlias": "feed_alias"} {
		if got := snake(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestSchemaNames(t *testing.T) {
	t.Parallel()

	got := []string{schemaName(reflect.TypeFor[everyKind]()), schemaName(reflect.TypeFor[Page[everyKind]]()), schemaName(reflect.TypeFor[Envelope[[]Fault]]()),
		schemaName(reflect.TypeFor[Envelope[Page[Fault]]]()), schemaName(reflect.TypeFor[Envelope[string]]()), schemaName(reflect.TypeFor[Envelope[*Fault]]())}
	want := []string{"EveryKind", "EveryKindPage", "FaultListEnvelope", "FaultPageEnvelope", "StringEnvelope", "FaultEnvelope"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// An envelope whose data writes its own JSON is what the standard library makes of it.
func TestAppendedEnvelopes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a<b>&c", `"\`, "\u2028"}))
		data, err := Encode(text.Draw(t, "data"))
		if err != nil {
			t.Fatal(err)
		}
		e := Envelope[Encoded[string]]{Data: data, Meta: Meta{
			TotalCount: rapid.Int().Draw(t, "total"), DataCount: rapid.IntRange(0, 9).Draw(t, "count"), Limit: rapid.Int64().Draw(t, "limit"), Offset: rapid.Int64().Draw(t, "offset")}}
		for range rapid.IntRange(0, 3).Draw(t, "links") {
			e.Meta.Links.Add(text.Draw(t, "rel"), text.Draw(t, "href"))
		}
		if rapid.Bool().Draw(t, "fetched?") {
			n := rapid.Int64().Draw(t, "fetched")
			e.Meta.LastFetched = &n
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
		got, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != strings.TrimSuffix(want.String(), "\n") {
			t.Fatalf("%s\nwant\n%s", got, &want)
		}
	})
}
