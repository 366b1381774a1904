package merge

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

const (
	selectMembers = `SELECT name_key, id, full_name FROM council.member`
	// A name that is known keeps its id and its first spelling.
	insertMember = `
		INSERT INTO council.member (name_key, full_name, last_name) VALUES ($1, $2, $3)
		ON CONFLICT (name_key) DO UPDATE SET name_key = excluded.name_key
		RETURNING id`
	// A member without any records is removed.
	deleteMembers = `
		DELETE FROM council.member m
		WHERE m.id = ANY($1)
		  AND NOT EXISTS (SELECT FROM council.vote_position p WHERE p.member_id = m.id)
		  AND NOT EXISTS (SELECT FROM council.vote v WHERE v.mover_id = m.id)
		  AND NOT EXISTS (SELECT FROM council.vote v WHERE v.seconder_id = m.id)
		RETURNING m.id, m.full_name AS name`
)

// people are the members by name. A name that is not stored has an id of its own below newPeople until it is: most are stored when
// the meeting is, and a misread one that a correction replaces never is.
type people struct {
	ids   map[string]int64 // by folded name
	names map[int64]string
	next  int64
}

const newPeople = -1 << 50

func newRoster() *people {
	return &people{ids: map[string]int64{}, names: map[int64]string{}, next: newPeople}
}

// idOf returns the id of a name, nil of none.
func (p *people) idOf(name *string) *int64 {
	if name == nil {
		return nil
	}
	key := council.FoldName(*name)
	id, known := p.ids[key]
	if !known {
		p.next--
		id = p.next
		p.ids[key], p.names[id] = id, *name
	}
	return &id
}

func (p *people) nameOf(id *int64) *string {
	if id == nil {
		return nil
	}
	name := p.names[*id]
	return &name
}

// readMembers returns all members.
func readMembers(ctx context.Context, tx pgx.Tx) (*people, error) {
	found, err := tx.Query(ctx, selectMembers)
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	p := newRoster()
	var key, name string
	var id int64
	if _, err := pgx.ForEachRow(found, []any{&key, &id, &name}, func() error { p.ids[key], p.names[id] = id, name; return nil }); err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	return p, nil
}

// unknown are the people that rows name and that are not stored, in the order in which they were first named.
func (p *people) unknown(r rows) []int64 {
	seen := map[int64]bool{}
	for _, id := range mentioned(r) {
		seen[id] = id < newPeople
	}
	var ids []int64
	for id := int64(newPeople) - 1; id >= p.next; id-- {
		if seen[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// store adds the members that rows name and that are not stored, and puts their ids into the rows.
func (p *people) store(ctx context.Context, tx pgx.Tx, r rows, note recorder) error {
	became := map[int64]int64{}
	for _, id := range p.unknown(r) {
		name := p.names[id]
		key := council.FoldName(name)
		var stored int64
		if err := tx.QueryRow(ctx, insertMember, key, name, council.LastName(name)).Scan(&stored); err != nil {
			return fmt.Errorf("add member %q: %w", name, err)
		}
		if err := note.member(ctx, tx, stored, nil, &name); err != nil {
			return err
		}
		became[id], p.ids[key], p.names[stored] = stored, stored, name
	}
	rename := func(id *int64) {
		if id != nil && became[*id] != 0 {
			*id = became[*id]
		}
	}
	for i := range r.votes {
		v := &r.votes[i]
		rename(v.MoverID)
		rename(v.SeconderID)
		for k := range v.Roll {
			rename(&v.Roll[k].MemberID)
		}
	}
	return nil
}

// mentioned are the members that the stored rows point at.
func mentioned(stored rows) []int64 {
	seen := map[int64]bool{}
	var ids []int64
	add := func(id int64) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for _, v := range stored.votes {
		for _, id := range []*int64{v.MoverID, v.SeconderID} {
			if id != nil {
				add(*id)
			}
		}
		for _, p := range v.Roll {
			add(p.MemberID)
		}
	}
	return ids
}

// dropMembers removes those of the given members that have no records any more.
func dropMembers(ctx context.Context, tx pgx.Tx, ids []int64, note recorder) error {
	if len(ids) == 0 {
		return nil
	}
	type gone struct {
		ID   int64
		Name string
	}
	dropped, err := pg.List[gone](ctx, tx, deleteMembers, ids)
	if err != nil {
		return fmt.Errorf("drop members without records: %w", err)
	}
	for _, m := range dropped {
		if err := note.member(ctx, tx, m.ID, &m.Name, nil); err != nil {
			return err
		}
	}
	return nil
}
