package councilapi

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
)

// readFeed has the parts of a feed that a feed reader uses.
type readFeed struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
	Entries []struct {
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
		Summary string `xml:"summary"`
	} `xml:"entry"`
}

// oneOfMany matches wrong plurals such as "1 nays".
var oneOfMany = regexp.MustCompile(`\b1 (aye|nay)s`)

// Every feed has the newest hundred votes of its list.
func TestFeedsHaveTheNewestVotes(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 23, 90)
	api := documented(t, testServer(t, reader))
	lists := map[string]string{"votes.atom": "votes?limit=100", "split-votes.atom": "votes?limit=100&split=true"}
	for _, m := range w.members {
		lists[fmt.Sprintf("members/%d/votes.atom", m.id)] = fmt.Sprintf("members/%d/votes?limit=100", m.id)
	}
	for _, topic := range council.Topics() {
		lists[fmt.Sprintf("topics/%s/votes.atom", topic)] = "votes?limit=100&topic=" + string(topic)
	}
	full := 0
	for name, list := range lists {
		var f readFeed
		if err := xml.Unmarshal(api.Get(t, "/v1/feeds/"+name).Body, &f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var votes struct {
			Data []struct {
				ID       int64
				ParsedAt string `json:"parsed_at"`
			}
		}
		api.Get(t, "/v1/"+list).JSON(t, &votes)
		var want, got []string
		updated := "1970-01-01T00:00:00Z"
		for _, v := range votes.Data {
			want = append(want, fmt.Sprintf("tag:votes.example,2026-01-01:votes/%d %s", v.ID, v.ParsedAt))
			updated = max(updated, v.ParsedAt)
		}
		for _, e := range f.Entries {
			got = append(got, e.ID+" "+e.Updated)
			if e.Summary == "" || oneOfMany.MatchString(e.Summary) {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if d := gocmp.Diff(want, got); d != "" || f.Updated != updated {
			t.Errorf("%s, updated %s, want %s: (-want +got)\n%s", name, f.Updated, updated, d)
		}
		if len(want) == 100 {
			full++
		}
	}
	if full < 2 {
		t.Errorf("only %d feeds reach the limit", full)
	}
}

func TestEmptyFeedIsValid(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	api := documented(t, testServer(t, reader))
	var f readFeed
	res := api.Get(t, "/v1/feeds/votes.atom")
	if err := xml.Unmarshal(res.Body, &f); err != nil || res.Status != 200 || len(f.Entries) != 0 ||
		f.Updated != "1970-01-01T00:00:00Z" {
		t.Errorf("%d %v %s", res.Status, err, res.Body)
	}
}
