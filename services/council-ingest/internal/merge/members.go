package merge

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
)

const (
	selectMembers = `SELECT name_key, id FROM council.member`
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
		RETURNING m.id, m.full_name`
)

// readMembers returns the ids of all members by folded name.
func readMembers(ctx context.Context, tx pgx.Tx) (map[string]int64, error) {
	found, err := tx.Query(ctx, selectMembers)
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	members := map[string]int64{}
	var key string
	var id int64
	if _, err := pgx.ForEachRow(found, []any{&key, &id}, func() error { members[key] = id; return nil }); err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	return members, nil
}

// ensureMembers returns the ids of all members, after adding new ones that s names.
func ensureMembers(ctx context.Context, tx pgx.Tx, s State, note recorder) (map[string]int64, error) {
	members, err := readMembers(ctx, tx)
	if err != nil {
		return nil, err
	}
	for name := range s.names {
		key := council.FoldName(name)
		if _, known := members[key]; known {
			continue
		}
		var id int64
		if err := tx.QueryRow(ctx, insertMember, key, name, council.LastName(name)).Scan(&id); err != nil {
			return nil, fmt.Errorf("add member %q: %w", name, err)
		}
		if err := note.member(ctx, tx, id, nil, &name); err != nil {
			return nil, err
		}
		members[key] = id
	}
	return members, nil
}

// names yields every name of a mover, a seconder or a roll, in document order.
func (s State) names(yield func(string) bool) {
	for i := range s.Items {
		for j := range s.Items[i].Votes {
			v := &s.Items[i].Votes[j]
			for _, name := range []*string{v.Mover, v.Seconder} {
				if name != nil && !yield(*name) {
					return
				}
			}
			for _, list := range rolls(&v.Positions) {
				for _, name := range *list {
					if !yield(name) {
						return
					}
				}
			}
		}
	}
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
		for _, p := range stored.positions[v.ID] {
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
	var dropped []gone
	found, err := tx.Query(ctx, deleteMembers, ids)
	if err == nil {
		dropped, err = pgx.CollectRows(found, pgx.RowToStructByPos[gone])
	}
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
