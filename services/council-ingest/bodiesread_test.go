package councilingest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pgtest"
)

// bodiesStored lists the bodies with their meetings, votes and problems.
func bodiesStored(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return list2(t, db, `SELECT concat_ws(' ', b.slug, (SELECT count(*) FROM council.meeting m WHERE m.body_id = b.body_id),
		(SELECT count(*) FROM council.vote v WHERE v.body_id = b.body_id), b.kind, b.problem) FROM council.body b ORDER BY b.slug`)
}

// If one or two of three bodies fail, the others are read completely, and the failures are
// recorded.
func TestFailingBodies(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	for i, body := range []string{"Council", "Planning Board", "Zoning Board"} {
		for k := range 2 {
			p.hold(10*i+k+1, 138+i, body, fmt.Sprintf("2026-01-%02d", 10*i+k+1), "0 Ada Moss Aye", "0 Ben Reed Nay")
		}
	}
	down := map[int]bool{}
	answer := p.playback.answer
	p.playback.answer = func(r *http.Request) (int, []byte) {
		for id := range down {
			if strings.Contains(strings.ToLower(r.URL.Path), fmt.Sprintf("/%d/eventitems", id)) {
				return http.StatusOK, []byte(`{"Message": "trouble"}`)
			}
		}
		return answer(r)
	}
	broken, whole := "council 2 2", " 1 meeting could not be read in full"
	for _, c := range []struct {
		down []int
		want []string
	}{
		{[]int{11}, []string{broken, "planning-board 2 1" + whole, "zoning-board 2 2"}},
		{[]int{11, 21}, []string{broken, "planning-board 2 1" + whole, "zoning-board 2 2" + whole}},
		{nil, []string{broken, "planning-board 2 2", "zoning-board 2 2"}},
	} {
		clear(down)
		for _, id := range c.down {
			down[id] = true
		}
		sum := mustIngest(t, deps, yaml(""), Request{All: true})
		if d := cmp.Diff(c.want, bodiesStored(t, deps.DB)); d != "" || sum.Failed != len(c.down) ||
			(sum.Incomplete() != nil) != (len(c.down) > 0) {
			t.Errorf("failing %v: %+v, incomplete: %v\n%s", c.down, sum, sum.Incomplete(), d)
		}
	}
}

// The portal's ids identify bodies even if their names change. kinds are the portal's words.
func TestBodiesByTheirIDs(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	p.answers["/bodies"] = json.RawMessage(`[{"BodyId": 138, "BodyName": "Council", "BodyTypeName": "Primary Legislative Body"},
		{"BodyId": 139, "BodyName": "Parks Board", "BodyTypeName": "Committee"}]`)
	p.hold(1, 138, "Council", "2026-01-05", "0 Ada Moss Aye")
	p.hold(2, 139, "Parks Board", "2026-01-06", "0 Ada Moss Aye")
	p.hold(3, 139, "Parks Baord", "2026-01-07", "0 Ada Moss Aye")
	p.hold(8, 139, "Parks Board", "2026-01-12", "0 Ada Moss Aye")
	p.hold(4, 139, "Parks and Rivers Board", "2026-01-08", "0 Ada Moss Aye")
	p.hold(5, 140, "Joint Meeting of the Council and Parks Board", "2026-01-09", "0 Ada Moss Aye")
	p.hold(6, 0, "Parks Board & Council", "2026-01-10", "0 Ada Moss Aye")
	p.hold(7, 0, "Special Session of the Council", "2026-01-11", "0 Ada Moss Aye")
	mustIngest(t, deps, yaml(""), Request{})
	want := []string{"council 2 2 Primary Legislative Body", "joint-meeting-of-the-council-and-parks-board 2 2",
		"parks-board 4 4 Committee"}
	if d := cmp.Diff(want, bodiesStored(t, deps.DB)); d != "" {
		t.Errorf("bodies (-want +got)\n%s", d)
	}
	parts := list2(t, deps.DB, `SELECT b.slug FROM council.body_part p JOIN council.body b ON b.body_id = p.part_id ORDER BY 1`)
	if d := cmp.Diff([]string{"council", "parks-board"}, parts); d != "" {
		t.Errorf("parts (-want +got)\n%s", d)
	}
}

// A list of names and patterns selects bodies and their settings. A matching body that appears
// later is read. A body that was removed from the list is no longer read.
func TestListOfBodies(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	const list = "body: Council\nmeeting_types: {Regular Meeting: regular}\n" +
		"results: {Waved Through: adopted}\nbodies:\n- {name: \"*Board\", except: [\"Tree*\"]," +
		" meeting_types: {Regular Meeting: special}, time: \"18:30\", results: {Waved Through: failed}}\n"
	set := func(more string) *Settings {
		return readYAML(t, fmt.Sprintf("portal: {url: %q, product: legistar, name: legistar/town, pause: 0s}\n"+
			"time_zone: UTC\n%s", yaml("").Portal.URL, list+more))
	}
	hold := func(id int, body string) { p.hold(id, 0, body, fmt.Sprintf("2026-01-%02d", id), "0 Ada Moss Aye") }
	hold(1, "Council")
	hold(2, "Port Board")
	hold(3, "Tree Board")
	hold(4, "Budget Committee")
	for i, raw := range p.events {
		p.events[i] = json.RawMessage(strings.Replace(string(raw), "6:00 PM", "", 1))
	}
	for _, id := range []int{1, 2} {
		path := fmt.Sprintf("/events/%d/eventitems", id)
		p.answers[path] = json.RawMessage(strings.NewReplacer(`"Passed"`, `"Waved Through"`, `"EventItemPassedFlag": 1,`, "",
			`"EventItemPassedFlagName": "Pass"`, `"EventItemPassedFlagName": null`).Replace(string(p.answers[path])))
	}
	mustIngest(t, deps, set(""), Request{})
	if d := cmp.Diff([]string{"council 1 1", "port-board 1 1"}, bodiesStored(t, deps.DB)); d != "" {
		t.Errorf("bodies of the first ingest (-want +got)\n%s", d)
	}
	got := list2(t, deps.DB, `SELECT concat_ws(' ', body, meeting_type, m.starts_at AT TIME ZONE 'UTC', result)
		FROM council.meeting m JOIN council.vote USING (iqm2_id) ORDER BY 1`)
	want := []string{"Council regular 2026-01-01 00:00:00 adopted", "Port Board special 2026-01-02 18:30:00 failed"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("settings by body (-want +got)\n%s", d)
	}
	unread := list2(t, deps.DB, `SELECT name FROM council.body_key WHERE body_id IS NULL ORDER BY 1`)
	if d := cmp.Diff([]string{"Budget Committee", "Tree Board"}, unread); d != "" {
		t.Errorf("bodies that are not read (-want +got)\n%s", d)
	}
	hold(5, "Harbour Board")
	hold(6, "Harbuor Board")
	mustIngest(t, deps, set("- Budget Committee\n"), Request{})
	if d := cmp.Diff([]string{"budget-committee 1 1", "council 1 1", "harbour-board 2 2", "port-board 1 1"},
		bodiesStored(t, deps.DB)); d != "" {
		t.Errorf("bodies of the second ingest (-want +got)\n%s", d)
	}
	hold(7, "Budget Committee")
	mustIngest(t, deps, set("- Harbuor Board\n"), Request{All: true})
	if d := cmp.Diff([]string{"budget-committee 1 1", "council 1 1", "harbour-board 1 1", "harbuor-board 1 1",
		"port-board 1 1"}, bodiesStored(t, deps.DB)); d != "" {
		t.Errorf("bodies with another list (-want +got)\n%s", d)
	}
	checkTallies(t, deps.DB)
}

// Documents and words that are configured for one body do not apply to other bodies.
func TestSettingsOfABody(t *testing.T) {
	t.Parallel()
	set := readYAML(t, "portal: {url: https://town.primegov.com}\ndocuments: [minutes]\nresults: {A: adopted, B: failed}\n"+
		"dialect: {offices: reeve}\nbodies:\n- all\n- {name: Port Board, documents: [actions], results: {B: tabled},"+
		" dialect: {offices: commissioner}}")
	port, other := set.For("port board"), set.For("Tree Board")
	if d := cmp.Diff([]string{"actions"}, port.Documents); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]council.Result{"A": council.Adopted, "B": council.Tabled}, port.Results); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]council.Result{"A": council.Adopted, "B": council.Failed}, other.Results); d != "" {
		t.Error(d)
	}
	if p, o := port.Dialect.Offices, other.Dialect.Offices; !strings.Contains(p, "commissioner") ||
		!strings.Contains(p, "reeve") || strings.Contains(o, "commissioner") || other.Documents[0] != "minutes" {
		t.Errorf("offices %q and %q, documents %v", p, o, other.Documents)
	}
	for name, want := range map[string]bool{"Port Board": true, "Tree Board": true} {
		if set.ReadsBody(name) != want {
			t.Errorf("ReadsBody(%s) = %t", name, !want)
		}
	}
}

// If an ingest is interrupted between two bodies, the next ingest continues. Two concurrent ingests
// read each meeting once.
func TestBodiesInTwoIngests(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	for i, body := range []string{"Council", "Planning Board", "Zoning Board"} {
		p.hold(i+1, 138+i, body, fmt.Sprintf("2026-01-%02d", i+1), "0 Ada Moss Aye", "0 Ben Reed Nay")
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Ingest(ctx, deps, yaml(""), Request{AllowPrivate: true, Progress: func(Progress) { cancel() }})
	if err == nil {
		t.Error("no error from an interrupted ingest")
	}
	if d := cmp.Diff([]string{"council 1 1", "planning-board 0 0", "zoning-board 0 0"},
		bodiesStored(t, deps.DB)); d != "" {
		t.Errorf("after the interrupted ingest (-want +got)\n%s", d)
	}
	ended := make(chan error)
	waiting := make(chan string, 2)
	set := yaml("")
	for range 2 {
		go func() {
			_, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true,
				Waiting: func(message string) { waiting <- message }})
			ended <- err
		}()
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if d := cmp.Diff([]string{"council 1 1", "planning-board 1 1", "zoning-board 1 1"},
		bodiesStored(t, deps.DB)); d != "" {
		t.Errorf("after the next ingest (-want +got)\n%s", d)
	}
	if n := value[int](t, deps.DB, `SELECT count(*) FROM council.change WHERE kind = 'vote_added'`); n != 3 {
		t.Errorf("%d votes added", n)
	}
	checkTallies(t, deps.DB)
	mustBeProven(t, deps, set)
}

// With --body, only one body is read.
func TestIngestOfOneBody(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	p.hold(1, 138, "Council", "2026-01-05", "0 Ada Moss Aye")
	p.hold(2, 139, "Planning Board", "2026-01-06", "0 Ada Moss Aye")
	sum := mustIngest(t, deps, yaml(""), Request{Body: "planning board"})
	if d := cmp.Diff([]string{"council 0 0", "planning-board 1 1"},
		bodiesStored(t, deps.DB)); d != "" || sum.Meetings != 1 {
		t.Errorf("%+v\n%s", sum, d)
	}
	if n := value[int](t, deps.DB, `SELECT count(checked_at) FROM council.body`); n != 1 {
		t.Errorf("%d bodies were checked", n)
	}
	if _, err := Ingest(t.Context(), deps, yaml(""), Request{AllowPrivate: true, Body: "Zoning"}); err == nil ||
		!strings.Contains(err.Error(), `"Zoning"`) {
		t.Error(err)
	}
}

// Names with the same person id at the portal are one person from the start.
func TestPeopleByTheirIDs(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	p.hold(1, 138, "Council", "2026-01-05", "7 Ada Moss Aye", "8 Ben Reed Nay")
	p.hold(2, 139, "Planning Board", "2026-01-06", "7 A. Moss Aye", "9 Ben Reed Nay", "10 Ann Moss Aye")
	mustIngest(t, deps, yaml(""), Request{})
	wantPositions(t, deps, yaml(""), "1 council: Ada Moss 1, Ben Reed 2",
		"2 planning-board: Ada Moss 1, Ann Moss 3, Ben Reed 4")
}

// Names on calendars contain kinds, states, days and typos, which are not part of the body's name.
// Sub-committees, numbers and letters distinguish bodies.
func TestNamesOnCalendars(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"City Council": {"City Council", "City Council Special Meeting", "City Council - CANCELLED", "CANCELLED City Council",
			"Special City Council Meeting", "City Council (Rescheduled)", "City Council Regular Meeting 1/5/2026",
			"City Council - January 5, 2026", "Regular City Council Meeting - 6:00 PM", "Special Meeting of the City Council"},
		"Budget Committee": {"Budget Committee", "Budget Committee- THIS IS CONSIDERED A SPECIAL MEETING",
			"Budget Committee – Special Meeting", "SPECIAL Budget Committee", "Budget Committee *Special*", "Budget Committee: Tour"},
		"Planning Commission": {"Planning Commission", "Plannning Commission", "Planning Commission Site Visit"},
		"Tree Board":          {"1/20/2026 Tree Board", "Tree Board 1/21/2026 5:00 PM"},
		"Labor and Economic Development Committee": {"Labor and Economic Development Committee", "Labor And Economic",
			"Labor and Economic Development", "Labor And Economic Development Committee"},
		"Arts, Culture and Events Committee": {"Arts, Culture and Events Committee", "Arts, Culture and Events"},
		"Oversight/Audit Committee":          {"Oversight/Audit Committee", "Oversight / Audit Committee"},
		"City Council and School Board":      {"City Council and School Board Joint Meeting", "School Board - Joint Meeting with City Council"},
		"Board of Zoning Appeals":            {"Board of Zoning Appeals", "Board of Zoning Appeal"},
		"Sub-Committee on Parks":             {"Sub-Committee on Parks", "Subcommittee on Park"},
	}
	for _, alone := range []string{"School Board", "District 1 Advisory Committee", "District 2 Advisory Committee",
		"Committee A",
		"Committee B", "Board I", "Board II", "City Council - Finance Committee", "Committee on Ethics", "Special Committee on Ethics",
		"Council on Training", "Public Works Board", "Works Board", "Parks", "Parks, Culture and Recreation Board",
		"Human Relations Commission", "Human Resources Commission", "Audit Committee", "Youth Council"} {
		want[alone] = []string{alone}
	}
	var list []string
	of := map[int64]string{}
	for name, titles := range want {
		for _, title := range titles {
			id := len(of) + 1
			of[int64(id)] = name + " < " + title
			list = append(list, strings.Replace(primeMeeting(id, title, fmt.Sprintf("2026-01-01T17:%02d:00", id)),
				`"committeeId":1,`, "", 1))
		}
	}
	p := newPlayback(t, primeTown{upcoming: "[]", archived: "[" + strings.Join(list, ",") + "]"}.answer)
	deps := testDeps(t, pgtest.New(t))
	set := bodiesSettings(t, p, "bodies: all")
	for round := range 2 { // stored names keep their meaning
		mustIngest(t, deps, set, Request{All: round == 1})
		got := map[string]map[string]bool{} // ids of bodies by expected name
		for _, line := range list2(t, deps.DB, `SELECT concat_ws('|', k.source_id, m.body_id) FROM council.meeting m
			JOIN council.meeting_key k USING (iqm2_id)`) {
			key, body, _ := strings.Cut(line, "|")
			id, _ := strconv.ParseInt(key, 10, 64)
			name, _, _ := strings.Cut(of[id], " < ")
			if got[name] == nil {
				got[name] = map[string]bool{}
			}
			got[name][body] = true
		}
		owner := map[string]string{}
		for name, ids := range got {
			for id := range ids {
				if owner[id] != "" || len(ids) > 1 {
					t.Errorf("round %d: %q means the bodies %v; body %s is also %q", round, name, ids, id, owner[id])
				}
				owner[id] = name
			}
		}
		if len(got) != len(want) {
			t.Errorf("the test has %d names", len(got))
		}
	}
	joint := list2(t, deps.DB, `SELECT string_agg(b.name, ' + ' ORDER BY b.name) FROM council.body_part p
		JOIN council.body b ON b.body_id = p.part_id GROUP BY p.body_id`)
	if d := cmp.Diff([]string{"City Council + School Board"}, joint); d != "" {
		t.Error(d)
	}
	special := list2(t, deps.DB, `SELECT title FROM council.meeting WHERE remark = 'Special' AND meeting_type = 'special'`)
	if d := cmp.Diff([]string{"Special City Council Meeting"}, special); d != "" {
		t.Error(d)
	}
}
