package councilapi

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
)

// What a feed reader takes from a feed.
type readFeed struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
	Links   []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Entries []struct {
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
		Summary string `xml:"summary"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Href string `xml:"href,attr"`
		} `xml:"link"`
	} `xml:"entry"`
}

// oneOfMany finds "1 nays".
var oneOfMany = regexp.MustCompile(`\b1 (aye|nay)s`)

// Every feed has the votes that Go picks out of all, at most the newest hundred.
func TestFeedsHaveTheNewestVotes(t *testing.T) {
	t.Parallel()
	reader, writer := testDB(t)
	w := newWorld(23, 90)
	w.store(t, writer)
	api := documented(t, testServer(t, reader))
	var all []*wVote
	for i := range w.votes {
		all = append(all, &w.votes[i])
	}
	slices.SortFunc(all, (*wVote).before)
	feeds := map[string]func(*wVote) bool{
		"votes.atom":       func(*wVote) bool { return true },
		"split-votes.atom": func(v *wVote) bool { return !v.unanimous },
	}
	for _, m := range w.members {
		feeds[fmt.Sprintf("members/%d/votes.atom", m.id)] = func(v *wVote) bool { return v.of(m.id) != "" }
	}
	for _, topic := range council.Topics() {
		feeds[fmt.Sprintf("topics/%s/votes.atom", topic)] = func(v *wVote) bool { return v.item.topic == topic }
	}
	full := 0
	for name, keep := range feeds {
		res := api.Get(t, "/v1/feeds/"+name)
		var f readFeed
		if err := xml.Unmarshal(res.Body, &f); res.Status != 200 || res.Header.Get("Content-Type") != "application/atom+xml" || err != nil {
			t.Errorf("%s: %d %s %v", name, res.Status, res.Header.Get("Content-Type"), err)
			continue
		}
		var want, got []string
		updated := time.Unix(0, 0)
		for _, v := range all {
			if !keep(v) || len(want) == 100 {
				continue
			}
			at := v.item.meeting.starts
			if at.After(updated) {
				updated = at
			}
			page := ""
			if v.page > 0 {
				page = fmt.Sprintf("#page=%d", v.page)
			}
			source := fmt.Sprintf("https://portal.example/minutes/%d", v.item.meeting.id)
			if !v.item.meeting.pdf {
				source = fmt.Sprintf("https://votes.example/v1/meetings/%d/minutes.txt", v.item.meeting.id)
			}
			want = append(want, fmt.Sprintf("tag:votes.example,2026-01-01:votes/%d %s %s: %s %s%s", v.id, at.Format(time.RFC3339), v.item.title, v.result, source, page))
		}
		for _, e := range f.Entries {
			got = append(got, fmt.Sprintf("%s %s %s %s", e.ID, e.Updated, e.Title, e.Links[0].Href))
			if e.Summary == "" || oneOfMany.MatchString(e.Summary) || e.Links[0].Rel != "alternate" {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
		if len(want) == 100 {
			full++
		}
		if f.Updated != updated.UTC().Format(time.RFC3339) || !strings.HasPrefix(f.Title, "City Council: ") || f.Author != "City Council" || f.ID == "" || f.Links[0].Rel != "self" || f.Links[0].Href != "https://votes.example/v1/feeds/"+name {
			t.Errorf("%s: head %+v", name, f)
		}
		if again := api.Get(t, "/v1/feeds/"+name, "If-None-Match", res.Header.Get("ETag")); again.Status != 304 {
			t.Errorf("%s: asked again with %s: %d", name, res.Header.Get("ETag"), again.Status)
		}
	}
	if full < 2 {
		t.Errorf("only %d feeds are cut", full)
	}
}

// A feed of nothing is a feed.
func TestEmptyFeed(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	api := documented(t, testServer(t, reader))
	var f readFeed
	res := api.Get(t, "/v1/feeds/votes.atom")
	if err := xml.Unmarshal(res.Body, &f); err != nil || res.Status != 200 || len(f.Entries) != 0 || f.Updated != "1970-01-01T00:00:00Z" {
		t.Errorf("%d %v %s", res.Status, err, res.Body)
	}
}
