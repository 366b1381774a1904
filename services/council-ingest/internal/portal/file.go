package portal

import (
	"bytes"
	"cmp"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

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
	doc, err := ParsePage(UTF8(page, ""))
	if err != nil {
		return false
	}
	doc.Find("script, style").Remove()
	text := Fold(doc.Text())
	return len(text) < maxNotice && notThere.MatchString(text)
}

var refreshURL = regexp.MustCompile(`(?is)url=(.*)`)

// Framed returns the address of the document that a web page, fetched from address, is only the frame of: some
// portals show files in a viewer. It is "" when the page is none.
func Framed(page []byte, address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	doc, err := ParsePage(UTF8(page, ""))
	if err != nil {
		return ""
	}
	href := ""
	for _, tag := range [][2]string{{"embed", "src"}, {"object", "data"}, {"iframe", "src"}, {"frame", "src"}} {
		href = cmp.Or(href, doc.Find(tag[0]+"["+tag[1]+"]").First().AttrOr(tag[1], ""))
	}
	for _, meta := range doc.Find("meta[http-equiv=refresh i]").EachIter() {
		if to := refreshURL.FindStringSubmatch(meta.AttrOr("content", "")); to != nil {
			href = cmp.Or(href, strings.Trim(to[1], `'" `))
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

// WebAddress reads an address of http or https; nil for anything else.
func WebAddress(s string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil
	}
	return u
}

// Link is a web address that people may follow; "" for anything else.
func Link(s string) string {
	u := WebAddress(s)
	if u == nil || u.User != nil {
		return ""
	}
	return u.String()
}
