package portal

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// News is an entry of the feed: something was published for a meeting. It is a
// hint of where to look, no more: entries can lack a date, and the feed says nothing of what is gone.
type News struct {
	MeetingID int64
	Headline  string // "City Council - Minutes - Jun 23, 2026 9:30 AM"
	Published string // as printed: "Fri, 26 Jun 2026 23:49:33 GMT"
}

// ParseFeed reads the feed. It calls itself XML in UTF-16 and is neither, so it
// is read as HTML in UTF-8; a feed that is real RSS is understood, too.
func ParseFeed(body []byte) ([]News, error) {
	// The declaration would be read as a comment that can swallow what follows.
	if start := bytes.Index(body, []byte("?>")); start >= 0 && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<?xml")) {
		body = body[start+2:]
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("read feed: %w", err)
	}
	doc := goquery.NewDocumentFromNode(root)
	var news []News
	for _, s := range doc.Find("div > h2").Parent().AddSelection(doc.Find("item")).EachIter() {
		n := News{Headline: fold(s.Find("h2, title").First().Text()), Published: fold(s.Find("em, pubdate").Last().Text())}
		n.Published = fold(string(bytes.TrimPrefix([]byte(n.Published), []byte("Published on:"))))
		for _, a := range s.Find("a[href]").EachIter() {
			if href := a.AttrOr("href", ""); n.MeetingID == 0 && leadsTo(href, "Detail_Meeting.aspx") {
				n.MeetingID = param(href, "ID")
			}
		}
		if n.Headline != "" && !slices.Contains(news, n) {
			news = append(news, n)
		}
	}
	if len(news) == 0 && doc.Find("h1, channel").Length() == 0 {
		return nil, fmt.Errorf("read feed: %w", ErrNotPortal)
	}
	return news, nil
}
