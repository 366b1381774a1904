package councilingest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
)

func readYAML(t *testing.T, text string) *Settings {
	t.Helper()
	file := filepath.Join(t.TempDir(), "council.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := ReadSettings(file, conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func bodiesSettings(t *testing.T, p *playback, more string) *Settings {
	t.Helper()
	return readYAML(t, fmt.Sprintf("portal: {url: %q, product: primegov, pause: 0s}\ntime_zone: America/New_York\n%s",
		p.URL, more))
}

// The calendar of a town with two bodies has remarks and typos. council.yaml says that one name is
// the same person on both bodies. The other equal name belongs to two people.
func TestBodiesOfOneTown(t *testing.T) {
	t.Parallel()
	text := func(day string) []byte {
		return []byte(minutesText(day, item("1.", "2026-101", "Awards the Contract for Street Sweeping", split)))
	}
	town := primeTown{upcoming: "[]", files: map[string][]byte{"11": text("Monday, January 5, 2026"),
		"12": text("Tuesday, January 6, 2026"), "13": text("Wednesday, January 7, 2026"),
		"14": text("Thursday, January 8, 2026")}}
	list := ""
	for i, title := range []string{"City Council", "Community Affairs Commission",
		"Community Affiars Commission - THIS IS CONSIDERED A SPECIAL MEETING", //nolint:misspell // as on a calendar
		"Community Affairs Commission", "Tree Board", "Null"} {
		doc := ""
		if i < 4 {
			doc = primeDoc(11+i, "Minutes", 1)
		}
		list += strings.Replace(primeMeeting(i+1, title, fmt.Sprintf("2026-01-%02dT17:30:00", i+5), doc), `"committeeId":1,`, "", 1) + ","
	}
	town.archived = "[" + strings.TrimSuffix(list, ",") + "]"
	p := newPlayback(t, town.answer)
	deps := testDeps(t, pgtest.New(t))
	set := bodiesSettings(t, p, "body: City Council\nbodies: {name: all, except: [Tree*]}\nmembers: {Ann Archer: []}\n"+
		"division: ocd-division/country:us/state:ky/place:louisville")
	mustIngest(t, deps, set, Request{})
	wantList := func(sql string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, list2(t, deps.DB, sql)); d != "" {
			t.Errorf("%s (-want +got)\n%s", sql, d)
		}
	}
	wantList(`SELECT concat_ws(' ', body_id, slug, name, problem) FROM council.body ORDER BY 1`, "1 city-council City Council",
		"2 community-affairs-commission Community Affairs Commission", "3 null-3 Null")
	wantList(`SELECT concat_ws('|', body_id, body, substring(meeting_type_raw FROM 'THIS.*'), vote_count) FROM council.meeting ORDER BY meeting_date`, "1|City Council|1",
		"2|Community Affairs Commission|1", "2|Community Affairs Commission|THIS IS CONSIDERED A SPECIAL MEETING|1",
		"2|Community Affairs Commission|1",
		"3|Null|0")
	wantList(`SELECT name FROM council.body_key WHERE body_id IS NULL`, "Tree Board")
	wantList(`SELECT concat_ws(' ', (SELECT count(*) FROM council.vote WHERE body_id = 2), (SELECT count(*) FROM council.vote_position
		WHERE body_id = 2), (SELECT count(*) FROM council.item WHERE body_id = 2))`, "3 12 3")
	// Ann Archer is one person. The other names belong to namesakes until they are joined.
	wantList(`SELECT full_name FROM council.member GROUP BY 1 HAVING count(*) = 1`, "Ann Archer")
	if n := value[int](t, deps.DB, `SELECT count(*) FROM council.anomaly WHERE code = 'same-name-on-two-bodies'`); n != 3 {
		t.Errorf("%d anomalies about names", n)
	}
	wantList(`SELECT division FROM council.dataset`, "ocd-division/country:us/state:ky/place:louisville")
	checkTallies(t, deps.DB)
	mustBeProven(t, deps, set)
	before := value[int64](t, deps.DB, `SELECT generation FROM council.dataset`)
	mustIngest(t, deps, set, Request{All: true})
	if after := value[int64](t, deps.DB, `SELECT generation FROM council.dataset`); after != before {
		t.Errorf("an unchanged ingest raised the generation from %d to %d", before, after)
	}
	if _, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true, Body: "Tree Board"}); err == nil {
		t.Error("a body outside of the settings was read")
	}
	// The clerk joins two namesakes, and withdraws that.
	name := list2(t, deps.DB, `SELECT min(full_name) FROM council.member GROUP BY full_name HAVING count(*) = 2 ORDER BY 1`)[0]
	ids := fmt.Sprintf(`SELECT string_agg(id::text, ' ' ORDER BY id) FROM council.member WHERE full_name = '%s'`, name)
	first := strings.Fields(list2(t, deps.DB, ids)[0])
	council := "city-council"
	out, err := Correct(t.Context(), deps, []clerk.Correction{{Kind: clerk.Person, Member: &name, Becomes: &council,
		Meeting: value[int64](t, deps.DB, `SELECT min(iqm2_id) FROM council.member_body WHERE body_id = 2`), Author: "Ann",
		Reason: "the same person", Document: "roster"}}, CorrectOptions{})
	if err != nil || !out.Live {
		t.Fatalf("the correction returned %+v, %v", out, err)
	}
	wantList(ids, first[0])
	checkTallies(t, deps.DB)
	mustBeProven(t, deps, set)
	if n := value[int](t, deps.DB, `SELECT count(*) FROM council.anomaly WHERE code = 'same-name-on-two-bodies'`); n != 2 {
		t.Errorf("%d anomalies about names after a decision", n)
	}
	if _, err := Withdraw(t.Context(), deps, out.Corrections[0].ID, "Ann", "not so", CorrectOptions{}); err != nil {
		t.Fatal(err)
	}
	if now := strings.Fields(list2(t, deps.DB, ids)[0]); len(now) != 2 || now[0] != first[0] || now[1] == first[1] {
		t.Errorf("ids after the separation: %v, at first: %v", now, first)
	}
	checkTallies(t, deps.DB)
	mustBeProven(t, deps, set)
}

func list2(t *testing.T, db *pgxpool.Pool, sql string) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	return out
}

// louisvilleRemark matches a remark in the recording.
var louisvilleRemark = regexp.MustCompile(` - THIS IS CONSIDERED A SPECIAL MEETING$`)

// All bodies in Louisville's recording have the meetings that the index lists. The Metro Council's
// rows equal those of a deployment with only that body.
func TestBodiesOfLouisville(t *testing.T) {
	t.Parallel()
	const folder = "council/portals/primegov/louisville-ky/"
	var rows []struct {
		File, Date, Time, Body string
		SourceURL              string `json:"source_url"`
	}
	if err := json.Unmarshal(sample.Read(t, folder+"index.json"), &rows); err != nil {
		t.Fatal(err)
	}
	town := primeTown{upcoming: "[]", files: map[string][]byte{}}
	var list []string
	meetings := map[string]int{}
	for i, row := range rows {
		_, template, _ := strings.Cut(row.SourceURL, "meetingTemplateId=")
		list = append(list, fmt.Sprintf(`{"id":%d,"title":%q,"dateTime":"%sT%s:00","documentList":[{"id":1,"templateId":%s,`+
			`"templateName":"Minutes","compileOutputType":1,"publishStatus":1}]}`, i+1, row.Body, row.Date, row.Time, template))
		town.files[template] = sample.Read(t, folder+row.File)
		meetings[louisvilleRemark.ReplaceAllString(row.Body, "")]++
	}
	town.archived = "[" + strings.Join(list, ",") + "]"
	read := func(more string) *pgxpool.Pool {
		p := newPlayback(t, town.answer)
		deps := testDeps(t, pgtest.New(t))
		set := bodiesSettings(t, p, more)
		mustIngest(t, deps, set, Request{})
		checkTallies(t, deps.DB)
		mustBeProven(t, deps, set)
		return deps.DB
	}
	all, alone := read("body: Metro Council\nbodies: all"), read("body: Metro Council")
	var want []string
	for name, n := range meetings {
		want = append(want, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(want)
	got := list2(t, all, `SELECT b.name || ' ' || count(*) FROM council.meeting JOIN council.body b USING (body_id)
		GROUP BY b.name ORDER BY b.name COLLATE "C"`)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("meetings by body (-index +stored)\n%s", d)
	}
	for _, sql := range []string{
		`SELECT concat_ws('|', meeting_date, starts_at, body, meeting_type, title, status, item_count, vote_count)
			FROM council.meeting WHERE body_id = 1 ORDER BY 1`,
		`SELECT concat_ws('|', meeting_date, ord, file_number, section, title) FROM council.item WHERE body_id = 1 ORDER BY 1`,
		`SELECT concat_ws('|', v.meeting_date, v.ord, motion_text, result, ayes_count, nays_count, p.ord, m.full_name, p.position)
			FROM council.vote v LEFT JOIN council.vote_position p ON p.vote_id = v.id
			LEFT JOIN council.member m ON m.id = member_id
			WHERE v.body_id = 1 ORDER BY 1`,
		`SELECT concat_ws('|', m.full_name, topic, position, votes, dissents) FROM council.body_member_tally t
			JOIN council.member m ON m.id = member_id WHERE body_id = 1 ORDER BY 1`,
		`SELECT concat_ws('|', a.full_name, b.full_name, via_consent, shared, agreed) FROM council.body_pair_tally t
			JOIN council.member a ON a.id = member_id JOIN council.member b ON b.id = other_id WHERE body_id = 1 ORDER BY 1`,
		`SELECT concat_ws('|', meeting_date, ord, name, name_key, title, status) FROM council.attendance WHERE body_id = 1 ORDER BY 1`,
	} {
		want, got := list2(t, alone, sql), list2(t, all, sql)
		if d := cmp.Diff(want, got); d != "" || len(want) == 0 {
			t.Errorf("%d rows of the council alone: %s (-alone +among all)\n%s", len(want), sql, d)
		}
	}
	t.Log(list2(t, all, `SELECT concat_ws(' ', b.name, (SELECT count(*) FROM council.item i WHERE i.body_id = b.body_id), 'items',
		(SELECT count(*) FROM council.vote v WHERE v.body_id = b.body_id), 'votes', (SELECT count(*) FROM council.vote_position p
		WHERE p.body_id = b.body_id), 'positions') FROM council.body b ORDER BY body_id`))
}

// Longmont's recording has seven meetings of six committees. One committee has two titles.
func TestBodiesOfLongmont(t *testing.T) {
	t.Parallel()
	town := primeTown{archived: "[]",
		upcoming: string(sample.Read(t, "council/portals/primegov/longmont-co/upcoming-meetings.json"))}
	deps := testDeps(t, pgtest.New(t))
	mustIngest(t, deps, bodiesSettings(t, newPlayback(t, town.answer), "bodies: all"), Request{})
	got := list2(t, deps.DB, `SELECT b.name || ' ' || count(*) FROM council.meeting JOIN council.body b USING (body_id)
		GROUP BY b.name ORDER BY b.name COLLATE "C"`)
	want := []string{"Callahan House Advisory Board 1",
		"Housing and Human Service Advisory Board 2", "Museum Advisory Board 1",
		"Parks and Recreation Advisory Board 1", "Planning and Zoning Commission 1", "Transportation Advisory Board 1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// In Portage's recording, the planning commission is a category and also part of titles, and some
// meetings are listed more than once.
func TestBodiesOfPortage(t *testing.T) {
	t.Parallel()
	town := clerkTown{}.rows(t, sample.Read(t, "council/portals/civicclerk/portage-mi/events-window.json"))
	deps := testDeps(t, pgtest.New(t))
	mustIngest(t, deps, readYAML(t, fmt.Sprintf("portal: {url: %q, product: civicclerk, pause: 0s}\n"+
		"time_zone: America/Detroit\nbodies: all", newPlayback(t, town.answer).URL)), Request{})
	got := list2(t, deps.DB, `SELECT b.name || ' ' || count(m.iqm2_id) FROM council.body b
		LEFT JOIN council.meeting m USING (body_id) GROUP BY b.name ORDER BY b.name`)
	if d := cmp.Diff([]string{"City Council 3", "Planning Commission 3", "Zoning Board of Appeals 1"}, got); d != "" {
		t.Error(d)
	}
}

// Every event in three Legistar recordings is a meeting of the body whose id the event has.
func TestBodiesOfLegistarRecordings(t *testing.T) {
	t.Parallel()
	for city, events := range map[string][]string{
		"philadelphia-pa": {"events.json"}, "olympia-wa": {"events.json"},
		"pittsburgh-pa": {"event-12013.cassette.json", "event-12017.cassette.json"},
	} {
		t.Run(city, func(t *testing.T) {
			t.Parallel()
			folder, p := "council/portals/legistar/"+city+"/", newTape(t)
			for _, file := range events {
				if data := sample.Read(t, folder+file); data[0] == '{' {
					p.play(t, data)
				} else if err := json.Unmarshal(data, &p.events); err != nil {
					t.Fatal(err)
				}
			}
			recorded := map[string]int{}
			for _, event := range p.events {
				var of struct {
					EventID     int64  `json:"EventId"`
					EventBodyID int64  `json:"EventBodyId"`
					Name        string `json:"EventBodyName"`
				}
				if err := json.Unmarshal(event, &of); err != nil {
					t.Fatal(err)
				}
				recorded[fmt.Sprintf("#%d %s", of.EventBodyID, of.Name)]++
				items := fmt.Sprintf("/events/%d/eventitems", of.EventID)
				if p.answers[items] == nil {
					p.answers[items] = json.RawMessage("[]")
				}
			}
			var want []string
			for body, meetings := range recorded {
				want = append(want, fmt.Sprint(body, " ", meetings))
			}
			slices.Sort(want)
			deps := testDeps(t, pgtest.New(t))
			set := readYAML(t, fmt.Sprintf("portal: {url: %q, product: legistar, pause: 0s}\n"+
				"time_zone: America/New_York\nbodies: all", p.URL+"/v1/town"))
			if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 {
				t.Errorf("%+v", sum)
			}
			got := list2(t, deps.DB, `SELECT concat_ws(' ', k.key, b.name, count(*)) FROM council.meeting
				JOIN council.body b USING (body_id) JOIN council.body_key k USING (body_id)
				GROUP BY k.key, b.name`)
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("bodies (-recorded +stored)\n%s", d)
			}
		})
	}
}
