package merge

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

type meeting struct {
	id          int64
	stored      rows
	read        rows // rows before corrections; equal to stored if there are none
	corrections []clerk.Correction
	newest      int64            // id of the newest correction
	applied     int64            // id of the newest correction that was applied
	uncorrected *uncorrectedRows // nil if the meeting never had a correction
	people      *people
	clashes     []clash
}

type clash struct {
	clerk.Correction
	why string
}

// readJoined makes all joins of people that follow from corrections and, if not nil, from a state.
// Then it reads the meeting. It reports whether there were joins.
func readJoined(ctx context.Context, tx pgx.Tx, id int64, s *State, log changeLog) (*meeting, bool, error) {
	m, joins, err := readJoins(ctx, tx, id, s)
	if err != nil || len(joins) == 0 {
		return m, false, err
	}
	if err := m.people.execute(ctx, tx, joins, log); err != nil {
		return nil, false, err
	}
	// In the meetings where these names first occur, the joins may have made a name certain or
	// uncertain.
	for _, j := range joins {
		first, err := pg.Column[int64](ctx, tx, `SELECT DISTINCT iqm2_id FROM council.member_body
			WHERE name_key = $1 AND iqm2_id <> $2`, j.key, id)
		if err != nil {
			return nil, false, fmt.Errorf("find where %s was first read: %w", j.key, err)
		}
		for _, other := range first {
			if _, err := Reapply(ctx, tx, other, log.why, log.now); err != nil {
				return nil, false, err
			}
		}
	}
	m, _, err = readJoins(ctx, tx, id, s)
	return m, true, err
}

func readJoins(ctx context.Context, tx pgx.Tx, id int64, s *State) (*meeting, []join, error) {
	m, err := readMeeting(ctx, tx, id, s)
	if err != nil {
		return nil, nil, err
	}
	joins, err := m.decisions(ctx, tx)
	if err != nil || s == nil {
		return m, joins, err
	}
	more, err := m.people.identify(ctx, tx, *s)
	return m, append(joins, more...), err
}

// readMeeting reads a meeting, and the members whom it or the state names. s may be nil.
func readMeeting(ctx context.Context, tx pgx.Tx, id int64, s *State) (*meeting, error) {
	m := &meeting{id: id}
	var err error
	m.stored, err = readRows(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	m.corrections, err = clerk.Corrections(ctx, tx, &id)
	if err != nil {
		return nil, err
	}
	m.read = m.stored
	m.read.anomalies = withoutConflicts(m.stored.anomalies)
	if err := m.readUncorrected(ctx, tx); err != nil {
		return nil, err
	}
	names := append(namesIn(m.stored), namesIn(m.read)...)
	for _, a := range m.stored.attendance {
		names = append(names, a.Name)
	}
	for i := range m.corrections {
		names = append(names, m.corrections[i].Names()...)
	}
	if s != nil {
		names = append(names, s.names()...)
	}
	m.people, err = readMembers(ctx, tx, id, names)
	if err == nil && m.uncorrected != nil {
		m.people.unifyNames(m.read)
	}
	return m, err
}

// readUncorrected replaces m.read by the rows before corrections, if any were applied.
func (m *meeting) readUncorrected(ctx context.Context, tx pgx.Tx) error {
	if len(m.corrections) == 0 {
		return nil
	}
	m.newest = m.corrections[len(m.corrections)-1].ID
	err := tx.QueryRow(ctx, `SELECT correction_id, meeting_rows FROM council.uncorrected WHERE iqm2_id = $1`, m.id).
		Scan(&m.applied, &m.uncorrected)
	if errors.Is(err, pgx.ErrNoRows) { // no correction was ever applied
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the rows of meeting %d before corrections: %w", m.id, err)
	}
	m.read.items, m.read.votes = m.uncorrected.Items, m.uncorrected.Votes
	return nil
}

// identify returns the rows of a state with the stored ids. New minutes may print a vote as it was
// corrected, so unrecognised rows are also compared with the corrected rows.
func (m *meeting) identify(s State) rows {
	now := rowsOf(s, m.read)
	if n := m.countKnown(now); len(m.corrections) > 0 && n < len(m.read.votes)+len(m.read.items) {
		if other := rowsOf(s, m.corrected()); m.countKnown(other) > n {
			now = other
		}
	}
	m.people.unifyNames(now)
	return now
}

func (m *meeting) countKnown(r rows) int {
	n := 0
	for _, it := range m.read.items {
		if r.itemAt(&it.ID) >= 0 {
			n++
		}
	}
	for _, v := range m.read.votes {
		if r.voteAt(&v.ID) >= 0 {
			n++
		}
	}
	return n
}

// corrected returns m.read, with each row replaced by its stored form.
func (m *meeting) corrected() rows {
	out := m.read.clone()
	for i := range out.items {
		if at := m.stored.itemAt(&out.items[i].ID); at >= 0 {
			out.items[i] = m.stored.items[at]
		}
	}
	for i := range out.votes {
		if at := m.stored.voteAt(&out.votes[i].ID); at >= 0 {
			out.votes[i] = m.stored.votes[at]
		}
	}
	return out
}

// override returns the rows to store: with corrections applied, and with an anomaly for each
// conflict.
func (m *meeting) override(read rows) rows {
	o := applyCorrections(read, m.corrections)
	for i := range m.clashes {
		o.addConflict(&m.clashes[i].Correction, nil, nil, m.clashes[i].why)
	}
	want := o.rows
	for i := range want.votes {
		want.votes[i].Foreign = nil
	}
	want.addConflicts(o.conflicts, m.stored.anomalies)
	want.copyTopics(m.stored)
	m.people.unifyNames(want)
	want.attendance = slices.Clone(want.attendance)
	m.people.keyAttendance(&want)
	m.addNamesakes(&want)
	return want
}

// unapplied returns the last correction of each vote that is not applied yet.
func (m *meeting) unapplied(read rows) map[int64]clerk.Correction {
	out := map[int64]clerk.Correction{}
	for _, c := range m.corrections {
		if c.ID <= m.applied {
			continue
		}
		if c.VoteID != nil {
			out[*c.VoteID] = c
			continue
		}
		for _, v := range read.votes {
			if c.ItemID != nil && v.ItemID == *c.ItemID {
				out[v.ID] = c
			}
		}
	}
	return out
}

// uncorrectedRows are rows before corrections, as JSON in council.uncorrected.
type uncorrectedRows struct {
	Items []itemRow            `json:"items"`
	Votes []council.StoredVote `json:"votes"`
}

// keepUncorrected stores the rows before corrections. It reports whether more corrections are
// applied than before.
func (m *meeting) keepUncorrected(ctx context.Context, tx pgx.Tx, read rows) (bool, error) {
	same := m.uncorrected != nil && reflect.DeepEqual(m.read.items, read.items) &&
		reflect.DeepEqual(m.read.votes, read.votes)
	if m.newest == m.applied && same {
		return false, nil
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO council.uncorrected (iqm2_id, correction_id, meeting_rows) VALUES ($1, $2, $3)
		ON CONFLICT (iqm2_id) DO UPDATE SET correction_id = excluded.correction_id,
		  meeting_rows = excluded.meeting_rows`, m.id, m.newest, uncorrectedRows{Items: read.items, Votes: read.votes})
	if err != nil {
		return false, fmt.Errorf("store the rows of meeting %d before corrections: %w", m.id, err)
	}
	return m.newest > m.applied, nil
}
