package pages

import (
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// field is the field of a form, which has the value that the request gives.
func field(c *rest.Call, say view.Speaker, kind, name string, options ...view.Option) view.Field {
	f := view.Field{Name: name, Label: say.Text("filter." + name), Type: kind, Value: c.Param(name)}
	if len(options) > 0 {
		f.Options = append([]view.Option{{Text: say.Text("filter.any")}}, options...)
		for i := range f.Options {
			f.Options[i].Chosen = f.Options[i].Value == f.Value
		}
	}
	return f
}

// options are answers whose texts are the words with a key that begins so.
func options[T ~string](say view.Speaker, prefix string, values []T) []view.Option {
	list := make([]view.Option, len(values))
	for i, v := range values {
		list[i] = view.Option{Value: string(v), Text: say.Text(prefix + string(v))}
	}
	return list
}

// form is a form with these fields; more are behind a summary, which is open if one of them is set.
func form(h *site.Head, say view.Speaker, action string, fields []view.Field, more ...view.Field) view.Form {
	f := view.Form{Action: action, Button: say.Text("find.button"), Fields: fields, More: more}
	if h.Asked() {
		f.Lang = h.Lang
	}
	for _, one := range more {
		f.Open = f.Open || one.Value != ""
	}
	return f
}

// mostLines is how many votes a page lists at once: on a telephone more would be a long way to its end.
const mostLines = 15

// shorter is the part of a list that a page shows.
func shorter(k wire.Keyset) wire.Keyset {
	k.Limit = min(k.Limit, mostLines)
	k.Fetch = k.Limit + 1
	return k
}

// pager leads to the rest of a list by its cursors.
func pager(h *site.Head, c *rest.Call, next *string) view.Pager {
	var p view.Pager
	if next != nil {
		p.Next = h.Keep(c.SelfWith("cursor", *next))
	}
	if c.Param("cursor") != "" {
		p.First = h.Keep(c.SelfWith("cursor", ""))
	}
	return p
}
