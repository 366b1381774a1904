package portal

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/charset"
)

// UTF8 turns what is written in another encoding into UTF-8. Portals say UTF-16 of what
// is ASCII, so nobody is asked where the bytes are UTF-8 already.
func UTF8(body []byte, contentType string) []byte {
	if utf8.Valid(body) {
		return bytes.TrimPrefix(body, []byte("\ufeff"))
	}
	e, _, _ := charset.DetermineEncoding(body, contentType)
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return bytes.TrimPrefix(out, []byte("\ufeff"))
}

// notThere is what portals say, on an ordinary page, where a document should be.
var notThere = regexp.MustCompile(`(?i)\bnot (?:yet |currently )?(?:been )?(?:available|posted|published)\b|\bno longer available\b`)

// maxNotice is longer than any page that says that there is nothing.
const maxNotice = 2000

// IsNotice reports whether a web page that came instead of a document says that there is none yet.
func IsNotice(page []byte) bool {
	root, err := ParsePage(UTF8(page, ""))
	if err != nil {
		return false
	}
	doc := goquery.NewDocumentFromNode(root)
	doc.Find("script, style").Remove()
	text := Fold(doc.Text())
	return len(text) < maxNotice && notThere.MatchString(text)
}

// Framed returns the address of the document that a web page, fetched from address, is only the frame of: some portals show
// files in a viewer. It is "" when the page is none.
func Framed(page []byte, address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	root, err := ParsePage(UTF8(page, ""))
	if err != nil {
		return ""
	}
	doc := goquery.NewDocumentFromNode(root)
	href := ""
	for _, tag := range []struct{ find, attr string }{{"embed[src]", "src"}, {"object[data]", "data"}, {"iframe[src]", "src"}, {"frame[src]", "src"}} {
		href = doc.Find(tag.find).First().AttrOr(tag.attr, "")
		if href != "" {
			break
		}
	}
	for _, meta := range doc.Find("meta[http-equiv]").EachIter() {
		_, to, found := strings.Cut(strings.ToLower(meta.AttrOr("content", "")), "url=")
		if content := meta.AttrOr("content", ""); found && href == "" && strings.EqualFold(meta.AttrOr("http-equiv", ""), "refresh") {
			href = strings.Trim(content[len(content)-len(to):], `'" `)
		}
	}
	if to := Resolve(at, href); to != address {
		return to
	}
	return ""
}

// Fold makes one blank of every run of blanks, also of unbreakable ones.
func Fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// Resolve makes an address of a page absolute; "" for what leads nowhere.
func Resolve(page *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href == "#" || strings.HasPrefix(strings.ToLower(href), "javascript:") {
		return ""
	}
	u, err := page.Parse(strings.ReplaceAll(href, " ", "%20"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
