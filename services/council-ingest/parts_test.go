package councilingest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// These recordings have only parts of a portal. The parts are ingested completely. Missing parts
// are logged, requested again by the next ingest, and never treated as empty answers.
//
// Seattle has 1,000 events without items. That is a full page, so a second page is requested. 141
// events are meetings of the council, of which three are cancelled. Philadelphia has one committee
// meeting with 19 items and no votes. Olympia has three meetings of other boards. Other recorded
// parts cannot be ingested: votes and items without their meetings, histories and sponsors of
// matters, persons and their offices.
func TestRecordingsInPart(t *testing.T) {
	t.Parallel()
	for city, c := range map[string]struct {
		body, zone, items string // items names the event whose items were recorded, and the file
		want              string
	}{
		"seattle-wa": {"City Council", "America/Los_Angeles", "",
			"141 meetings, 3 cancelled, 141 agendas, 0 items, 0 votes"},
		"philadelphia-pa": {"Committee on Rules", "America/New_York", "6376 event_6376_items.json",
			"1 meetings, 0 cancelled, 1 agendas, 19 items, 0 votes"},
		"olympia-wa": {"Design Review Board", "America/Los_Angeles", "",
			"1 meetings, 0 cancelled, 1 agendas, 0 items, 0 votes"},
	} {
		t.Run(city, func(t *testing.T) {
			t.Parallel()
			folder, p := sample.Folder(t, "council/portals/legistar/"+city), newTape(t)
			read := func(name string, into any) {
				data, err := os.ReadFile(filepath.Join(folder, name))
				if err == nil {
					err = json.Unmarshal(data, into)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			list := "events.json"
			if city == "seattle-wa" {
				list = "events-1000.json"
			}
			var events []map[string]json.RawMessage
			read(list, &events)
			for _, e := range events {
				e["EventMinutesFile"] = json.RawMessage("null") // the recording does not have the file
				row, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				p.events = append(p.events, row)
			}
			if event, file, is := strings.Cut(c.items, " "); is {
				var rows json.RawMessage
				read(file, &rows)
				p.answers["/events/"+event+"/eventitems"] = rows
			}
			db := pgtest.New(t)
			deps, set := testDeps(t, db), p.settings(t, c.body, c.zone)
			sum := mustIngest(t, deps, set, Request{})
			pages, _, _ := p.counts()
			if full := len(p.events) == 1000; full != (pages > 1) || sum.Failed != 0 || sum.Votes != 0 {
				t.Errorf("%d events by %d requests, %+v", len(p.events), pages, sum)
			}
			if got := value[string](t, db, `
				SELECT format('%s meetings, %s cancelled, %s agendas, %s items, %s votes', count(*), count(*)
				       FILTER (WHERE cancelled), count(agenda_url), (SELECT count(*) FROM council.item),
				         (SELECT count(*) FROM council.vote))
				FROM council.meeting`); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			mustBeProven(t, deps, set)
			if _, items, _ := func() (int, int, int) {
				mustIngest(t, deps, set, Request{})
				return p.counts()
			}(); (items == 0) != (c.items != "") {
				t.Errorf("a second ingest requested the items of %d meetings", items)
			}
		})
	}
	t.Run("words", func(t *testing.T) {
		t.Parallel()
		var votes []struct{ VotePersonName, VoteValueName string }
		data, err := os.ReadFile(filepath.Join(sample.Folder(t, "council/portals/legistar/seattle-wa"), "votes_123047.json"))
		if err == nil {
			err = json.Unmarshal(data, &votes)
		}
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]int{}
		for _, v := range votes {
			p, known := portal.Words{}.Position(v.VoteValueName)
			said[fmt.Sprint(v.VoteValueName, " is ", p, " ", known)]++
		}
		if len(votes) != 5 || said[fmt.Sprint("In Favor is ", council.Aye, " true")] != 5 {
			t.Errorf("%v", said)
		}
	})
}
