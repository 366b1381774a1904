package notice

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// MaxBody is how many bytes the body of an annotation may have.
const MaxBody = 16 << 10

// RenderBody makes safe HTML of an annotation's body, which is written in "markdown" (GitHub's flavour) or "html".
// What remains is text, its structure, links and pictures by http, https, mailto and tel; scripts, styles,
// event handlers, forms, frames and data URLs do not.
func RenderBody(format, body string) (string, error) {
	if len(body) > MaxBody {
		return "", fmt.Errorf("the body has %d bytes, of which %d are allowed", len(body), MaxBody)
	}
	text := []byte(strings.ReplaceAll(strings.ToValidUTF8(body, "\uFFFD"), "\x00", "\uFFFD"))
	switch format {
	case "html":
	case "markdown":
		var b bytes.Buffer
		// HTML inside of Markdown is kept here and made safe below, like all else.
		md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
		if err := md.Convert(text, &b); err != nil {
			return "", fmt.Errorf("read Markdown: %w", err)
		}
		text = b.Bytes()
	default:
		return "", fmt.Errorf("a body is written in markdown or html, not in %q", format)
	}
	return strings.TrimSpace(string(safeHTML().SanitizeBytes(text))), nil
}

// safeHTML is what a body may hold.
func safeHTML() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "b", "em", "i", "u", "s", "del", "ins", "small",
		"mark", "sub", "sup", "code", "pre", "kbd", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "abbr", "time",
		"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "figure", "figcaption", "details", "summary", "a", "img")
	p.AllowURLSchemes("http", "https", "mailto", "tel")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(false)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src").OnElements("img")
	p.AllowAttrs("alt", "title").OnElements("img", "a", "abbr")
	p.AllowAttrs("width", "height").Matching(bluemonday.Integer).OnElements("img")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("td", "th")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("datetime").Matching(bluemonday.ISO8601).OnElements("time")
	p.AllowAttrs("lang").Matching(regexp.MustCompile(`^[A-Za-z0-9-]{1,35}$`)).Globally()
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^(ltr|rtl|auto)$`)).Globally()
	return p
}
