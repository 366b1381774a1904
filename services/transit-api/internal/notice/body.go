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

// MaxBody is the largest body of an annotation, in bytes.
const MaxBody = 16 << 10

// RenderBody renders an annotation's body as safe HTML. The format is "markdown" (GitHub's flavour) or "html".
// It keeps text, its structure, and links and pictures by http, https, mailto and tel. It removes scripts, styles,
// event handlers, forms, frames and data URLs.
func RenderBody(format, body string) (string, error) {
	if len(body) > MaxBody {
		return "", fmt.Errorf("the body has %d bytes; at most %d are allowed", len(body), MaxBody)
	}
	text := []byte(strings.ReplaceAll(strings.ToValidUTF8(body, "\uFFFD"), "\x00", "\uFFFD"))
	switch format {
	case "html":
	case "markdown":
		var b bytes.Buffer
		// HTML inside Markdown is kept here and made safe below.
		md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
		if err := md.Convert(text, &b); err != nil {
			return "", fmt.Errorf("read Markdown: %w", err)
		}
		text = b.Bytes()
	default:
		return "", fmt.Errorf("unknown format %q of a body: want markdown or html", format)
	}
	return strings.TrimSpace(string(safeHTML().SanitizeBytes(text))), nil
}

// safeHTML is the HTML that a body may contain.
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
