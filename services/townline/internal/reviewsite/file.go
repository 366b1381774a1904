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

// A file has all data about an anomaly, a vote or an item, from one snapshot of the database.
type file struct {
	Anomaly     *clerk.Anomaly // nil for a vote or an item
	History     []clerk.Review // reviews of the anomaly
	Meeting     meetingRow
	Item        *itemRow
	Vote        *council.StoredVote
	OtherVotes  []council.StoredVote // other votes of the item
	Namesakes   []namesakeRow        // for a name that the anomaly found on two bodies
	Members     []memberRow          // members in the attendance of the meeting, then other members in the roll call
	Corrections []clerk.Correction   // of the item and its votes, and corrections that refer to the anomaly
	Seen        clerk.Seen
	Unapplied   bool // readers do not see all corrections yet

	votes []council.StoredVote
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

type memberRow struct {
	ID   int64
	Name string
}

// A namesakeRow is a name on the meeting's body that is also on another body.
type namesakeRow struct {
	Name string
	Slug string // slug of the other body
	Body string
}

const (
	// The anomaly's message begins with the name. Several names may fit: "Jo Doe" and "Jo Doe Jr.".
	selectNamesakes = `
		SELECT m.full_name AS name, b.slug, b.name AS body
		FROM council.member_body seat
		JOIN council.member m ON m.id = seat.member_id
		JOIN council.member_body other ON other.name_key = seat.name_key AND other.body_id <> seat.body_id
		JOIN council.body b ON b.body_id = other.body_id
		WHERE seat.iqm2_id = $1 AND starts_with($2, m.full_name)
		  AND substr($2, length(m.full_name) + 1) ~ '^ (is a member here|cannot be the same person)'
		ORDER BY b.body_id`

	selectMeeting = `
		SELECT m.iqm2_id, m.meeting_date::text AS meeting_date, m.title, coalesce(n.url, m.minutes_url) AS minutes_url, t.text
		FROM council.meeting m
		LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
		LEFT JOIN council.document_text t ON t.document_id = n.document_id
		WHERE m.iqm2_id = $1`

	selectItem = `SELECT id, item_number AS number, title FROM council.item WHERE id = $1`

	selectMembers = `
		SELECT b.id, b.full_name AS name
		FROM (SELECT b.id, 1 AS part, a.ord
		      FROM council.attendance a JOIN council.member b ON b.name_key = a.name_key WHERE a.iqm2_id = $1
		      UNION ALL
		      SELECT member_id, 2, ord FROM council.vote_position WHERE vote_id = $2) m
		JOIN council.member b ON b.id = m.id
		GROUP BY b.id ORDER BY min(ARRAY[m.part, m.ord])`

	// If a correction has removed the vote, the correction locates it.
	locateVote = `
		SELECT iqm2_id, item_id, id FROM council.vote WHERE id = $1
		UNION ALL
		(SELECT iqm2_id, item_id, vote_id FROM council.correction WHERE vote_id = $1
		  AND NOT EXISTS (SELECT FROM council.vote WHERE id = $1) ORDER BY correction_id DESC LIMIT 1)`
	locateItem = `SELECT iqm2_id, id, NULL::bigint FROM council.item WHERE id = $1`
)

// load reads the file of an anomaly, a vote or an item.
func (s *pages) load(ctx context.Context, kind string, id int64) (*file, error) {
	f := &file{}
	err := pgx.BeginTxFunc(ctx, s.deps.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			meeting, item, vote, err := f.locate(ctx, tx, kind, id)
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

// locate returns the meeting, item and vote of a file, and reads its anomaly.
func (f *file) locate(ctx context.Context, tx pgx.Tx, kind string,
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
		sql := map[string]string{"votes": locateVote, "items": locateItem}[kind]
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
	f.votes, err = clerk.Votes(ctx, tx, meeting)
	if err != nil {
		return err
	}
	if item != nil {
		row, err := pg.One[itemRow](ctx, tx, selectItem, *item)
		if err == nil {
			f.Item = &row
		} else if !errors.Is(err, pgx.ErrNoRows) { // the item of an anomaly may have been deleted
			return err
		}
	}
	for i := range f.votes {
		v := &f.votes[i]
		switch {
		case vote != nil && v.ID == *vote:
			f.Vote = v
		case item != nil && v.ItemID == *item:
			f.OtherVotes = append(f.OtherVotes, *v)
		}
	}
	f.Members, err = pg.List[memberRow](ctx, tx, selectMembers, meeting, vote)
	if err != nil {
		return err
	}
	if f.Anomaly != nil && f.Anomaly.Code == string(council.CodeSameName) {
		f.Namesakes, err = pg.List[namesakeRow](ctx, tx, selectNamesakes, meeting, f.Anomaly.Message)
		if err != nil {
			return err
		}
	}
	if f.Meeting.Text != nil {
		f.pages = marked.Pages(*f.Meeting.Text)
	}
	return f.readCorrections(ctx, tx, vote)
}

func (f *file) readCorrections(ctx context.Context, tx pgx.Tx, vote *int64) error {
	all, err := clerk.Corrections(ctx, tx, &f.Meeting.ID)
	if err != nil {
		return err
	}
	equal := func(a, b *int64) bool { return a != nil && b != nil && *a == *b }
	ofItem := map[int64]bool{}
	for _, v := range f.votes {
		ofItem[v.ID] = f.Item != nil && v.ItemID == f.Item.ID
	}
	for _, c := range all {
		if f.Item != nil && equal(c.ItemID, &f.Item.ID) || f.Anomaly != nil && equal(c.AnomalyID, &f.Anomaly.ID) ||
			equal(c.VoteID, vote) || c.VoteID != nil && ofItem[*c.VoteID] {
			f.Corrections = append(f.Corrections, c)
		}
	}
	unapplied, err := clerk.Unapplied(ctx, tx)
	if err != nil {
		return err
	}
	f.Unapplied = slices.Contains(unapplied, f.Meeting.ID)
	anomaly := int64(0)
	if f.Anomaly != nil {
		anomaly = f.Anomaly.ID
	}
	f.Seen, err = clerk.LatestSeen(ctx, tx, anomaly, f.Meeting.ID)
	return err
}

// seen identifies what the clerk has seen; forms send it back. It covers the newest statements, the
// anomaly's message, and the item with all its votes, because other votes decide whether a vote is
// missing or duplicated.
func (f *file) seen() string {
	message := ""
	if f.Anomaly != nil {
		message = f.Anomaly.Message
	}
	b, err := json.Marshal([]any{message, f.Item, f.Vote, f.OtherVotes})
	if err != nil {
		return "" // cannot happen
	}
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%d.%d.%s", f.Seen.Review, f.Seen.Correction, hex.EncodeToString(sum[:8]))
}

// spans returns the lines of the vote, or of all votes of the item.
func (f *file) spans() []marked.Span {
	return slices.DeleteFunc(marked.Find(f.pages, f.votes), func(s marked.Span) bool {
		if f.Vote != nil {
			return s.Vote != f.Vote.ID
		}
		return !slices.ContainsFunc(f.OtherVotes, func(v council.StoredVote) bool { return v.ID == s.Vote })
	})
}

// firstPage returns the page of the minutes to show first, from 1; 0 if there is no text.
func (f *file) firstPage(spans []marked.Span) int {
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

func oneLine(text string) string { return council.Clip(strings.Join(strings.Fields(text), " "), 300) }
