package annotation

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markup "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Message is an active annotation as plain text.
type Message struct {
	Annotation
	Text       string    // never empty
	Start, End time.Time // zero means open-ended
}

// Messages returns the active annotations with a text for a feed, and when they last changed. It
// omits annotations of entities that the feed lacks.
func (s *State) Messages(alias string, hasEntity func(entityType, id string) bool) (all []Message, changed time.Time) {
	applies := func(n *scheduled) bool {
		return n.Text != "" && n.isOf(&alias) && n.concerns(hasEntity)
	}
	for _, n := range s.all {
		if applies(n) && n.lastChange(s.at).After(changed) {
			changed = n.lastChange(s.at)
		}
	}
	for _, n := range s.active {
		if applies(n) {
			all = append(all, Message{n.Annotation, n.Text, n.start, n.end})
		}
	}
	return all, changed
}

// lastChange returns when the annotation last became active or ended. It considers hours of the
// last week only.
func (n *scheduled) lastChange(now time.Time) time.Time {
	last := n.CreatedAt.Time
	later := func(t time.Time) {
		if !t.After(now) && t.After(last) {
			last = t
		}
	}
	later(n.start)
	later(n.end)
	if n.HoursFrom == nil {
		return last
	}
	if !n.end.IsZero() && now.After(n.end) {
		now = n.end
	}
	for _, edge := range n.edges(now) {
		later(edge.Add(-minutesOfWeek * time.Minute))
	}
	return last
}

// Plain converts HTML to text: each paragraph and list item becomes a line. If links is true, a
// link's address follows its text.
func Plain(body string, links bool) string {
	var b strings.Builder
	hidden := false // inside an element that no reader sees
	var href string // address of the open link
	begun := 0      // offset of the link's text
	z := html.NewTokenizer(strings.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return tidy(b.String())
		case html.TextToken:
			if hidden {
				continue
			}
			b.WriteString(strings.ReplaceAll(string(z.Text()), "\n", " "))
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch {
			case slices.Contains(unseen, t.DataAtom):
				hidden = t.Type == html.StartTagToken
			case t.DataAtom == atom.A:
				href, begun = attribute(t, "href"), b.Len()
			case t.DataAtom == atom.Img:
				b.WriteString(attribute(t, "alt"))
			case t.DataAtom == atom.Td || t.DataAtom == atom.Th:
				b.WriteByte(' ')
			case !slices.Contains(inline, t.DataAtom):
				b.WriteByte('\n')
			}
		case html.EndTagToken:
			t := z.Token()
			hidden = false
			switch {
			case t.DataAtom == atom.A:
				if text := b.String()[begun:]; links && strings.Contains(href, "://") && !strings.Contains(text, href) {
					b.WriteString(" (" + href + ")")
				}
				href = ""
			case !slices.Contains(inline, t.DataAtom) && !slices.Contains(unseen, t.DataAtom):
				b.WriteByte('\n')
			}
		}
	}
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

var inline = []atom.Atom{atom.A, atom.Span, atom.Strong, atom.B, atom.Em, atom.I, atom.U, atom.S, atom.Del, atom.Ins,
	atom.Small, atom.Mark, atom.Sub, atom.Sup, atom.Code, atom.Kbd, atom.Abbr, atom.Time, atom.Img, atom.Td, atom.Th,
	atom.Font, atom.Strike, atom.Big, atom.Q, atom.Cite, atom.Var, atom.Dfn, atom.Samp, atom.Bdi, atom.Bdo, atom.Wbr,
	atom.Label}

// unseen are the elements whose content no reader sees.
var unseen = []atom.Atom{atom.Script, atom.Style, atom.Iframe, atom.Noembed, atom.Noframes}

func tidy(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// Headline returns the first line of a message, shortened if it is long.
func (m *Message) Headline() string {
	const limit = 80
	line, _, _ := strings.Cut(m.Text, "\n")
	runes := []rune(line)
	if len(runes) <= limit {
		return line
	}
	short := string(runes[:limit-1])
	if i := strings.LastIndexByte(short, ' '); i > limit/2 {
		short = short[:i]
	}
	return short + "…"
}

// MaxBody is the maximum size of an annotation's body, in bytes.
const MaxBody = 16 << 10

// RenderBody renders an annotation's body as safe HTML. The format is "markdown" (GitHub's flavour)
// or "html". RenderBody keeps text, structure, links and pictures with http, https, mailto and tel
// URLs; it removes scripts, styles, event handlers, forms, frames and data URLs.
func RenderBody(format, body string) (string, error) {
	if len(body) > MaxBody {
		return "", fmt.Errorf("the body has %d bytes; at most %d are allowed", len(body), MaxBody)
	}
	text := []byte(strings.ReplaceAll(strings.ToValidUTF8(body, "\uFFFD"), "\x00", "\uFFFD"))
	switch format {
	case "html":
	case "markdown":
		var b bytes.Buffer
		// HTML in Markdown may be unsafe here, because it is sanitized below.
		md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(markup.WithUnsafe()))
		if err := md.Convert(text, &b); err != nil {
			return "", fmt.Errorf("read Markdown: %w", err)
		}
		text = b.Bytes()
	default:
		return "", fmt.Errorf("the format of a body must be markdown or html, not %q", format)
	}
	return strings.TrimSpace(string(safeHTML().SanitizeBytes(text))), nil
}

func safeHTML() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "b", "em", "i", "u", "s",
		"del", "ins", "small",
		"mark", "sub", "sup", "code", "pre", "kbd", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "abbr", "time",
		"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "figure", "figcaption", "details", "summary", "a",
		"img")
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
