package portal

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/url"
	"regexp"
	"runtime/metrics"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/charset"
)

// ErrCostly says that a web page takes more memory to read than any real one does.
var ErrCostly = errors.New("the web page takes more memory to read than any real page")

const (
	// maxGrown is how much memory the reading of one page may take. A calendar of two decades takes
	// some 20 megabytes. The size of a page says little: HTML repeats tags that were left open, so
	// that a hundred kilobytes can become gigabytes.
	maxGrown = 512 << 20
	// maxGulp is how much is read between two looks at the memory: at its worst it becomes some 80
	// megabytes.
	maxGulp = 4 << 10
)

// ParsePage reads a web page, which can be hostile: it ends with ErrCostly before the page has
// taken all memory.
func ParsePage(body []byte) (*goquery.Document, error) { return parsePage(body, maxGrown) }

func parsePage(body []byte, most uint64) (*goquery.Document, error) {
	return goquery.NewDocumentFromReader(&frugal{from: bytes.NewReader(body), low: heap(), most: most})
}

// A frugal reader ends when the heap has grown by more than most since it began.
type frugal struct {
	from      io.Reader
	low, most uint64 // low is the least that was seen
}

func (f *frugal) Read(p []byte) (int, error) {
	now := heap()
	f.low = min(f.low, now)
	if now-f.low > f.most {
		return 0, ErrCostly
	}
	return f.from.Read(p[:min(len(p), maxGulp)])
}

// heap is how many bytes there are in use, or not cleared away yet.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

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
var notThere = regexp.MustCompile(
	`(?i)\bnot (?:yet |currently )?(?:been )?(?:available|posted|published)\b|\bno longer available\b`)

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

// Framed returns the address of the document that a web page, fetched from address, is only the
// frame of: some portals show files in a viewer. It is "" when the page is none.
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

// IDText is an id as text; "" for none.
func IDText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

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
