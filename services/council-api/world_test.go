package councilapi

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
)

// A world is a random council history as plain rows, with which answers of the database are
// compared.
type world struct {
	members  []wMember
	meetings []wMeeting
	items    []wItem
	votes    []wVote
	notes    []wNote
	bodies   []wBody // none if there is only the council
}

type wMember struct {
	id   int64
	name string
}

type wMeeting struct {
	id     int64
	date   time.Time
	starts time.Time
	status council.Status
	kind   council.MeetingType
	pdf    bool // has archived PDF minutes; other complete meetings have text minutes
	agenda bool
	body   int64 // 0 means the council
}

type wItem struct {
	id      int64
	meeting *wMeeting
	ord     int
	number  string
	title   string
	topic   council.Topic // "" means no topic
	consent bool
}

type wVote struct {
	id            int64
	item          *wItem
	ord, seq      int
	result        council.Result
	ayes, nays    int
	unanimous     bool
	consent       bool
	mover, second int64 // 0 means none
	page          int
	roll          []wPosition
}

type wPosition struct {
	member   int64
	position council.Position
}

type wNote struct {
	id      int64
	meeting *wMeeting
	item    *wItem
	ord     int
	motion  int // number of the motion on the item; 0 means none
	kind    council.AnomalyKind
	code    string
	page    int
}

// wPresence is an entry of an attendance list.
type wPresence struct {
	name, title, status string
	member              int64 // 0 means staff
}

// attendance returns the clerk and most members. Their names are in capitals, as some clerks print
// them.
func (w *world) attendance(m *wMeeting) []wPresence {
	if m.status != council.StatusComplete || m.id%5 == 0 {
		return nil
	}
	var list []wPresence
	for _, b := range w.members {
		i := b.id - 100
		if (m.id+i)%4 == 0 || !w.sits(b.id, m) {
			continue
		}
		status := "Present"
		if (m.id+i)%7 == 0 {
			status = "Absent"
		}
		list = append(list, wPresence{strings.ToUpper(b.name), "Councilmember", status, b.id})
	}
	return append(list, wPresence{"Given Clerk", "City Clerk", "Present", 0})
}

var titleWords = strings.Fields(
	`Resolution ordinance awarding contracts for street sweeping café lighting affordable housing parks
	library budgets appeal rezoning O'Keefe avenue water mains ferry terminals harbour dredging résumé policies
	police overtime`)

// newWorld returns a world with the given number of meetings. Days and hours repeat, so that each
// part of the order matters.
func newWorld(seed uint64, meetings int) *world {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &world{}
	for i := range 9 {
		w.members = append(w.members, wMember{int64(100 + i), fmt.Sprintf("Given%d Family%d", i, 8-i)})
	}
	ids := r.Perm(meetings * 3)
	for i := range meetings {
		date := time.Date(2024, time.January, 1+r.IntN(meetings*3), 0, 0, 0, 0, time.UTC)
		m := wMeeting{id: int64(ids[i] + 1), date: date, starts: date.Add(time.Duration(14+r.IntN(3)) * time.Hour),
			kind: pick(r, council.MeetingTypes()), status: pick(r, council.Statuses()), agenda: r.IntN(2) == 0}
		if r.IntN(3) > 0 {
			m.status = council.StatusComplete
		}
		m.pdf = r.IntN(4) > 0
		w.meetings = append(w.meetings, m)
	}
	itemIDs, voteIDs := r.Perm(meetings*8), r.Perm(meetings*24)
	for i := range w.meetings {
		m := &w.meetings[i]
		ord := 0
		for o := range r.IntN(8) {
			it := wItem{id: int64(itemIDs[len(w.items)] + 1), meeting: m, ord: o + 1, number: fmt.Sprintf("%d.", o+1),
				consent: r.IntN(3) == 0}
			for range 2 + r.IntN(5) {
				it.title += pick(r, titleWords) + " "
			}
			it.title = strings.TrimSpace(it.title)
			if r.IntN(4) > 0 {
				it.topic = pick(r, council.Topics())
			}
			w.items = append(w.items, it)
			if m.status != council.StatusComplete {
				continue
			}
			for s := range r.IntN(4) {
				ord++
				w.votes = append(w.votes, w.vote(r, &w.items[len(w.items)-1], int64(voteIDs[len(w.votes)]+1), ord, s+1))
			}
		}
		for o := range r.IntN(3) {
			n := wNote{id: int64(len(w.notes) + 1), meeting: m, ord: o + 1, kind: pick(r, council.AnomalyKinds()),
				page: r.IntN(4)}
			n.code = []string{"tally-mismatch", "mover-missing", "no-text"}[r.IntN(3)]
			w.notes = append(w.notes, n)
		}
	}
	// The items moved in memory while the slice grew.
	at := map[int64]*wItem{}
	for i := range w.items {
		at[w.items[i].id] = &w.items[i]
	}
	for i := range w.votes {
		w.votes[i].item = at[w.votes[i].item.id]
	}
	for i := range w.notes {
		n := &w.notes[i]
		for j := range w.items {
			if w.items[j].meeting == n.meeting && r.IntN(2) == 0 {
				n.item = &w.items[j]
				n.motion = int(n.id % 3)
			}
		}
	}
	return w
}

func (w *world) vote(r *rand.Rand, it *wItem, id int64, ord, seq int) wVote {
	v := wVote{id: id, item: it, ord: ord, seq: seq, result: pick(r, council.Results()), consent: r.IntN(3) == 0,
		page: r.IntN(5)}
	if r.IntN(3) > 0 {
		v.result = council.Adopted
	}
	if r.IntN(8) == 0 { // a voice vote
		v.ayes, v.unanimous = 7, true
		return v
	}
	dissent := r.IntN(2) == 0
	for _, m := range r.Perm(len(w.members))[:1+r.IntN(7)] {
		p := wPosition{w.members[m].id, council.Aye}
		if dissent && r.IntN(3) == 0 {
			p.position = pick(r, council.Positions())
		}
		v.roll = append(v.roll, p)
	}
	for _, p := range v.roll {
		switch p.position {
		case council.Aye:
			v.ayes++
		case council.Nay:
			v.nays++
		}
	}
	v.unanimous = v.ayes > 0 && !slices.ContainsFunc(v.roll, func(p wPosition) bool {
		return p.position == council.Nay || p.position == council.Abstain
	})
	if r.IntN(5) > 0 {
		v.mover = v.roll[0].member
	}
	if r.IntN(5) > 0 {
		v.second = pick(r, w.members).id
	}
	return v
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// before compares meetings in the order of the API.
func (m *wMeeting) before(o *wMeeting) int {
	if c := o.starts.Compare(m.starts); o.date != m.date {
		return o.date.Compare(m.date)
	} else if c != 0 {
		return c
	}
	return int(o.id - m.id)
}

// storedWorld stores a world in a database. It returns a pool like the service's pool, and a pool
// that can write.
func storedWorld(t testing.TB, seed uint64, meetings int) (w *world, reader, writer *pgxpool.Pool) {
	t.Helper()
	reader, writer = testDB(t)
	w = newWorld(seed, meetings)
	w.store(t, writer)
	return w, reader, writer
}

// execSQL runs a statement that changes the database.
func execSQL(t testing.TB, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := db.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// store writes the world into a database and raises its generation.
func (w *world) store(t testing.TB, db *pgxpool.Pool) {
	t.Helper()
	ctx := context.Background()
	copyRows := func(table string, columns []string, rows [][]any) {
		if _, err := db.CopyFrom(ctx, pgx.Identifier{"council", table}, columns, pgx.CopyFromRows(rows)); err != nil {
			t.Fatalf("store %s: %v", table, err)
		}
	}
	var members, meetings, items, votes, rolls, lists, notes [][]any
	names := map[int64]string{}
	for _, m := range w.members {
		names[m.id] = m.name
		members = append(members, []any{m.id, w.nameKey(m.id), m.name, council.LastName(m.name)})
	}
	for _, m := range w.meetings {
		var agenda any
		if m.agenda {
			agenda = fmt.Sprintf("https://portal.example/agenda/%d", m.id)
		}
		meetings = append(meetings, []any{m.id, "City Council", m.kind, "As Written", m.date, m.starts,
			fmt.Sprintf("Meeting %d", m.id), m.status,
			fmt.Sprintf("https://portal.example/meeting/%d", m.id), agenda})
		for i, p := range w.attendance(&m) {
			lists = append(lists, []any{m.id, m.date, m.starts, i + 1, p.name, w.nameKey(p.member, p.name), p.title,
				p.status})
		}
	}
	for _, it := range w.items {
		var topic, at, model any
		if it.topic != "" {
			topic, at = it.topic, it.meeting.starts
			model = "test"
		}
		items = append(items, []any{it.id, it.meeting.id, it.meeting.date, it.meeting.starts, it.ord, it.number, it.title,
			it.consent, topic, at, model})
	}
	for _, v := range w.votes {
		m := v.item.meeting
		var topic, page any
		if v.item.topic != "" {
			topic = v.item.topic
		}
		if v.page > 0 {
			page = v.page
		}
		votes = append(votes, []any{v.id, v.item.id, m.id, m.date, m.starts, v.ord, v.seq, "a motion", v.result, "RAW",
			v.ayes, v.nays, v.unanimous, v.consent,
			orNull(v.mover), orNull(v.second), "pdf", m.starts, page, topic})
		for i, p := range v.roll {
			rolls = append(rolls, []any{v.id, p.member, m.id, m.date, m.starts, i + 1, p.position})
		}
	}
	for _, n := range w.notes {
		var item, motion, page any
		if n.item != nil {
			item, motion = n.item.id, orNull(int64(n.motion))
		}
		if n.page > 0 {
			page = n.page
		}
		notes = append(notes, []any{n.id, n.meeting.id, n.meeting.date, n.meeting.starts, n.ord, item, motion, n.kind, n.code,
			"says what", page})
	}
	copyRows("member", []string{"id", "name_key", "full_name", "last_name"}, members)
	copyRows("meeting", []string{"iqm2_id", "body", "meeting_type", "meeting_type_raw", "meeting_date", "starts_at",
		"title", "status", "source_url", "agenda_url"}, meetings)
	copyRows("item", []string{"id", "iqm2_id", "meeting_date", "starts_at", "ord", "item_number", "title", "is_consent",
		"topic", "classified_at", "classifier_model"}, items)
	copyRows("vote", []string{"id", "item_id", "iqm2_id", "meeting_date", "starts_at", "ord", "motion_seq", "motion_text",
		"result", "result_raw", "ayes_count", "nays_count",
		"unanimous", "via_consent", "mover_id", "seconder_id", "parse_source", "parsed_at", "source_page", "topic"}, votes)
	copyRows("vote_position", []string{"vote_id", "member_id", "iqm2_id", "meeting_date", "starts_at", "ord", "position"},
		rolls)
	copyRows("attendance", []string{"iqm2_id", "meeting_date", "starts_at", "ord", "name", "name_key", "title", "status"},
		lists)
	copyRows("anomaly", []string{"id", "iqm2_id", "meeting_date", "starts_at", "ord", "item_id", "motion_seq", "kind",
		"code", "message", "source_page"}, notes)
	for _, m := range w.meetings {
		if m.status == council.StatusComplete {
			w.archive(t, db, &m)
		}
	}
	w.storeChanges(t, db)
	execSQL(t, db, `UPDATE council.meeting m SET item_count = (SELECT count(*) FROM council.item i
		WHERE i.iqm2_id = m.iqm2_id), vote_count = (SELECT count(*) FROM council.vote v WHERE v.iqm2_id = m.iqm2_id)`)
	w.storeBodies(t, db)
	execSQL(t, db, `INSERT INTO council.body_member_tally
		SELECT member_id, topic, position, sum(votes), sum(dissents), body_id FROM council.member_share GROUP BY 1, 2, 3, 6`)
	execSQL(t, db, `INSERT INTO council.body_pair_tally
		SELECT member_id, other_id, via_consent, sum(shared), sum(agreed), body_id FROM council.pair_share GROUP BY 1, 2, 3, 6`)
	execSQL(t, db, `UPDATE council.dataset SET generation = generation + 1, updated_at = '2026-11-21T12:00:00Z'`)
	execSQL(t, db, `ANALYZE`)
}

// archive adds minutes to a meeting: text, or a PDF whose bytes are the text of its pages.
func (w *world) archive(t testing.TB, db *pgxpool.Pool, m *wMeeting) {
	t.Helper()
	media, url := "text/plain", any(nil)
	if m.pdf {
		media, url = "application/pdf", fmt.Sprintf("https://portal.example/minutes/%d", m.id)
	}
	_, err := db.Exec(context.Background(), `
		WITH d AS (INSERT INTO council.document (sha256, media_type, size, content)
		  VALUES (sha256(convert_to($1::text, 'UTF8')), $2, length($3::bytea), $3) RETURNING document_id),
		     x AS (INSERT INTO council.document_text (document_id, text, pages, parser_version, parsed_at) SELECT document_id,
		       $4, 2, '1', $5 FROM d),
		     n AS (INSERT INTO council.minutes (iqm2_id, document_id, url, fetched_at) SELECT $6, document_id, $7, $5 FROM d
		       RETURNING minutes_id)
		SELECT minutes_id FROM n`, fmt.Sprint(m.id), media, pdfOf(m), textOf(m), m.starts, m.id, url)
	if err == nil {
		_, err = db.Exec(context.Background(), `
			UPDATE council.meeting m SET latest_id = n.minutes_id, minutes_id = n.minutes_id, minutes_url = n.url,
			  last_fetched = n.fetched_at
			FROM council.minutes n WHERE n.iqm2_id = m.iqm2_id AND m.iqm2_id = $1`, m.id)
	}
	if err != nil {
		t.Fatalf("archive minutes of %d: %v", m.id, err)
	}
}

func pdfOf(m *wMeeting) []byte {
	return []byte(fmt.Sprintf("%%PDF-1.7 of meeting %d ", m.id) + strings.Repeat("0123456789", 200))
}

func textOf(m *wMeeting) string { return fmt.Sprintf("Page one of %d: café\n\fPage two\n", m.id) }

func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}
