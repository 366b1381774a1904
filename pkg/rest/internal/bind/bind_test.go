package bind

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
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
}

// read reads a raw query as a server does.
func read(pl *Plan, query string) (everyKind, *Request, bool) {
	r := &Request{}
	if _, refused := pl.Read(r, query); refused != nil {
		return everyKind{}, r, false
	}
	return *pl.Fill(r).(*everyKind), r, true
}

// Whatever is taken, is taken as it was meant: each value comes back out of the struct, and the canonical
// request is the same for every spelling of it.
func TestParametersProperty(t *testing.T) {
	t.Parallel()
	pl, err := New("x", "/x", reflect.TypeFor[everyKind]())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		small := rapid.Int64Range(-10, 1010).Draw(t, "small")
		day := time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "day"), 0).UTC().Format(time.DateOnly)
		text := rapid.String().Draw(t, "text")
		q := url.Values{"int": {fmt.Sprint(small)}, "clamp": {fmt.Sprint(n)}, "date": {day}, "text": {text}, "zzz": {"1", "2"}}
		p, c, ok := read(pl, q.Encode())
		valid := small >= -5 && small <= 1000 && n >= 1 && text != "" && utf8.RuneCountInString(text) <= 10 && !strings.Contains(text, "\x00")
		if ok != valid {
			t.Fatalf("%v: accepted is %t", q, ok)
		}
		if !ok {
			return
		}
		if p.Int != small || int64(p.Clamp) != min(n, 100) || p.Date.Format(time.DateOnly) != day || *p.Text != text || p.Maybe != nil || p.Float != nil || p.Word != nil {
			t.Fatalf("%v became %+v", q, p)
		}
		pairs := strings.Split(q.Encode(), "&")
		pairs = append(rapid.Permutation(pairs).Draw(t, "order"), "maybe=", "", "text="+url.QueryEscape(text))
		_, again, ok := read(pl, strings.Join(pairs, "&"))
		if !ok || string(pl.Canonical(nil, again)) != string(pl.Canonical(nil, c)) {
			t.Fatalf("%v: another spelling is another request", pairs)
		}
		q.Set("int", fmt.Sprint((small+6)%1000))
		_, other, ok := read(pl, q.Encode())
		if !ok || string(pl.Canonical(nil, other)) == string(pl.Canonical(nil, c)) {
			t.Fatalf("%v: another request has the same name", q)
		}
	})
}

func FuzzParameters(f *testing.F) {
	for _, seed := range []string{"int=1&int=01", "clamp=9223372036854775807&float=1e308", "bool=1&date=2026-02-29", "text=%00&word=one", "maybe=null&maybe=", "%=%&&=;", "float=NaN&int=-0"} {
		f.Add(seed)
	}
	pl, err := New("x", "/x", reflect.TypeFor[everyKind]())
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
		if _, err := New("x", c.path, reflect.TypeOf(c.params)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
