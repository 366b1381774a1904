package pages

import (
	"slices"

	"github.com/townline/townline/services/council-api/internal/wire"
)

type form struct {
	Action string
	Lang   string // "" if the address need not name the language
	Fields []field
	More   []field // fields that a summary element hides
	Open   bool    // a field of More has a value, so the summary element is open
}

// A field is one filter. With options it is a selection.
type field struct {
	Name, Label, Type, Value string
	Options                  []option
}

type option struct{ Value, Text string }

func (p *page) field(kind, name string, options ...option) field {
	f := field{Name: name, Label: p.Text("filter." + name), Type: kind, Value: p.c.Param(name)}
	if len(options) > 0 {
		f.Options = append([]option{{Text: p.Text("filter.any")}}, options...)
	}
	return f
}

// searchForm puts the search into the page, in place of the field in the header.
func (p *page) searchForm(more ...field) {
	f := p.field("search", "q")
	f.Label = p.Text("search.box")
	p.Search, p.Find = "", p.form(p.c.Path(searchPath), append([]field{f}, more...))
}

func options[T ~string](p *page, prefix string, values []T) []option {
	return each(values, func(v *T) option { return option{string(*v), p.Text(prefix + string(*v))} })
}

// form returns a form. A summary element hides the fields of more, unless one of them has a value.
func (p *page) form(action string, fields []field, more ...field) form {
	f := form{Action: action, Fields: fields, More: more}
	if p.Asked() {
		f.Lang = p.Lang
	}
	f.opened()
	return f
}

// opened opens the summary element if one of its fields has a value.
func (f *form) opened() {
	f.Open = slices.ContainsFunc(f.More, func(one field) bool { return one.Value != "" })
}

// Searches reports whether the form searches for words, so that it does not only filter a list.
func (f form) Searches() bool {
	return slices.ContainsFunc(f.Fields, func(one field) bool { return one.Type == "search" })
}

// maxLines is the number of votes that a page lists at once, so that the list is not too long for a
// phone.
const maxLines = 15

// shorten limits a list to the number of entries that a page shows.
func shorten(k wire.Keyset) wire.Keyset {
	k.Limit = min(k.Limit, maxLines)
	k.Fetch = k.Limit + 1
	return k
}
