package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// laid is a meeting as it is stored, with what was read of it and what people say of that. Without
// corrections the first two are one.
type laid struct {
	meeting int64
	stored  rows
	read    rows // anomalies are those of the sources
	acts    []clerk.Correction
	newest  int64        // the last correction
	last    int64        // the last one that readers see
	kept    *keptReading // nil before the first correction
	people  *people
}

const selectLaid = `SELECT correction_id, reading FROM council.laid WHERE iqm2_id = $1`

func readLaid(ctx context.Context, tx pgx.Tx, meeting int64) (*laid, error) {
	l := &laid{meeting: meeting}
	var err error
	l.stored, err = readRows(ctx, tx, meeting)
	if err != nil {
		return nil, err
	}
	l.people, err = readMembers(ctx, tx)
	if err != nil {
		return nil, err
	}
	l.acts, err = clerk.Corrections(ctx, tx, &meeting)
	if err != nil {
		return nil, err
	}
	l.read = l.stored
	if len(l.acts) == 0 {
		return l, nil
	}
	l.newest = l.acts[len(l.acts)-1].ID
	l.read.anomalies = withoutConflicts(l.stored.anomalies)
	err = tx.QueryRow(ctx, selectLaid, meeting).Scan(&l.last, &l.kept)
	if errors.Is(err, pgx.ErrNoRows) { // these are the first
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read meeting %d without its corrections: %w", meeting, err)
	}
	l.read.items, l.read.votes = l.kept.Items, l.kept.votes()
	l.people.spell(l.read)
	return l, nil
}

// recognised is a new reading under the ids of the last one. Corrected minutes read like the
// corrected vote rather than like the last reading, so both are tried if the last reading does not
// recognise everything.
func (l *laid) recognised(s State) rows {
	now := wanted(s, l.read)
	if found := l.found(now); len(l.acts) > 0 && found < len(l.read.votes)+len(l.read.items) {
		if other := wanted(s, l.corrected()); l.found(other) > found {
			now = other
		}
	}
	l.people.spell(now)
	return now
}

// found counts the items and votes of the last reading that are in rows.
func (l *laid) found(r rows) int {
	n, items, votes := 0, map[int64]bool{}, map[int64]bool{}
	for _, it := range r.items {
		items[it.ID] = true
	}
	for _, v := range r.votes {
		votes[v.ID] = true
	}
	for _, it := range l.read.items {
		if items[it.ID] {
			n++
		}
	}
	for _, v := range l.read.votes {
		if votes[v.ID] {
			n++
		}
	}
	return n
}

// corrected is what was read, each row of it as readers see it.
func (l *laid) corrected() rows {
	out := l.read.clone()
	for i := range out.items {
		if at := l.stored.itemAt(&out.items[i].ID); at >= 0 {
			out.items[i] = l.stored.items[at]
		}
	}
	for i := range out.votes {
		if at := l.stored.voteAt(&out.votes[i].ID); at >= 0 {
			out.votes[i] = l.stored.votes[at]
		}
	}
	return out
}

// want is what the tables should hold: what was read with the corrections applied to it, and an
// anomaly for each conflict.
func (l *laid) want(read rows) rows {
	want, conflicts := overlay(read, l.acts)
	want.withConflicts(conflicts, l.stored.anomalies)
	want.takeTopics(l.stored)
	l.people.spell(want)
	return want
}

// fresh are the corrections that readers do not see yet, by the votes that they change; of several
// of one vote the last.
func (l *laid) fresh(read rows) map[int64]clerk.Correction {
	out := map[int64]clerk.Correction{}
	for _, c := range l.acts {
		if c.ID <= l.last {
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

// A keptReading is what was read, as council.laid keeps it: rows without topics, and people as
// numbers from 1 of their names.
type keptReading struct {
	Items []itemRow
	Votes []keptVote
	Rolls []keptPosition
	Names []string
}

type keptVote struct {
	voteRow
	MoverID, SeconderID *int
}

type keptPosition struct {
	VoteID        int64
	MemberID, Ord int
	Position      council.Position
}

func keptOf(read rows) *keptReading {
	k := &keptReading{Items: slices.Clone(read.items), Rolls: []keptPosition{}, Names: named(read)}
	number := func(name *string) *int {
		if name == nil {
			return nil
		}
		n := slices.Index(k.Names, *name) + 1
		return &n
	}
	for i := range k.Items {
		k.Items[i].Topic = nil
	}
	for _, v := range read.votes {
		v.Topic = nil
		k.Votes = append(k.Votes, keptVote{v, number(v.Mover), number(v.Seconder)})
		for i, e := range v.Roll {
			k.Rolls = append(k.Rolls, keptPosition{v.ID, *number(&e.Member), i + 1, e.Position})
		}
	}
	slices.SortStableFunc(k.Rolls, func(a, b keptPosition) int { return cmp.Compare(a.VoteID, b.VoteID) })
	return k
}

// votes are the kept votes with their people.
func (k *keptReading) votes() []voteRow {
	name := func(n *int) *string {
		if n == nil {
			return nil
		}
		return &k.Names[*n-1]
	}
	rolls := map[int64][]clerk.RollEntry{}
	for _, p := range k.Rolls {
		rolls[p.VoteID] = append(rolls[p.VoteID], clerk.RollEntry{Member: *name(&p.MemberID), Position: p.Position})
	}
	var out []voteRow
	for _, v := range k.Votes {
		v.Mover, v.Seconder, v.Roll = name(v.MoverID), name(v.SeconderID), rolls[v.ID]
		out = append(out, v.voteRow)
	}
	return out
}

// keep stores what was read, and reports whether readers see corrections that they did not see
// before.
func (l *laid) keep(ctx context.Context, tx pgx.Tx, read rows) (bool, error) {
	same := l.kept != nil && reflect.DeepEqual(l.read.items, read.items) && reflect.DeepEqual(l.read.votes, read.votes)
	if l.newest == l.last && same {
		return false, nil
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO council.laid (iqm2_id, correction_id, reading) VALUES ($1, $2, $3)
		ON CONFLICT (iqm2_id) DO UPDATE SET correction_id = excluded.correction_id,
		  reading = excluded.reading`, l.meeting, l.newest, keptOf(read))
	if err != nil {
		return false, fmt.Errorf("keep meeting %d without its corrections: %w", l.meeting, err)
	}
	return l.newest > l.last, nil
}
