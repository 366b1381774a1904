package councilingest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
)

// A boardTape is a Legistar portal with the meetings of several bodies.
type boardTape struct{ *tape }

// hold adds or replaces a meeting on the calendar. The body has the portal's id and name, and the
// meeting has one vote. Each person is written "12 Ada Moss aye": the portal's id of the person (0
// for none), name and word.
func (p boardTape) hold(id, bodyID int, body, day string, people ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	raw := json.RawMessage(fmt.Sprintf(`{"EventId": %d, "EventBodyId": %d, "EventLastModifiedUtc": "2026-01-01T00:00:00",
		"EventBodyName": %q, "EventDate": "%sT00:00:00", "EventTime": "6:00 PM", "EventAgendaStatusName": "Final",
		"EventComment": "Regular Meeting"}`, id, bodyID, body, day))
	known := false
	for i, e := range p.events {
		if strings.Contains(string(e), fmt.Sprintf(`"EventId": %d,`, id)) {
			p.events[i], known = raw, true
		}
	}
	if !known {
		p.events = append(p.events, raw)
	}
	p.answers[fmt.Sprintf("/events/%d/eventitems", id)] = json.RawMessage(fmt.Sprintf(`[{"EventItemId": %d,
		"EventItemLastModifiedUtc": "%d", "EventItemMinutesSequence": 2, "EventItemAgendaNumber": "1.",
		"EventItemTitle": "An ordinance on ferries of %d", "EventItemMatterId": 9, "EventItemMatterFile": "26-%d",
		"EventItemActionName": "Passed", "EventItemPassedFlag": 1, "EventItemPassedFlagName": "Pass"}]`, 100*id,
		time.Now().UnixNano(), id, id))
	var rows []string
	for i, person := range people {
		var number int
		var first, last, word string
		_, _ = fmt.Sscan(person, &number, &first, &last, &word)
		rows = append(rows, fmt.Sprintf(`{"VotePersonId": %d, "VotePersonName": "%s %s", "VoteValueName": %q,
			"VoteSort": %d}`, number, first, last, word, i))
	}
	p.answers[fmt.Sprintf("/eventitems/%d/votes", 100*id)] = json.RawMessage("[" + strings.Join(rows, ",") + "]")
}

func newBoards(t *testing.T) (boardTape, run.Deps, func(more string) *Settings) {
	p := boardTape{newTape(t)}
	return p, testDeps(t, pgtest.New(t)), func(more string) *Settings {
		return readYAML(t, fmt.Sprintf("portal: {url: %q, product: legistar, name: legistar/town, pause: 0s}\n"+
			"time_zone: UTC\nbodies: all\n%s", p.URL+"/v1/town", more))
	}
}

// positions lists the voters on each body, such as "council: Ada Moss 1".
func positions(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return list2(t, db, `SELECT concat_ws(' ', m.iqm2_id % 1000000000, b.slug || ':',
		string_agg(n.full_name || ' ' || n.id, ', ' ORDER BY p.ord))
		FROM council.vote_position p JOIN council.meeting m USING (iqm2_id) JOIN council.body b ON b.body_id = p.body_id
		JOIN council.member n ON n.id = p.member_id GROUP BY m.iqm2_id, b.slug ORDER BY m.iqm2_id`)
}

func wantPositions(t *testing.T, deps run.Deps, set *Settings, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, positions(t, deps.DB)); d != "" {
		t.Errorf("positions (-want +got)\n%s", d)
	}
	checkTallies(t, deps.DB)
	mustBeProven(t, deps, set)
}

func nameAnomalies(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return list2(t, db, `SELECT message FROM council.anomaly WHERE code = 'same-name-on-two-bodies'
		ORDER BY iqm2_id, message`)
}

// Two people of one name, with two ids at the portal, stay two, even if they never meet. The council
// can say in council.yaml that both ids are one person.
func TestNamesakesOfDifferentMeetings(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	p.hold(1, 138, "Council", "2026-01-05", "22 John Smith Aye", "8 Ben Reed Nay")
	p.hold(2, 138, "Council", "2026-01-06", "7 John Smith Aye", "8 Ben Reed Nay")
	p.hold(3, 138, "Council", "2026-01-07", "9 Ben Reed Aye")
	mustIngest(t, deps, yaml(""), Request{})
	all := []string{"1 council: John Smith 1, Ben Reed 2", "2 council: John Smith (7) 3, Ben Reed 2",
		"3 council: Ben Reed (9) 4"}
	wantPositions(t, deps, yaml(""), all...)
	// Now they meet, and each keeps the id.
	p.hold(4, 138, "Council", "2026-01-08", "7 John Smith Aye", "22 John Smith Nay")
	p.hold(5, 138, "Council", "2026-01-09", "7 John Smith Aye")
	p.hold(6, 138, "Council", "2026-01-10", "22 John Smith Aye")
	mustIngest(t, deps, yaml(""), Request{})
	all = append(all, "4 council: John Smith (7) 3, John Smith 1", "5 council: John Smith (7) 3",
		"6 council: John Smith 1")
	wantPositions(t, deps, yaml(""), all...)
	mustReparse(t, deps, yaml(""), true)
	wantPositions(t, deps, yaml(""), all...)
	if got := list2(t, deps.DB, `SELECT concat_ws(' ', iqm2_id % 1000000000, substring(message FROM 'name ([^;]*)'))
		FROM council.anomaly WHERE code = 'member-ambiguous' ORDER BY iqm2_id`); !slices.Equal(got,
		[]string{"2 John Smith", "3 Ben Reed", "4 John Smith"}) {
		t.Errorf("%q", got)
	}
	all[2] = "3 council: Ben Reed 2"
	one := yaml("members: {Ben Reed: [Ben Reed (9)]}")
	mustReparse(t, deps, one, true)
	wantPositions(t, deps, one, all...)
}

// At first, the portal lists a meeting under the wrong body. After the portal's correction, the
// votes belong to the members of the right body. This also holds for a joint body.
func TestMeetingMovesToAnotherBody(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	set := yaml("")
	p.hold(1, 138, "Council", "2026-01-05", "0 Ada Moss Aye", "0 Ben Reed Nay")
	p.hold(2, 139, "Planning Board", "2026-01-06", "0 Ada Moss Aye", "0 Cy Dunn Nay")
	p.hold(3, 138, "Council", "2026-01-07", "0 Ada Moss Aye", "0 Cy Dunn Nay")
	mustIngest(t, deps, set, Request{})
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 3, Cy Dunn 4",
		"3 council: Ada Moss 1, Cy Dunn 5")
	p.hold(3, 139, "Planning Board", "2026-01-07", "0 Ada Moss Aye", "0 Cy Dunn Nay")
	mustIngest(t, deps, set, Request{})
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 3, Cy Dunn 4",
		"3 planning-board: Ada Moss 3, Cy Dunn 4")
	if gone := value[bool](t, deps.DB, `SELECT NOT EXISTS (SELECT FROM council.member WHERE id = 5)`); !gone {
		t.Error("a member without votes is kept")
	}
	n := value[int](t, deps.DB, `SELECT count(*) FROM council.change WHERE kind = 'vote_changed' AND body_id = 2`)
	if n != 1 {
		t.Errorf("the changes of %d votes were recorded", n)
	}
	p.hold(3, 140, "Council & Planning Board", "2026-01-07", "0 Ben Reed Aye", "0 Cy Dunn Nay")
	mustIngest(t, deps, set, Request{})
	// Each person is on one of the two bodies.
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 3, Cy Dunn 4",
		"3 council-planning-board: Ben Reed 2, Cy Dunn 4")
	p.hold(3, 138, "Council", "2026-01-07", "0 Ben Reed Aye", "0 Ada Moss Nay")
	mustIngest(t, deps, set, Request{})
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 3, Cy Dunn 4",
		"3 council: Ben Reed 2, Ada Moss 1")
}

// In a joint meeting, a name means the member of one of the bodies. A name that both bodies have is
// ambiguous.
func TestPeopleOfJointMeetings(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	set := yaml("")
	p.hold(1, 138, "Council", "2026-01-05", "0 Ada Moss Aye", "0 Ben Reed Nay")
	p.hold(2, 139, "Planning Board", "2026-01-06", "0 Ada Moss Aye", "0 Cy Dunn Nay")
	p.hold(3, 0, "Joint Meeting of the Council and Planning Board", "2026-01-07", "0 Ada Moss Aye", "0 Ben Reed Aye",
		"0 Cy Dunn Nay", "0 Di Vance Aye")
	mustIngest(t, deps, set, Request{})
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 3, Cy Dunn 4",
		"3 joint-meeting-of-the-council-and-planning-board: Ada Moss 5, Ben Reed 2, Di Vance 6, Cy Dunn 4")
	want := []string{"Ada Moss is a member here and of Council; whether they are one person is not known",
		"Ada Moss is a member here and of Council; whether they are one person is not known"}
	if d := cmp.Diff(want, nameAnomalies(t, deps.DB)); d != "" {
		t.Errorf("anomalies (-want +got)\n%s", d)
	}
	// She first occurs in the joint meeting, and later on one of the bodies.
	p.hold(4, 139, "Planning Board", "2026-01-08", "0 Di Vance Aye")
	mustIngest(t, deps, set, Request{})
	if got := positions(t, deps.DB)[3]; got != "4 planning-board: Di Vance 6" {
		t.Error(got)
	}
	mustBeProven(t, deps, set)
}

// If the portal or council.yaml later says that two stored people are one person, they are joined.
// A decision of the clerk prevents that until it is withdrawn.
func TestPeopleAreJoinedLater(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	set := yaml("")
	hold := func(ada, ben int) {
		people := []string{fmt.Sprintf("%d Ada Moss Aye", ada), fmt.Sprintf("%d Ben Reed Nay", ben)}
		p.hold(1, 138, "Council", "2026-01-05", people...)
		p.hold(2, 139, "Planning Board", "2026-01-06", people...)
	}
	hold(0, 0)
	mustIngest(t, deps, set, Request{})
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 3, Ben Reed 4")
	if n := len(nameAnomalies(t, deps.DB)); n != 2 {
		t.Errorf("%d anomalies about names", n)
	}
	hold(11, 0)
	mustIngest(t, deps, set, Request{All: true})
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 1, Ben Reed 4")
	if n := len(nameAnomalies(t, deps.DB)); n != 1 {
		t.Errorf("%d anomalies about names after the portal had an id", n)
	}
	name, ada := "Ben Reed", "Ada Moss"
	planning := value[int64](t, deps.DB, `SELECT min(iqm2_id) FROM council.meeting WHERE body = 'Planning Board'`)
	other := func(name *string) clerk.Correction {
		return clerk.Correction{Kind: clerk.Person, Member: name, Meeting: planning, Author: "Ann", Reason: "not she",
			Document: "roster"}
	}
	out, err := Correct(t.Context(), deps, []clerk.Correction{other(&name)}, CorrectOptions{})
	if err != nil || !out.Live {
		t.Fatalf("Correct = %+v, %v", out, err)
	}
	set = yaml("members: {Ben Reed: []}")
	mustIngest(t, deps, set, Request{All: true})
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 1, Ben Reed 4")
	if _, err := Withdraw(t.Context(), deps, out.Corrections[0].ID, "Ann", "it is", CorrectOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		mustIngest(t, deps, set, Request{All: true})
		wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 1, Ben Reed 2")
	}
	if left := nameAnomalies(t, deps.DB); left != nil {
		t.Error(left)
	}
	// The clerk separates two people whom the portal joined. The person on the later body permanently
	// has a new id.
	if _, err := Correct(t.Context(), deps, []clerk.Correction{other(&ada)}, CorrectOptions{}); err != nil {
		t.Fatal(err)
	}
	mustIngest(t, deps, set, Request{All: true})
	wantPositions(t, deps, set, "1 council: Ada Moss 1, Ben Reed 2", "2 planning-board: Ada Moss 5, Ben Reed 2")
}

// If a later meeting joins two people, the anomalies about them disappear from earlier meetings
// too.
func TestJoinSettlesEarlierDoubts(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	set := yaml("")
	p.hold(1, 138, "Council", "2026-01-05", "0 Ada Moss Aye")
	p.hold(2, 139, "Planning Board", "2026-01-06", "0 Ada Moss Aye", "0 Ben Reed Aye")
	mustIngest(t, deps, set, Request{})
	if n := len(nameAnomalies(t, deps.DB)); n != 1 {
		t.Errorf("%d anomalies about names", n)
	}
	p.hold(3, 138, "Council", "2026-01-07", "7 Ada Moss Aye", "0 Ben Reed Aye")
	p.hold(4, 139, "Planning Board", "2026-01-08", "7 Ada Moss Aye")
	if sum := mustIngest(t, deps, set, Request{}); sum.Meetings != 2 {
		t.Errorf("%+v", sum)
	}
	wantPositions(t, deps, set, "1 council: Ada Moss 1", "2 planning-board: Ada Moss 1, Ben Reed 3",
		"3 council: Ada Moss 1, Ben Reed 4", "4 planning-board: Ada Moss 1")
	want := []string{"Ben Reed is a member here and of Planning Board; whether they are one person is not known"}
	if d := cmp.Diff(want, nameAnomalies(t, deps.DB)); d != "" {
		t.Errorf("anomalies (-want +got)\n%s", d)
	}
}

// A join keeps the older id, wherever the clerk makes it. After a separation, the body that had the
// older id first has it again, and the other person gets a new id.
func TestTheOlderIDStays(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	set := yaml("")
	p.hold(1, 139, "Planning Board", "2026-01-05", "0 Ada Moss Aye", "7 Ben Reed Nay")
	p.hold(2, 138, "Council", "2026-01-06", "0 Ada Moss Aye", "7 Ben Reed Nay")
	mustIngest(t, deps, set, Request{})
	wantPositions(t, deps, set, "1 planning-board: Ada Moss 1, Ben Reed 2", "2 council: Ada Moss 3, Ben Reed 2")
	ada, ben, where := "Ada Moss", "Ben Reed", "council"
	decide := func(name, becomes *string) int64 {
		t.Helper()
		out, err := Correct(t.Context(), deps, []clerk.Correction{{Kind: clerk.Person, Member: name, Becomes: becomes,
			Meeting: 1_000_000_001, Author: "Ann", Reason: "she is", Document: "roster"}}, CorrectOptions{})
		if err != nil || !out.Live {
			t.Fatalf("Correct = %+v, %v", out, err)
		}
		return out.Corrections[0].ID
	}
	joined := decide(&ada, &where)
	wantPositions(t, deps, set, "1 planning-board: Ada Moss 1, Ben Reed 2", "2 council: Ada Moss 1, Ben Reed 2")
	if left := nameAnomalies(t, deps.DB); left != nil {
		t.Error(left)
	}
	if _, err := Withdraw(t.Context(), deps, joined, "Ann", "she is not", CorrectOptions{}); err != nil {
		t.Fatal(err)
	}
	wantPositions(t, deps, set, "1 planning-board: Ada Moss 1, Ben Reed 2", "2 council: Ada Moss 4, Ben Reed 2")
	if n := len(nameAnomalies(t, deps.DB)); n != 1 {
		t.Errorf("%d anomalies about names", n)
	}
	decide(&ada, nil)
	decide(&ben, nil)
	mustIngest(t, deps, set, Request{All: true})
	wantPositions(t, deps, set, "1 planning-board: Ada Moss 1, Ben Reed 2", "2 council: Ada Moss 4, Ben Reed 5")
	if left := nameAnomalies(t, deps.DB); left != nil {
		t.Error(left)
	}
}

// A wrong join is a conflict of its correction. Later corrections are still applied.
func TestJoinOfTwoInOneVote(t *testing.T) {
	t.Parallel()
	p, deps, yaml := newBoards(t)
	set := yaml("members: {\"Ada Moss @ Planning Board\": [], Ann Moss: []}")
	p.hold(1, 138, "Council", "2026-01-05", "7 Ada Moss Aye", "0 Ben Reed Nay")
	p.hold(2, 139, "Planning Board", "2026-01-06", "0 Ada Moss Aye", "0 Ben Reed Nay")
	p.hold(3, 139, "Planning Board", "2026-01-07", "0 Ada Moss Aye", "0 Ben Reed Nay")
	mustIngest(t, deps, set, Request{})
	// A bug in an earlier version put both people into the roll of one vote.
	if _, err := deps.DB.Exec(t.Context(), `INSERT INTO council.vote_position (vote_id, member_id, iqm2_id, meeting_date,
		starts_at, ord, position, body_id) SELECT v.id, 1, iqm2_id, meeting_date, starts_at, 9, 'aye', body_id
		FROM council.vote v WHERE iqm2_id % 1000000000 = 3`); err != nil {
		t.Fatal(err)
	}
	ada, ben, where := "Ada Moss", "Ben Reed", "council"
	planning := value[int64](t, deps.DB, `SELECT min(iqm2_id) FROM council.meeting WHERE body = 'Planning Board'`)
	join := func(name *string) error {
		_, err := Correct(t.Context(), deps, []clerk.Correction{{Kind: clerk.Person, Member: name, Meeting: planning,
			Becomes: &where, Author: "Ann", Reason: "she is", Document: "roster"}}, CorrectOptions{})
		return err
	}
	if err := join(&ada); err != nil {
		t.Error(err)
	}
	if err := join(&ben); err != nil {
		t.Error(err)
	}
	if n := value[int](t, deps.DB, `SELECT count(*) FROM council.member WHERE full_name = 'Ben Reed'`); n != 1 {
		t.Errorf("there are %d members named Ben Reed", n)
	}
	got := list2(t, deps.DB, `SELECT message FROM council.anomaly WHERE code = 'correction-conflict'`)
	if len(got) != 1 || !strings.Contains(got[0], "Ada Moss here (member 3) and of council (member 1) are two people: "+
		"both are in the roll of vote") {
		t.Error(got)
	}
	where = "zoning"
	if err := join(&ada); err != nil {
		t.Error(err)
	}
	got = list2(t, deps.DB, `SELECT message FROM council.anomaly WHERE code = 'correction-conflict'`)
	if len(got) != 1 || !strings.Contains(got[0], "zoning has no member of that name") {
		t.Error(got)
	}
}
