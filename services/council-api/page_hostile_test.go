package councilapi

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/clerk"
)

// evil is hostile text in minutes: a formula, markup, and a change of writing direction.
const evil = "=cmd|' /C calc'!A0</script><script>alert(1)</script><img src=x " +
	"onerror=alert(2)>\u202e\u2066&amp;\"'{{.}}; javascript:alert(3), END:VEVENT"

// Hostile text in minutes stays text on pages, in frames, Atom, iCal, CSV and JSON-LD.
func TestHostileMinutesStayText(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 2, 8)
	vote, note := w.votes[0], w.notes[0]
	for i := range w.votes {
		if len(w.votes[i].roll) > len(vote.roll) {
			vote = w.votes[i]
		}
	}
	long := strings.Repeat("Ñ ", 1300) // about 3,900 bytes
	for _, sql := range []string{
		`UPDATE council.meeting SET title = $1, location = $1, body = $1`, `UPDATE council.item SET title = $1,
			item_number = $1, section = $1, summary = $1, classifier_model = $1 WHERE classified_at IS NOT NULL`,
		`UPDATE council.item SET title = $1, item_number = $1, section = $1`,
		`UPDATE council.vote SET motion_text = $1, result_raw = $1`, `UPDATE council.anomaly SET message = $1`,
		`UPDATE council.attendance SET name = $1, title = $1, status = $1
			WHERE ord % 2 = 0`, `UPDATE council.document_text SET text = $1`, `UPDATE council.change SET reason = $1`,
	} {
		if _, err := writer.Exec(t.Context(), sql, evil); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	member := vote.roll[0].member
	for id, name := range map[int64]string{member: evil, vote.roll[len(vote.roll)-1].member: long} {
		execSQL(t, writer, `UPDATE council.member SET full_name = $1, last_name = $1 WHERE id = $2`, name, id)
	}
	reviewed(t, writer, note.id, clerk.Replied, strings.NewReplacer("\u202e", "", "\u2066", "").Replace(evil),
		time.Unix(1e9, 0))
	srv := testServer(t, reader, func(c *Config) {
		c.Town, c.Embed = evil, "*"
		c.Mail = "clerk@votes.example"
	})

	shown := 0
	for _, path := range []string{"/", "/meetings", "/votes", "/members", "/members/agreement", "/topics", "/anomalies",
		"/changes", "/about", "/topics/housing", fmt.Sprintf("/votes/%d", vote.id), fmt.Sprintf("/embed/votes/%d", vote.id),
		fmt.Sprintf("/members/%d", member), fmt.Sprintf("/embed/members/%d", member),
		fmt.Sprintf("/members/%d/with/%d", member, vote.roll[1].member), fmt.Sprintf("/meetings/%d", vote.item.meeting.id),
		fmt.Sprintf("/meetings/%d/minutes", vote.item.meeting.id), fmt.Sprintf("/anomalies/%d", note.id)} {
		res := browse(t, srv, path)
		if res.Code != 200 {
			t.Errorf("%s: %d", path, res.Code)
			continue
		}
		all := elements(t, res.Body.String())
		for _, n := range all {
			linked := attr(n, "type") == "application/ld+json"
			switch {
			case n.Data == "img", n.Data == "script" && !linked && !strings.HasPrefix(attr(n, "src"), "/assets/"):
				t.Errorf("%s has an element from the minutes: %s", path, n.Data)
			case linked && n.Data == "script":
				var about map[string]any
				if err := json.Unmarshal([]byte(n.FirstChild.Data), &about); err != nil {
					t.Errorf("%s: JSON-LD: %v", path, err)
				}
				named := []any{about}
				if list, ok := about["itemListElement"].([]any); ok {
					named = list
				}
				if !slices.ContainsFunc(named, func(one any) bool {
					return strings.HasPrefix(one.(map[string]any)["name"].(string), "=cmd")
				}) && about["@type"] != "ItemList" {
					t.Errorf("%s: JSON-LD is about %q", path, about["name"])
				}
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
					t.Errorf("%s has an attribute from the minutes: %s=%s", path, a.Key, a.Val)
				}
			}
		}
		if strings.Contains(textIn(all[0]), strings.Join(strings.Fields(evil), " ")) {
			shown++
		}
	}
	if shown < 15 {
		t.Errorf("only %d pages show the text of the minutes", shown)
	}

	var feed readFeed
	if err := xml.Unmarshal(browse(t, srv, "/v1/search/votes.atom").Body.Bytes(), &feed); err != nil ||
		len(feed.Entries) != len(w.votes) || !strings.HasPrefix(feed.Entries[0].Title, evil) || feed.Author != evil {
		t.Errorf("Atom: %v, %d entries, %+v", err, len(feed.Entries), feed.Author)
	}
	calendar := browse(t, srv, "/v1/feeds/meetings.ics").Body.String()
	if n := strings.Count(calendar, "\r\nEND:VEVENT\r\n"); n != len(w.meetings) {
		t.Errorf("the calendar has %d of %d meetings", n, len(w.meetings))
	}
	rows, err := csv.NewReader(browse(t, srv, "/v1/search/votes.csv").Body).ReadAll()
	if err != nil || len(rows) != len(w.votes)+1 {
		t.Fatalf("CSV: %d rows, %v", len(rows), err)
	}
	if at := slices.Index(rows[0], "item_title"); rows[1][at] != "'"+evil {
		t.Errorf("CSV: %q", rows[1][at])
	}
	var o struct{ Title, HTML string }
	if err := json.Unmarshal(browse(t, srv, "/oembed?url="+url.QueryEscape(fmt.Sprintf("%s/members/%d", root, member))).
		Body.Bytes(), &o); err != nil || o.Title != evil {
		t.Errorf("oEmbed: %v %+v", err, o)
	}
	frames := 0
	for _, n := range elements(t, o.HTML) {
		switch n.Data {
		case "html", "head", "body":
		case "iframe":
			frames++
		default:
			t.Errorf("oEmbed has a %s", n.Data)
		}
	}
	if frames != 1 {
		t.Errorf("oEmbed has %d frames", frames)
	}
}
