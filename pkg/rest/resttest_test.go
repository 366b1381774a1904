package rest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

type paint string

func (paint) Values() []string { return []string{"red"} }

type body struct {
	List   []string `json:"list"`
	Colour paint    `json:"colour"`
	URL    *string  `json:"url"`
}

type params struct {
	What string `path:"what" enum:"good,list,colour"`
}

type problem struct {
	Detail string `json:"detail"`
}

// If an answer violates the description, the test that requested it fails.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	s, err := rest.New(rest.Config{Name: "x", Dialect: rest.Dialect{ErrorMedia: "application/json",
		ErrorBody: func(e *rest.Error, _ string) any {
			return problem{e.Detail}
		}}, Base: "/v1", PublicURL: "https://x.example/v1"}, rest.Table{
		rest.Func(rest.Spec{ID: "a", Path: "/a/{what}", Summary: "a"}, func(_ context.Context, _ *rest.Call,
			p params) (body, error) {
			b := body{List: []string{}, Colour: "red"}
			switch p.What {
			case "list":
				b.List = nil
			case "colour":
				b.Colour = "mauve"
			}
			return b, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	api := resttest.Open(t, s)
	for what, want := range map[string]string{"good": "", "other": "", "list": "/list", "colour": "/colour"} {
		r := &recorder{TB: t}
		api.Get(r, "/v1/a/"+what)
		if said := strings.Join(r.said, "\n"); (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%s: %s", what, said)
		}
	}
}
