package rest

import (
	"net/url"
	"strings"
)

// URL fills the braces of a template with ids, in order. Each id is encoded as one path segment, so
// it may contain slashes, blanks and per cent signs.
func URL(base, template string, ids ...string) string {
	var b strings.Builder
	b.Grow(len(base) + len(template) + 16*len(ids))
	b.WriteString(strings.TrimSuffix(base, "/"))
	for _, id := range ids {
		before, name, _ := strings.Cut(template, "{")
		_, after, closed := strings.Cut(name, "}")
		if !closed {
			break
		}
		b.WriteString(before)
		b.WriteString(url.PathEscape(id))
		template = after
	}
	b.WriteString(template)
	return b.String()
}
