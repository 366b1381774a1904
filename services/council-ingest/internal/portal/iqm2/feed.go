package iqm2

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// ParseFeed reads the feed. It calls itself XML in UTF-16 and is neither, so it
// is read as HTML in UTF-8; a feed that is real RSS is understood, too.
func ParseFeed(body []byte) ([]portal.News, error) {
	// The declaration would be read as a comment that can swallow what follows.
	if start := bytes.Index(body, []byte("?>")); start >= 0 && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<?xml")) {
		body = body[start+2:]
	}
	doc, err := portal.ParsePage(body)
	if err != nil {
		return nil, fmt.Errorf("read feed: %w", err)
	}
	var news []portal.News
	for _, s := range doc.Find("div > h2").Parent().AddSelection(doc.Find("item")).EachIter() {
		published := portal.Fold(s.Find("em, pubdate").Last().Text())
		n := portal.News{Headline: portal.Fold(s.Find("h2, title").First().Text()),
			Published: strings.TrimSpace(strings.TrimPrefix(published, "Published on:"))}
		for _, a := range s.Find("a[href]").EachIter() {
			if href := a.AttrOr("href", ""); n.MeetingID == "" && leadsTo(href, "Detail_Meeting.aspx") {
				n.MeetingID = number(param(href, "ID"))
			}
		}
		if n.Headline != "" && !slices.Contains(news, n) {
			news = append(news, n)
		}
	}
	if len(news) == 0 && doc.Find("h1, channel").Length() == 0 {
		return nil, fmt.Errorf("read feed: %w", portal.ErrNotPortal)
	}
	return news, nil
}
