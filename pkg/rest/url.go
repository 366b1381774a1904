package rest

import (
	"net/url"
	"strings"
)

// URL builds an absolute address: the template's braces are filled with the ids
// in order, each percent-encoded as one path segment, so that an id may hold
// slashes, blanks or per cent signs.
func URL(base, template string, ids ...string) string {
	var b strings.Builder
	b.Grow(len(base) + len(template) + 16*len(ids))
	b.WriteString(strings.TrimSuffix(base, "/"))
	for len(ids) > 0 {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			break
		}
		shut := strings.IndexByte(template[open:], '}')
		if shut < 0 {
			break
		}
		b.WriteString(template[:open])
		b.WriteString(url.PathEscape(ids[0]))
		template, ids = template[open+shut+1:], ids[1:]
	}
	b.WriteString(template)
	return b.String()
}

// Template is the endpoint's address as an RFC 6570 URI template with its query parameters.
func (e *Endpoint) Template(base string, d Dialect) string {
	var names []string
	for _, p := range e.plan.params {
		if !p.inPath {
			names = append(names, p.name)
		}
	}
	if d.FormatParam != "" && !e.AnyFormat {
		names = append(names, d.FormatParam)
	}
	t := strings.TrimSuffix(base, "/") + e.Path
	if len(names) > 0 {
		t += "{?" + strings.Join(names, ",") + "}"
	}
	return t
}
