package merge

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

const (
	selectMembers = `SELECT name_key, id, full_name FROM council.member`
	// A known name keeps its id and its first spelling.
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

// people gives each person one spelling: the member's, or the first that is read of somebody who is
// not stored.
type people struct {
	spellings map[string]string // by folded name
	ids       map[string]int64  // of members, by spelling
}

// readMembers returns all members.
func readMembers(ctx context.Context, tx pgx.Tx) (*people, error) {
	type member struct {
		NameKey  string
		ID       int64
		FullName string
	}
	all, err := pg.List[member](ctx, tx, selectMembers)
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	p := &people{spellings: map[string]string{}, ids: map[string]int64{}}
	for _, m := range all {
		p.spellings[m.NameKey], p.ids[m.FullName] = m.FullName, m.ID
	}
	return p, nil
}

// spell gives everybody in rows their one spelling.
func (p *people) spell(r rows) {
	one := func(name string) string {
		key := council.FoldName(name)
		if _, known := p.spellings[key]; !known {
			p.spellings[key] = name
		}
		return p.spellings[key]
	}
	for i := range r.votes {
		v := &r.votes[i]
		for _, name := range []**string{&v.Mover, &v.Seconder} {
			if *name != nil {
				spelling := one(**name)
				*name = &spelling
			}
		}
		v.Roll = append([]clerk.RollEntry(nil), v.Roll...) // a copy; nil without any
		for k := range v.Roll {
			v.Roll[k].Member = one(v.Roll[k].Member)
		}
	}
}

// idOf returns the id of a member; nil for nobody.
func (p *people) idOf(name *string) *int64 {
	if name == nil {
		return nil
	}
	id := p.ids[*name]
	return &id
}

// unknown are the people in rows who are no members yet.
func (p *people) unknown(r rows) []string {
	return slices.DeleteFunc(named(r), func(name string) bool { return p.ids[name] != 0 })
}

// store adds the people in rows who are no members yet.
func (p *people) store(ctx context.Context, tx pgx.Tx, r rows, note recorder) error {
	for _, name := range p.unknown(r) {
		var id int64
		if err := tx.QueryRow(ctx, insertMember, council.FoldName(name), name, council.LastName(name)).Scan(&id); err != nil {
			return fmt.Errorf("add member %q: %w", name, err)
		}
		if err := note.member(ctx, tx, id, nil, &name); err != nil {
			return err
		}
		p.ids[name] = id
	}
	return nil
}

// named are the people in rows, in the order in which they are first named.
func named(r rows) []string {
	seen := map[string]bool{}
	var names []string
	add := func(name *string) {
		if name != nil && !seen[*name] {
			seen[*name] = true
			names = append(names, *name)
		}
	}
	for i := range r.votes {
		v := &r.votes[i]
		add(v.Mover)
		add(v.Seconder)
		for k := range v.Roll {
			add(&v.Roll[k].Member)
		}
	}
	return names
}

// drop removes those of the people in rows who have no records any more.
func (p *people) drop(ctx context.Context, tx pgx.Tx, r rows, note recorder) error {
	var ids []int64
	for _, name := range named(r) {
		ids = append(ids, p.ids[name])
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
