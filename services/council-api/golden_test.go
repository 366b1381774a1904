package councilapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/rest/resttest"
)

var update = flag.Bool("update", false, "write the golden answers anew")

// One answer of every endpoint, byte by byte but for indentation.
func TestGoldenAnswers(t *testing.T) {
	t.Parallel()
	reader, writer := testDB(t)
	w := newWorld(2, 8)
	w.store(t, writer)
	api := resttest.Open(t, testServer(t, reader))
	m, v := complete(w), w.votes[0]
	for _, other := range w.votes {
		if len(other.roll) > len(v.roll) {
			v = other
		}
	}
	member := v.roll[0].member
	for name, path := range map[string]string{
		"meetings":     "/meetings?limit=2",
		"meeting":      fmt.Sprintf("/meetings/%d", m.id),
		"items":        "/items?limit=2&topic=" + topicOf(w),
		"items-member": fmt.Sprintf("/items?limit=2&member=%d&position=aye", member),
		"item":         fmt.Sprintf("/items/%d", v.item.id),
		"votes":        "/votes?limit=2&split=true",
		"vote":         fmt.Sprintf("/votes/%d", v.id),
		"members":      "/members",
		"member":       fmt.Sprintf("/members/%d", member),
		"member-votes": fmt.Sprintf("/members/%d/votes?limit=2", member),
		"agreement":    fmt.Sprintf("/members/%d/agreement?include_consent=true", member),
		"shared-votes": fmt.Sprintf("/members/%d/agreement/%d?limit=2&include_consent=true", member, v.roll[1].member),
		"anomalies":    "/anomalies?limit=2",
		"changes":      "/changes?limit=4",
		"topics":       "/topics",
		"timeline":     "/topics/timeline",
		"stats":        "/stats",
		"member.atom":  fmt.Sprintf("/feeds/members/%d/votes.atom", member),
		"meetings.ics": "/feeds/meetings.ics",
	} {
		res := api.Get(t, "/v1"+path)
		var got bytes.Buffer
		var err error
		file := filepath.Join("testdata", name)
		if filepath.Ext(name) == "" {
			file += ".json"
			err = json.Indent(&got, res.Body, "", " ")
		} else {
			got.Write(res.Body)
		}
		if res.Status != 200 || err != nil {
			t.Errorf("%s: %d %s", path, res.Status, res.Body)
			continue
		}
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s: (-want +got)\n%s", path, d)
		}
	}
}

// topicOf is a topic that some item of the world has.
func topicOf(w *world) string {
	for _, it := range w.items {
		if it.topic != "" {
			return string(it.topic)
		}
	}
	return ""
}
