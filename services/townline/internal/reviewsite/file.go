package reviewsite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/council/marked"
	"github.com/townline/townline/pkg/pg"
)

// A file is all that is known of an anomaly, a vote or an item: one state of the database.
type file struct {
	Anomaly  *clerk.Anomaly // nil for a vote or an item that was looked up
	History  []clerk.Review // of the anomaly
	Meeting  meetingRow
	Item     *itemRow
	Vote     *voteRow
	Siblings []voteRow          // votes of the item beside Vote
	People   []councilMember    // council members in the attendance of the meeting, then others of the roll
	Said     []clerk.Correction // corrections of the item and its votes, and those that answer the anomaly
	Holds    map[int64]bool     // by id: those of them that are in force
	Seen     clerk.Seen
	Waiting  bool // a correction is not laid over yet

	votes []voteRow
	pages [][]string
}

type meetingRow struct {
	ID         int64   `db:"iqm2_id"`
	Date       string  `db:"meeting_date"`
	Title      string  `db:"title"`
	MinutesURL *string `db:"minutes_url"`
	Text       *string `db:"text"`
}

type itemRow struct {
	ID     int64
	Number *string
	Title  string
}

type voteRow struct {
	ID         int64
	ItemID     int64
	ItemTitle  string
	ItemNumber *string
	MotionText string
	Result     council.Result
	ResultRaw  string
	Ayes       int `db:"ayes_count"`
	Nays       int `db:"nays_count"`
	ViaConsent bool
	Page       *int `db:"source_page"`
	Origin     string
	Mover      *string
	Seconder   *string
	Roll       []rollRow
}

type rollRow struct {
	ID       int64            `json:"id"`
	Name     string           `json:"name"`
	Position council.Position `json:"position"`
}

type councilMember struct {
	ID   int64
	Name string
}

const (
	selectMeeting = `
		SELECT m.iqm2_id, m.meeting_date::text AS meeting_date, m.title, coalesce(n.url, m.minutes_url) AS minutes_url, t.text
		FROM council.meeting m
		LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
		LEFT JOIN council.document_text t ON t.document_id = n.document_id
		WHERE m.iqm2_id = $1`

	selectItem = `SELECT id, item_number AS number, title FROM council.item WHERE id = $1`

	selectVotes = `
		SELECT v.id, v.item_id, i.title AS item_title, i.item_number, v.motion_text, v.result, v.result_raw, v.ayes_count,
		       v.nays_count, v.via_consent, v.source_page, v.origin,
		       mover.full_name AS mover, seconder.full_name AS seconder,
		       (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.member_id, 'name', b.full_name, 'position', p.position)
		         ORDER BY p.ord), '[]')
		        FROM council.vote_position p JOIN council.member b ON b.id = p.member_id WHERE p.vote_id = v.id) AS roll
		FROM council.vote v
		JOIN council.item i ON i.id = v.item_id
		LEFT JOIN council.member mover ON mover.id = v.mover_id
		LEFT JOIN council.member seconder ON seconder.id = v.seconder_id
		WHERE v.iqm2_id = $1
		ORDER BY v.ord`

	selectPeople = `
		SELECT b.id, b.full_name AS name FROM council.attendance a JOIN council.member b ON b.name_key = a.name_key
		       WHERE a.iqm2_id = $1 ORDER BY a.ord`

	// What a number of an address is of; a vote that a correction takes out is found by the
	// correction.
	whereVote = `
		SELECT iqm2_id, item_id, id FROM council.vote WHERE id = $1
		UNION ALL
		(SELECT iqm2_id, item_id, vote_id FROM council.correction WHERE vote_id = $1
		  AND NOT EXISTS (SELECT FROM council.vote WHERE id = $1) ORDER BY correction_id DESC LIMIT 1)`
	whereItem = `SELECT iqm2_id, id, NULL::bigint FROM council.item WHERE id = $1`
)

// load reads the file of an anomaly, a vote or an item.
func (d *Server) load(ctx context.Context, kind string, id int64) (*file, error) {
	f := &file{}
	err := pgx.BeginTxFunc(ctx, d.deps.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			meeting, item, vote, err := f.find(ctx, tx, kind, id)
			if err != nil {
				return err
			}
			return f.read(ctx, tx, meeting, item, vote)
		})
	if err != nil {
		return nil, fmt.Errorf("read %s %d: %w", kind, id, err)
	}
	return f, nil
}

// find says what a file is about.
func (f *file) find(ctx context.Context, tx pgx.Tx, kind string,
	id int64) (meeting int64, item, vote *int64, err error) {
	switch kind {
	case "anomalies":
		found, err := clerk.Anomalies(ctx, tx, clerk.Filter{ID: &id, Limit: 1})
		if err != nil || len(found) == 0 {
			return 0, nil, nil, errors.Join(err, clerk.ErrNotFound)
		}
		f.Anomaly = &found[0]
		f.History, err = clerk.Reviews(ctx, tx, id)
		return found[0].Meeting, found[0].ItemID, found[0].VoteID, err
	case "votes", "items":
		sql := map[string]string{"votes": whereVote, "items": whereItem}[kind]
		err = tx.QueryRow(ctx, sql, id).Scan(&meeting, &item, &vote)
		if errors.Is(err, pgx.ErrNoRows) {
			err = clerk.ErrNotFound
		}
		return meeting, item, vote, err
	}
	return 0, nil, nil, clerk.ErrNotFound
}

func (f *file) read(ctx context.Context, tx pgx.Tx, meeting int64, item, vote *int64) error {
	var err error
	f.Meeting, err = pg.One[meetingRow](ctx, tx, selectMeeting, meeting)
	if errors.Is(err, pgx.ErrNoRows) {
		return clerk.ErrNotFound
	}
	if err != nil {
		return err
	}
	f.votes, err = pg.List[voteRow](ctx, tx, selectVotes, meeting)
	if err != nil {
		return err
	}
	if item != nil {
		row, err := pg.One[itemRow](ctx, tx, selectItem, *item)
		if err == nil {
			f.Item = &row
		} else if !errors.Is(err, pgx.ErrNoRows) { // the item of an anomaly that is gone may be gone too
			return err
		}
	}
	for i := range f.votes {
		v := &f.votes[i]
		switch {
		case vote != nil && v.ID == *vote:
			f.Vote = v
		case item != nil && v.ItemID == *item:
			f.Siblings = append(f.Siblings, *v)
		}
	}
	f.People, err = pg.List[councilMember](ctx, tx, selectPeople, meeting)
	if err != nil {
		return err
	}
	if f.Vote != nil {
		for _, r := range f.Vote.Roll {
			if !slices.ContainsFunc(f.People, func(p councilMember) bool { return p.ID == r.ID }) {
				f.People = append(f.People, councilMember{r.ID, r.Name})
			}
		}
	}
	if err := f.readSaid(ctx, tx, vote); err != nil {
		return err
	}
	if f.Meeting.Text != nil {
		f.pages = marked.Pages(*f.Meeting.Text)
	}
	return nil
}

// readSaid reads the corrections.
func (f *file) readSaid(ctx context.Context, tx pgx.Tx, vote *int64) error {
	all, err := clerk.Corrections(ctx, tx, &f.Meeting.ID)
	if err != nil {
		return err
	}
	is := func(a, b *int64) bool { return a != nil && b != nil && *a == *b }
	f.Holds = map[int64]bool{}
	for _, c := range clerk.InForce(all) {
		f.Holds[c.ID] = true
	}
	ofItem := map[int64]bool{}
	for _, v := range f.votes {
		ofItem[v.ID] = f.Item != nil && v.ItemID == f.Item.ID
	}
	for _, c := range all {
		if f.Item != nil && is(c.ItemID, &f.Item.ID) || f.Anomaly != nil && is(c.AnomalyID, &f.Anomaly.ID) ||
			is(c.VoteID, vote) || c.VoteID != nil && ofItem[*c.VoteID] {
			f.Said = append(f.Said, c)
		}
	}
	waiting, err := clerk.Unapplied(ctx, tx)
	if err != nil {
		return err
	}
	f.Waiting = slices.Contains(waiting, f.Meeting.ID)
	anomaly := int64(0)
	if f.Anomaly != nil {
		anomaly = f.Anomaly.ID
	}
	f.Seen, err = clerk.LatestSeen(ctx, tx, anomaly, f.Meeting.ID)
	return err
}

// digest names what a clerk has seen beside what was said: what the anomaly says, and what is read
// of the item and its votes. Whether one is missing or read twice depends on all of them.
func (f *file) digest() string {
	message := ""
	if f.Anomaly != nil {
		message = f.Anomaly.Message
	}
	b, err := json.Marshal([]any{message, f.Item, f.Vote, f.Siblings})
	if err != nil {
		return "" // of such values there is always JSON
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// seen is Seen with the digest, as forms bring it back.
func (f *file) seen() string {
	return fmt.Sprintf("%d.%d.%s", f.Seen.Review, f.Seen.Correction, f.digest())
}

// spans are the lines of the votes concerned: of the vote, else of all votes of the item.
func (f *file) spans() []marked.Span {
	all := make([]marked.Vote, len(f.votes))
	for i := range f.votes {
		v := &f.votes[i]
		one := marked.Vote{ID: v.ID, Result: v.ResultRaw, Shared: v.ViaConsent}
		if v.Page != nil {
			one.Page = *v.Page
		}
		for _, name := range []*string{v.Mover, v.Seconder} {
			if name != nil {
				one.Names = append(one.Names, *name)
			}
		}
		for _, r := range v.Roll {
			one.Names = append(one.Names, r.Name)
		}
		all[i] = one
	}
	return slices.DeleteFunc(marked.Find(f.pages, all), func(s marked.Span) bool {
		if f.Vote != nil {
			return s.Vote != f.Vote.ID
		}
		return !slices.ContainsFunc(f.Siblings, func(v voteRow) bool { return v.ID == s.Vote })
	})
}

// page is the page of the minutes to begin with, from 1; 0 if there is no text.
func (f *file) page(spans []marked.Span) int {
	page := 1
	switch {
	case f.Anomaly != nil && f.Anomaly.Page != nil:
		page = *f.Anomaly.Page
	case len(spans) > 0:
		page = spans[0].Page
	case f.Vote != nil && f.Vote.Page != nil:
		page = *f.Vote.Page
	}
	return min(page, len(f.pages))
}

// oneLine is a text for a heading.
func oneLine(text string) string { return council.Clip(strings.Join(strings.Fields(text), " "), 300) }
