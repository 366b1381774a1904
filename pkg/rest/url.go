package rest

import (
	"net/url"
	"strings"
)

// URL fills the braces of a template with ids, in order. Each is encoded as one path segment, so an
// id may hold slashes, blanks or per cent signs.
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
