package councilapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest/resttest"
	"github.com/townline/townline/pkg/sample"
)

type wBody struct {
	id         int64
	slug, name string
	parts      []int64
}

// townBodies are a council, a commission, and the joint body of both.
var townBodies = []wBody{
	{1, "city-council", "City Council", nil},
	{2, "planning-commission", "Planning Commission", nil},
	{3, "city-council-planning-commission", "City Council & Planning Commission", []int64{1, 2}},
}

// These two members have the same name: one is on the council, the other on the commission.
const councilSeat, commissionSeat = 100, 109

// sits reports whether a member may be at a meeting. One of the two namesakes is on the council,
// the other on the commission. In a joint meeting, it is the member of the council.
func (w *world) sits(member int64, m *wMeeting) bool {
	if w.bodies == nil || member != councilSeat && member != commissionSeat {
		return true
	}
	return (member == commissionSeat) == (m.body == 2)
}

// of reports whether a body holds a meeting, alone or jointly. body 0 means every body.
func (w *world) of(m *wMeeting, body int64) bool {
	return body == 0 || m.body == body || m.body == 3 && body != 3
}

func (w *world) nameKey(member int64, printed ...string) string {
	name := strings.Join(printed, "")
	for _, m := range w.members {
		if m.id == member {
			name = m.name
		}
	}
	if w.bodies != nil && member == commissionSeat {
		return council.FoldName(name) + "|" + townBodies[1].slug
	}
	return council.FoldName(name)
}

// newTown returns a world with several bodies. One member of the commission has the same name as a
// member of the council.
func newTown(seed uint64, meetings int) *world {
	w := newWorld(seed, meetings)
	w.bodies = townBodies
	w.members = append(w.members, wMember{commissionSeat, w.members[0].name})
	for i := range w.meetings {
		w.meetings[i].body = []int64{1, 2, 1, 2, 2, 1, 3}[i%7]
	}
	for i := range w.votes {
		v := &w.votes[i]
		if v.item.meeting.body != 2 {
			continue
		}
		for _, seat := range []*int64{&v.mover, &v.second} {
			if *seat == councilSeat {
				*seat = commissionSeat
			}
		}
		for j := range v.roll {
			if v.roll[j].member == councilSeat {
				v.roll[j].member = commissionSeat
			}
		}
	}
	return w
}

// only returns the part of a town that concerns one body: its meetings, including joint ones, and
// their members.
func (w *world) only(body int64) *world {
	part := &world{bodies: w.bodies}
	seen := map[int64]bool{}
	for i := range w.meetings {
		if m := w.meetings[i]; w.of(&m, body) {
			part.meetings = append(part.meetings, m)
			for _, p := range w.attendance(&m) {
				seen[p.member] = true
			}
		}
	}
	for _, it := range w.items {
		if w.of(it.meeting, body) {
			part.items = append(part.items, it)
		}
	}
	for _, v := range w.votes {
		if w.of(v.item.meeting, body) {
			part.votes = append(part.votes, v)
			seen[v.mover], seen[v.second] = true, true
			for _, p := range v.roll {
				seen[p.member] = true
			}
		}
	}
	for _, n := range w.notes {
		if w.of(n.meeting, body) {
			part.notes = append(part.notes, n)
		}
	}
	for _, m := range w.members {
		if seen[m.id] {
			part.members = append(part.members, m)
		}
	}
	return part
}

// storeBodies stores the bodies of the meetings and the seats of members.
func (w *world) storeBodies(t testing.TB, db *pgxpool.Pool) {
	t.Helper()
	execSQL(t, db, `UPDATE council.body SET slug = $1, name = $2`, townBodies[0].slug, townBodies[0].name)
	if w.bodies == nil {
		return
	}
	for _, b := range w.bodies[1:] {
		execSQL(t, db, `INSERT INTO council.body (body_id, slug, name, kind) VALUES ($1, $2, $3, 'Board')`,
			b.id, b.slug, b.name)
		for _, part := range b.parts {
			execSQL(t, db, `INSERT INTO council.body_part (body_id, part_id) VALUES ($1, $2)`, b.id, part)
		}
	}
	execSQL(t, db, `DELETE FROM council.member_body`)
	for _, m := range w.meetings {
		execSQL(t, db, `UPDATE council.meeting SET body_id = $2, body = $3 WHERE iqm2_id = $1`, m.id, m.body,
			townBodies[m.body-1].name)
	}
	execSQL(t, db, `UPDATE council.change c SET body_id = m.body_id FROM council.meeting m WHERE m.iqm2_id = c.iqm2_id`)
	execSQL(t, db, `
		INSERT INTO council.member_body (body_id, name_key, member_id)
		SELECT DISTINCT x.body_id, split_part(b.name_key, '|', 1), b.id
		FROM (SELECT body_id, member_id FROM council.vote_position
		      UNION SELECT body_id, mover_id FROM council.vote
		      UNION SELECT body_id, seconder_id FROM council.vote
		      UNION SELECT a.body_id, b.id FROM council.attendance a JOIN council.member b USING (name_key)) x
		JOIN council.member b ON b.id = x.member_id`)
}

func storedTown(t testing.TB, seed uint64, meetings int) (w *world, reader, writer *pgxpool.Pool) {
	t.Helper()
	reader, writer = testDB(t)
	w = newTown(seed, meetings)
	w.store(t, writer)
	return w, reader, writer
}

// Lists of one body, of all bodies and of joint meetings equal the result of the same filter in Go.
func TestListsOfBodiesEqualBruteForce(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedTown(t, 7, 28)
	api := documented(t, testServer(t, reader))
	r := rand.New(rand.NewPCG(1, 7))
	for i, b := range townBodies {
		names := []string{b.slug, strconv.FormatInt(b.id, 10)}
		if !sample.Everything() { // tests only one of the two names of each body
			names = names[i%2:][:1]
		}
		for _, name := range names {
			in := func(m *wMeeting) bool { return w.of(m, b.id) }
			compare(t, api, r, "/v1/meetings", "iqm2_id", pointers(w.meetings), func(m *wMeeting) int64 { return m.id },
				(*wMeeting).before, slices.Concat([]filter[*wMeeting]{{"body", name, in}},
					words("status", council.Statuses(), func(m *wMeeting, s council.Status) bool {
						return m.status == s
					})))
			compare(t, api, r, "/v1/items", "id", pointers(w.items), func(it *wItem) int64 { return it.id },
				func(a, b *wItem) int { return cmp.Or(a.meeting.before(b.meeting), a.ord-b.ord) }, []filter[*wItem]{
					{"body", name, func(it *wItem) bool { return in(it.meeting) }},
					{"q", "housing", func(it *wItem) bool { return strings.Contains(it.title, "housing") }}})
			votes := slices.Concat([]filter[*wVote]{{"body", name, func(v *wVote) bool { return in(v.item.meeting) }}},
				voteFilters(r, func(v *wVote) *wVote { return v })[:5])
			vote := func(v *wVote) int64 { return v.id }
			compare(t, api, r, "/v1/votes", "id", pointers(w.votes), vote, (*wVote).before, votes)
			compare(t, api, r, "/v1/search/votes", "id", pointers(w.votes), vote, (*wVote).before, votes)
			for _, seat := range []int64{councilSeat, commissionSeat, 104} {
				named := slices.DeleteFunc(pointers(w.votes), func(v *wVote) bool { return v.of(seat) == "" })
				path := fmt.Sprintf("/v1/members/%d/votes", seat)
				compare(t, api, r, path, "id", named, vote, (*wVote).before, votes[:1])
			}
			compare(t, api, r, "/v1/anomalies", "id", pointers(w.notes), func(n *wNote) int64 { return n.id },
				func(a, b *wNote) int { return cmp.Or(a.meeting.before(b.meeting), a.ord-b.ord) },
				[]filter[*wNote]{{"body", name, func(n *wNote) bool { return in(n.meeting) }}})
			changed := func(c wChange) bool {
				return slices.ContainsFunc(w.meetings, func(m wMeeting) bool { return m.id == c.meeting && in(&m) })
			}
			compare(t, api, r, "/v1/changes", "id", w.changes(), func(c wChange) int64 { return c.id },
				func(a, b wChange) int { return int(b.id - a.id) }, []filter[wChange]{{"body", name, changed}})
		}
	}
	for path, status := range map[string]int{"/votes?body=parks": 400, "/members?body=9": 400,
		"/search?q=x&body=x": 400, "/feeds/votes.atom?body=parks": 400, "/bodies/parks": 404, "/bodies/9": 404,
		"/votes?body=": 200, "/bodies/2": 200} {
		res := api.Get(t, "/v1"+path)
		if res.Status != status || status == 400 && !strings.Contains(string(res.Body), `"body"`) {
			t.Errorf("%s: %d %s", path, res.Status, res.Body)
		}
	}
}

func pointers[T any](list []T) []*T {
	var out []*T
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// plain returns an answer without the fields that name bodies.
func plain(t *testing.T, api *resttest.API, path string) any {
	t.Helper()
	var v any
	api.Get(t, "/v1"+path).JSON(t, &v)
	return withoutBodies(v)
}

func withoutBodies(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutBodies(v[i])
		}
	case map[string]any:
		for _, key := range []string{"body_id", "body_slug", "body_name", "body_ids", "bodies", "body", "next_cursor"} {
			delete(v, key)
		}
		for key := range v {
			v[key] = withoutBodies(v[key])
		}
	}
	return v
}

// The numbers of one body equal counts in Go of the body's votes. TestCouncilAmongOthersAnswersAsAlone
// shows that a council without other bodies has the same numbers.
func TestNumbersOfBodiesEqualACountInGo(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedTown(t, 11, 80)
	api := documented(t, testServer(t, reader))
	for _, b := range townBodies {
		part, of := w.only(b.id), "?body="+b.slug
		for path, want := range map[string]any{"/stats": part.stats(), "/topics": part.topics(),
			"/topics/timeline": part.timeline()} {
			if d := gocmp.Diff(want, plain(t, api, path+of)); d != "" {
				t.Errorf("%s%s: (-want +got)\n%s", path, of, d)
			}
		}
		var listed struct{ Data []map[string]any }
		api.Get(t, "/v1/members"+of).JSON(t, &listed)
		if len(listed.Data) != len(part.members) {
			t.Fatalf("body %s has %d members, want %d", b.slug, len(listed.Data), len(part.members))
		}
		for _, m := range part.members {
			path, want := fmt.Sprintf("/members/%d", m.id), part.profile(m)
			if d := gocmp.Diff(any(want), plain(t, api, path+of)); d != "" {
				t.Errorf("%s%s: (-want +got)\n%s", path, of, d)
			}
			row := slices.IndexFunc(listed.Data, func(row map[string]any) bool { return row["id"] == float64(m.id) })
			for _, key := range []string{"full_name", "last_name", "first_seen", "last_seen", "vote_count"} {
				if listed.Data[row][key] != want[key] {
					t.Errorf("member %d of %s: %s is %v, want %v", m.id, b.slug, key, listed.Data[row][key], want[key])
				}
			}
			for _, consent := range []bool{false, true} {
				got := plain(t, api, fmt.Sprintf("%s/agreement%s&include_consent=%t", path, of, consent))
				if d := gocmp.Diff(any(part.agreement(m, consent)), got); d != "" {
					t.Errorf("agreement of %d%s: (-want +got)\n%s", m.id, of, d)
				}
			}
		}
	}
}

// Without a filter, agreement and attendance have a cell for each body, which equals the cell with
// the filter by that body. No cell combines two bodies.
func TestCellsOfBodies(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedTown(t, 13, 60)
	api := documented(t, testServer(t, reader))
	for _, path := range []string{"/members/104/agreement", "/members/agreement", "/members/104/attendance"} {
		key := "data"
		if strings.HasSuffix(path, "attendance") {
			key = "counts"
		}
		cells := func(of string) map[string]bool {
			var answer map[string]json.RawMessage
			var rows []json.RawMessage
			api.Get(t, "/v1"+path+of).JSON(t, &answer)
			if err := json.Unmarshal(answer[key], &rows); err != nil {
				t.Fatal(err)
			}
			set := map[string]bool{}
			for _, row := range rows {
				set[string(row)] = true
			}
			return set
		}
		want := cells("?body=1")
		for row := range cells("?body=2") {
			want[row] = true
		}
		if d := gocmp.Diff(want, cells("")); d != "" || len(want) < 2 {
			t.Errorf("%s: (-filtered by body +unfiltered)\n%s", path, d)
		}
	}
	var pair struct {
		SharedVotes   int64    `json:"shared_votes"`
		AgreementRate *float64 `json:"agreement_rate"`
		Bodies        []struct {
			BodySlug    string `json:"body_slug"`
			SharedVotes int64  `json:"shared_votes"`
		}
	}
	api.Get(t, "/v1/members/104/agreement/105").JSON(t, &pair)
	if len(pair.Bodies) != 2 || pair.AgreementRate != nil ||
		pair.SharedVotes > pair.Bodies[0].SharedVotes+pair.Bodies[1].SharedVotes {
		t.Errorf("a pair combines two bodies: %+v", pair)
	}
	var profile struct {
		Bodies []struct {
			BodyID    int64  `json:"body_id"`
			FirstSeen string `json:"first_seen"`
			LastSeen  string `json:"last_seen"`
			VoteCount int64  `json:"vote_count"`
		}
	}
	for seat, bodies := range map[int64][]int64{councilSeat: {1, 3}, commissionSeat: {2}, 104: {1, 2, 3}} {
		api.Get(t, fmt.Sprintf("/v1/members/%d", seat)).JSON(t, &profile)
		got := []int64{}
		for _, b := range profile.Bodies {
			got = append(got, b.BodyID)
			own := &world{bodies: w.bodies, members: w.members}
			for _, m := range w.meetings {
				if m.body == b.BodyID {
					own.meetings = append(own.meetings, m)
				}
			}
			for _, v := range w.votes {
				if v.item.meeting.body == b.BodyID {
					own.votes = append(own.votes, v)
				}
			}
			want := own.profile(wMember{seat, ""})
			if want["first_seen"] != b.FirstSeen || want["last_seen"] != b.LastSeen ||
				want["vote_count"] != float64(b.VoteCount) {
				t.Errorf("member %d on body %d: %+v, want %v", seat, b.BodyID, b, want)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, bodies) {
			t.Errorf("member %d is on the bodies %v, want %v", seat, got, bodies)
		}
	}
}

// If the API also has other bodies, the answers about a council stay the same, value by value.
func TestCouncilAmongOthersAnswersAsAlone(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedTown(t, 19, 40)
	among := documented(t, testServer(t, reader))
	council := w.only(1)
	council.bodies = nil
	only, writer := testDB(t)
	for i := range council.meetings {
		council.meetings[i].body = 0
	}
	council.store(t, writer)
	alone := documented(t, testServer(t, only))
	topic := topicOf(w)
	paths := []string{"/meetings?limit=9", "/items", "/items?q=street", "/items?member=104&position=aye",
		"/items?result=adopted", "/votes", "/votes?split=true&limit=7", "/search/votes?q=street",
		"/search/votes/facets",
		"/search/votes/facets?q=housing", "/search?q=street", "/search?q=given", `/search?q="street+sweeping"`,
		"/search/minutes?q=cafe", "/members", "/members/agreement", "/members/104", "/members/104/votes?topic=" + topic,
		"/members/104/agreement", "/members/104/agreement/105", "/members/104/attendance?limit=3", "/anomalies",
		"/topics",
		"/topics/timeline", "/stats"}
	for _, path := range paths {
		of := path + "?body=city-council"
		if strings.Contains(path, "?") {
			of = path + "&body=1"
		}
		if d := gocmp.Diff(plain(t, alone, path), plain(t, among, of)); d != "" {
			t.Errorf("%s: (-alone +among others)\n%s", of, d)
		}
	}
	for _, path := range []string{"/feeds/meetings.ics", "/feeds/votes.atom", "/feeds/split-votes.atom",
		"/feeds/members/104/votes.atom", "/feeds/topics/" + topic + "/votes.atom", "/search/votes.atom",
		"/search/votes.csv"} {
		clean := func(body []byte) string {
			text := strings.NewReplacer("?body=1&amp;", "?", "?body=1", "", "&amp;body=1", "", "body=1&amp;", "",
				",body_id,body", "",
				" City Council.", "", " City Council &amp; Planning Commission.", "", ",1,City Council\r", "\r",
				",3,City Council & Planning Commission\r", "\r", "CATEGORIES:City Council & Planning Commission\r\n",
				"",
				"CATEGORIES:City Council\r\n", "").Replace(string(body))
			return text
		}
		if d := gocmp.Diff(clean(alone.Get(t, "/v1"+path).Body), clean(among.Get(t,
			"/v1"+path+"?body=1").Body)); d != "" {
			t.Errorf("%s: (-alone +among others)\n%s", path, d)
		}
	}
}

// The list of bodies equals counts in Go.
func TestBodies(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedTown(t, 23, 40)
	api := documented(t, testServer(t, reader))
	var list struct{ Data []map[string]any }
	api.Get(t, "/v1/bodies").JSON(t, &list)
	if len(list.Data) != len(townBodies) {
		t.Fatalf("the list has %d bodies", len(list.Data))
	}
	for i, b := range townBodies {
		part := w.only(b.id)
		stats := part.stats()
		now := map[int64]bool{}
		meetings := slices.SortedFunc(slices.Values(w.meetings), func(a, b wMeeting) int { return a.before(&b) })
		for j := range meetings {
			m := &meetings[j]
			named := false
			for _, v := range w.votes {
				if v.item.meeting.id == m.id && m.body == b.id {
					for _, p := range v.roll {
						now[p.member], named = true, true
					}
				}
			}
			if named {
				for _, p := range w.attendance(m) {
					if p.member != 0 {
						now[p.member] = true
					}
				}
				break
			}
		}
		parts := []any{}
		for _, p := range b.parts {
			parts = append(parts, float64(p))
		}
		kind := any("Board")
		if b.id == 1 {
			kind = nil
		}
		want := map[string]any{"id": float64(b.id), "slug": b.slug, "name": b.name, "kind": kind, "parts": parts,
			"members": float64(len(now)), "meetings": stats["meetings"], "items": stats["items"],
			"votes":         stats["votes"],
			"first_meeting": stats["earliest_meeting"], "last_meeting": stats["latest_meeting"]}
		if d := gocmp.Diff(want, list.Data[i]); d != "" {
			t.Errorf("%s: (-want +got)\n%s", b.slug, d)
		}
		for _, id := range []string{b.slug, strconv.FormatInt(b.id, 10)} {
			var one map[string]any
			api.Get(t, "/v1/bodies/"+url.PathEscape(id)).JSON(t, &one)
			if d := gocmp.Diff(want, one); d != "" {
				t.Errorf("/bodies/%s: (-want +got)\n%s", id, d)
			}
		}
	}
}

// The meaning of a slug is cached for only one generation.
func TestBodiesAreFoundInEachGeneration(t *testing.T) {
	t.Parallel()
	_, reader, writer := storedTown(t, 29, 10)
	api := documented(t, testServer(t, reader))
	status := func(slug string) int { return api.Get(t, "/v1/votes?limit=1&body="+slug).Status }
	if status("planning-commission") != 200 || status("planning") != 400 {
		t.Fatal("wrong status before the body was renamed")
	}
	execSQL(t, writer, `UPDATE council.body SET slug = 'planning' WHERE body_id = 2`)
	execSQL(t, writer, `UPDATE council.dataset SET generation = generation + 1`)
	renamed := status("planning") // this request shows the server the new generation
	if old := status("planning-commission"); old != 400 || renamed != 200 {
		t.Errorf("status of the old slug: %d; of the new slug: %d", old, renamed)
	}
}
