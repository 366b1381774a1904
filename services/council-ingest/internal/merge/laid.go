package merge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
)

// laid is a meeting as it is stored, with what was read of it and what people say of that. Without corrections the first two are one.
type laid struct {
	meeting int64
	stored  rows
	read    rows // anomalies are those of the sources
	acts    []clerk.Correction
	last    int64 // the last correction that is laid over what is stored
	text    []byte
	people  *people
}

const selectLaid = `SELECT correction_id, reading::text FROM council.laid WHERE iqm2_id = $1`

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
	l.read = l.stored.clone()
	l.read.anomalies = withoutConflicts(l.read.anomalies)
	err = tx.QueryRow(ctx, selectLaid, meeting).Scan(&l.last, &l.text)
	if errors.Is(err, pgx.ErrNoRows) { // these are the first
		return l, nil
	}
	if err == nil {
		err = l.restore()
	}
	if err != nil {
		return nil, fmt.Errorf("read meeting %d without its corrections: %w", meeting, err)
	}
	return l, nil
}

// recognised is a new reading under the ids of the last one. Minutes that were put right read like the corrected vote rather than like what
// was read before, so both are tried where one does not find everything.
func (l *laid) recognised(s State) rows {
	now := wanted(s, l.read, l.people)
	if found := l.found(now); len(l.acts) > 0 && found < len(l.read.votes)+len(l.read.items) {
		if other := wanted(s, l.corrected(), l.people); l.found(other) > found {
			return other
		}
	}
	return now
}

// found counts the items and votes of the last reading that are in rows.
func (l *laid) found(r rows) int {
	n, items, votes := 0, map[int64]bool{}, map[int64]bool{}
	for i := range r.items {
		items[r.items[i].ID] = true
	}
	for i := range r.votes {
		votes[r.votes[i].ID] = true
	}
	for i := range l.read.items {
		if items[l.read.items[i].ID] {
			n++
		}
	}
	for i := range l.read.votes {
		if votes[l.read.votes[i].ID] {
			n++
		}
	}
	return n
}

// corrected is what was read, each row of it as readers see it.
func (l *laid) corrected() rows {
	out := l.read.clone()
	for i := range out.items {
		if at := slices.IndexFunc(l.stored.items, func(r itemRow) bool { return r.ID == out.items[i].ID }); at >= 0 {
			out.items[i] = l.stored.items[at]
		}
	}
	for i := range out.votes {
		if at := slices.IndexFunc(l.stored.votes, func(r voteRow) bool { return r.ID == out.votes[i].ID }); at >= 0 {
			out.votes[i] = l.stored.votes[at]
		}
	}
	return out
}

// want is what the tables should hold: what was read with the corrections laid over it, and an anomaly for each conflict.
func (l *laid) want(read rows) rows {
	want, conflicts := overlay(read, l.acts, l.people)
	want.withConflicts(conflicts, l.stored.anomalies)
	want.takeTopics(l.stored)
	return want
}

// newest is the id of the last correction.
func (l *laid) newest() int64 {
	n := int64(0)
	for _, c := range l.acts {
		n = max(n, c.ID)
	}
	return n
}

// fresh are the corrections that are not laid over yet, by the votes that they change; of several of one vote the last.
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
		for i := range read.votes {
			if v := &read.votes[i]; c.ItemID != nil && v.ItemID == *c.ItemID {
				out[v.ID] = c
			}
		}
	}
	return out
}

// A keptReading is what was read, as council.laid keeps it: rows without topics, and the names of the members that they number from 1, for
// a member may be stored no more, or never have been.
type keptReading struct {
	Items []itemRow
	Votes []voteRow
	Rolls []rollRow
	Names []string
}

func (l *laid) kept(read rows) keptReading {
	k := keptReading{Items: slices.Clone(read.items), Votes: slices.Clone(read.votes), Rolls: []rollRow{}}
	numbers := map[int64]int64{}
	for i, id := range mentioned(read) {
		numbers[id] = int64(i + 1)
		k.Names = append(k.Names, l.people.names[id])
	}
	number := func(id *int64) *int64 {
		if id == nil {
			return nil
		}
		n := numbers[*id]
		return &n
	}
	for i := range k.Items {
		k.Items[i].Topic = nil
	}
	for i := range k.Votes {
		v := &k.Votes[i]
		v.MoverID, v.SeconderID, v.Topic = number(v.MoverID), number(v.SeconderID), nil
	}
	for _, v := range slices.SortedFunc(slices.Values(read.votes), func(a, b voteRow) int { return cmp.Compare(a.ID, b.ID) }) {
		for _, p := range v.Roll {
			p.MemberID = *number(&p.MemberID)
			k.Rolls = append(k.Rolls, rollRow{v.ID, p})
		}
	}
	return k
}

// keep stores what was read, and reports whether corrections were laid over it that were not before.
func (l *laid) keep(ctx context.Context, tx pgx.Tx, read rows) (bool, error) {
	text, err := json.Marshal(l.kept(read))
	if err != nil {
		return false, fmt.Errorf("keep meeting %d without its corrections: %w", l.meeting, err)
	}
	newest := l.newest()
	if newest == l.last && sameJSON(text, l.text) {
		return false, nil
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO council.laid (iqm2_id, correction_id, reading) VALUES ($1, $2, $3)
		ON CONFLICT (iqm2_id) DO UPDATE SET correction_id = excluded.correction_id, reading = excluded.reading`, l.meeting, newest, text)
	if err != nil {
		return false, fmt.Errorf("keep meeting %d without its corrections: %w", l.meeting, err)
	}
	return newest > l.last, nil
}

func sameJSON(a, b []byte) bool {
	var x, y keptReading
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	one, _ := json.Marshal(x) // just unmarshalled
	other, _ := json.Marshal(y)
	return bytes.Equal(one, other)
}

// restore makes what was read from what was kept.
func (l *laid) restore() error {
	var k keptReading
	if err := json.Unmarshal(l.text, &k); err != nil {
		return err
	}
	rename := func(id *int64) *int64 {
		if id == nil {
			return nil
		}
		return l.people.idOf(&k.Names[*id-1])
	}
	l.read.items, l.read.votes = k.Items, k.Votes
	for i := range l.read.votes {
		v := &l.read.votes[i]
		v.MoverID, v.SeconderID = rename(v.MoverID), rename(v.SeconderID)
	}
	for i := range k.Rolls {
		k.Rolls[i].MemberID = *rename(&k.Rolls[i].MemberID)
	}
	l.read.enter(k.Rolls)
	return nil
}
