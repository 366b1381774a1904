package portal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"runtime/metrics"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/charset"

	"github.com/townline/townline/pkg/council"
)

// ErrCostly means that a web page needs more memory than any real page.
var ErrCostly = errors.New("the web page takes more memory to read than any real page")

const (
	// maxGrowth bounds the memory of one page. A calendar of two decades takes about 20 megabytes. The
	// size of the HTML is no bound, because the parser repeats unclosed tags: a hundred kilobytes can
	// become gigabytes.
	maxGrowth = 512 << 20
	// maxChunk is the number of bytes that are parsed between two checks of the heap. They become at
	// most 80 megabytes.
	maxChunk = 4 << 10
)

// ParsePage parses a web page, which may be hostile. It returns ErrCostly if the page needs too
// much memory.
func ParsePage(body []byte) (*goquery.Document, error) { return parsePage(body, maxGrowth) }

// ParseWholePage is ParsePage for a page of a portal, whose end must be there. Portals truncate
// pages under load, and a truncated page would look like deleted meetings or items.
func ParseWholePage(body []byte) (*goquery.Document, error) {
	tail := body[max(0, len(body)-64<<10):] // comments and scripts can follow
	if !bytes.Contains(bytes.ToLower(tail), []byte("</html>")) {
		return nil, fmt.Errorf("%w: the page has no end", ErrNotPortal)
	}
	doc, err := ParsePage(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotPortal, err)
	}
	return doc, nil
}

func parsePage(body []byte, most uint64) (*goquery.Document, error) {
	return goquery.NewDocumentFromReader(&heapLimiter{from: bytes.NewReader(body), low: heap(), most: most})
}

// A heapLimiter returns an error when the heap has grown by more than most bytes.
type heapLimiter struct {
	from      io.Reader
	low, most uint64 // low is the size of the smallest heap so far
}

func (f *heapLimiter) Read(p []byte) (int, error) {
	now := heap()
	f.low = min(f.low, now)
	if now-f.low > f.most {
		return 0, ErrCostly
	}
	return f.from.Read(p[:min(len(p), maxChunk)])
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// UTF8 converts text to UTF-8. It keeps text that is valid UTF-8, whatever the content type is,
// because some portals declare ASCII as UTF-16.
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

// notPublished matches the text that portals show instead of a document.
var notPublished = regexp.MustCompile(
	`(?i)\bnot (?:yet |currently )?(?:been )?(?:available|posted|published)\b|\bno longer available\b`)

const maxNotice = 2000

// IsUnpublished reports whether a web page says that the requested document does not exist yet.
func IsUnpublished(page []byte) bool {
	doc, err := ParsePage(UTF8(page, ""))
	if err != nil {
		return false
	}
	doc.Find("script, style").Remove()
	text := council.Fold(doc.Text())
	return len(text) < maxNotice && notPublished.MatchString(text)
}

var refreshURL = regexp.MustCompile(`(?is)url=(.*)`)

// FramedURL returns the address of the document in a viewer page, which some portals send instead
// of a file. It returns "" for any other page. address is the address of the page.
func FramedURL(page []byte, address string) string {
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

// Resolve makes a link of a page absolute. It returns "" if the link is not a web address.
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

// WebAddress parses an http or https address. It returns nil for anything else.
func WebAddress(s string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil
	}
	return u
}

// PublicURL returns a web address without credentials, or "" for anything else.
func PublicURL(s string) string {
	u := WebAddress(s)
	if u == nil || u.User != nil {
		return ""
	}
	return u.String()
}

// Town returns the town in an address on a vendor's domain, which is the first label of the host
// name. It returns "" for other addresses.
func Town(address *url.URL, domain string) string {
	town, ours := strings.CutSuffix(strings.ToLower(address.Hostname()), "."+domain)
	town, _, _ = strings.Cut(town, ".")
	if !ours || town == "www" {
		return ""
	}
	return town
}
