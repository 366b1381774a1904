package rest_test

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/rest/internal/bind"
)

type day struct{ time.Time }

func (d *day) UnmarshalText(b []byte) (err error) {
	d.Time, err = time.Parse(time.DateOnly, string(b))
	return err
}

type everyKind struct {
	Int   int64    `query:"int" min:"-5" max:"1000"`
	Clamp int      `query:"clamp" min:"1" clamp:"100" default:"7"`
	Maybe *int64   `query:"maybe" min:"1" null:"true"`
	Float *float64 `query:"float" min:"0"`
	Bool  *bool    `query:"bool"`
	Date  *day     `query:"date"`
	Text  *string  `query:"text" maxlen:"10"`
	Word  *string  `query:"word" enum:"one,two"`
	IDs   []string `query:"id" maxlen:"5" maxitems:"3"`
	Nums  []int64  `query:"num" max:"9" maxitems:"2"`
}

// read binds a raw query as a server does.
func read(pl *bind.Plan, query string) (everyKind, *bind.Request, bool) {
	r := &bind.Request{}
	params, _, refused := pl.Read(r, query)
	if refused != nil {
		return everyKind{}, r, false
	}
	return *params.(*everyKind), r, true
}

// The struct has each accepted value, and all spellings of a request have the same canonical form.
func TestParametersProperty(t *testing.T) {
	t.Parallel()
	pl, err := bind.New("x", "/x", reflect.TypeFor[everyKind]())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		small := rapid.Int64Range(-10, 1010).Draw(t, "small")
		day := time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "day"), 0).UTC().Format(time.DateOnly)
		text := rapid.String().Draw(t, "text")
		q := url.Values{"int": {fmt.Sprint(small)}, "clamp": {fmt.Sprint(n)}, "date": {day}, "text": {text},
			"zzz": {"1", "2"}}
		p, c, ok := read(pl, q.Encode())
		valid := small >= -5 && small <= 1000 && n >= 1 && text != "" && utf8.RuneCountInString(text) <= 10 &&
			!strings.Contains(text, "\x00")
		if ok != valid {
			t.Fatalf("%v: accepted = %t", q, ok)
		}
		if !ok {
			return
		}
		if p.Int != small || int64(p.Clamp) != min(n, 100) || p.Date.Format(time.DateOnly) != day || *p.Text != text ||
			p.Maybe != nil || p.Float != nil || p.Word != nil {
			t.Fatalf("%v became %+v", q, p)
		}
		pairs := strings.Split(q.Encode(), "&")
		pairs = append(rapid.Permutation(pairs).Draw(t, "order"), "maybe=", "", "text="+url.QueryEscape(text))
		_, again, ok := read(pl, strings.Join(pairs, "&"))
		if !ok || string(pl.Canonical(nil, again, true)) != string(pl.Canonical(nil, c, true)) {
			t.Fatalf("%v: another spelling has another canonical form", pairs)
		}
		q.Set("int", fmt.Sprint((small+6)%1000))
		_, other, ok := read(pl, q.Encode())
		if !ok || string(pl.Canonical(nil, other, true)) == string(pl.Canonical(nil, c, true)) {
			t.Fatalf("%v: another request has the same canonical form", q)
		}
	})
}

func FuzzParameters(f *testing.F) {
	for _, seed := range []string{"int=1&int=01", "clamp=9223372036854775807&float=1e308", "bool=1&date=2026-02-29",
		"text=%00&word=one", "maybe=null&maybe=", "%=%&&=;", "float=NaN&int=-0", "id=a&id=b&id=%ff",
		"num=1&num=01&num=2&id=x,y"} {
		f.Add(seed)
	}
	pl, err := bind.New("x", "/x", reflect.TypeFor[everyKind]())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		p, _, ok := read(pl, query)
		if !ok {
			return
		}
		switch {
		case p.Int < -5 || p.Int > 1000, p.Clamp < 1 || p.Clamp > 100, p.Maybe != nil && *p.Maybe < 1,
			len(p.IDs) > 3, len(p.Nums) > 2, slices.ContainsFunc(p.IDs, func(id string) bool {
				return !utf8.ValidString(id) || id == ""
			}),
			p.Float != nil && !(*p.Float >= 0), p.Word != nil && *p.Word != "one" && *p.Word != "two",
			p.Text != nil && (!utf8.ValidString(*p.Text) || strings.Contains(*p.Text, "\x00") || *p.Text == ""):
			t.Errorf("%q became %+v", query, p)
		}
	})
}

// A list has each value of a parameter once, in the order of the request. Different lists have
// different canonical forms.
func TestLists(t *testing.T) {
	t.Parallel()
	pl, err := bind.New("x", "/x", reflect.TypeFor[everyKind]())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.StringMatching(`[a=:,;& ü]{1,2}`), 0, 5).Draw(t, "ids")
		nums := rapid.SliceOfN(rapid.Int64Range(-1, 10), 0, 3).Draw(t, "nums")
		q := url.Values{"id": ids}
		for _, n := range nums {
			q.Add("num", fmt.Sprintf("%d", n))
		}
		p, r, ok := read(pl, q.Encode())
		wantIDs, wantNums := []string(nil), []int64(nil)
		for _, id := range ids {
			if !slices.Contains(wantIDs, id) {
				wantIDs = append(wantIDs, id)
			}
		}
		for _, n := range nums {
			if !slices.Contains(wantNums, n) {
				wantNums = append(wantNums, n)
			}
		}
		if valid := len(wantIDs) <= 3 && len(wantNums) <= 2 && !slices.Contains(nums, 10); ok != valid {
			t.Fatalf("%v: accepted = %t", q, ok)
		}
		if !ok {
			return
		}
		if !slices.Equal(p.IDs, wantIDs) || !slices.Equal(p.Nums, wantNums) || !slices.Equal(pl.Query(r)["id"], wantIDs) {
			t.Fatalf("%v becomes %q %v, and %q in links", q, p.IDs, p.Nums, pl.Query(r))
		}
		is, name := fmt.Sprintf("%q %v", wantIDs, wantNums), string(pl.Canonical(nil, r, true))
		if other, met := names[name]; met && other != is {
			t.Fatalf("%s and %s have the same canonical form", is, other)
		}
		names[name] = is
	})
}

func TestRequired(t *testing.T) {
	t.Parallel()
	pl, err := bind.New("x", "/x", reflect.TypeFor[struct {
		IDs []string `query:"id" maxitems:"2" required:"true"`
	}]())
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"": "must be given", "id=": "must not be empty", "id=a": "",
		"id=a&id=b&id=c": "is given more than 2 times"} {
		_, _, refused := pl.Read(&bind.Request{}, query)
		if got := fmt.Sprint(refused); want == "" && refused != nil || !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", query, got, want)
		}
	}
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
		"a list without an end": {struct {
			A []string `query:"a"`
		}{}, "/x"},
		"a list in the path": {struct {
			A []string `path:"a" maxitems:"2"`
		}{}, "/x/{a}"},
		"one value with a number of items": {struct {
			A string `query:"a" maxitems:"2"`
		}{}, "/x"},
		"a default for what is required": {struct {
			A string `query:"a" required:"true" default:"x"`
		}{}, "/x"},
		"no struct": {5, "/x"},
	} {
		if _, err := bind.New("x", c.path, reflect.TypeOf(c.params)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
