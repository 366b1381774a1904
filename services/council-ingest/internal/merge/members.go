package merge

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

const (
	// A member who was joined with a member of another body may already have the key.
	insertMember = `
		INSERT INTO council.member (name_key, full_name, last_name)
		SELECT CASE WHEN EXISTS (SELECT FROM council.member WHERE name_key = $1)
		       THEN $1 || '|' || (SELECT max(id) + 1 FROM council.member) ELSE $1 END, $2, $3
		RETURNING id`
	deleteUnusedMembers = `
		DELETE FROM council.member m
		WHERE m.id = ANY($1)
		  AND NOT EXISTS (SELECT FROM council.vote_position p WHERE p.member_id = m.id)
		  AND NOT EXISTS (SELECT FROM council.vote v WHERE v.mover_id = m.id)
		  AND NOT EXISTS (SELECT FROM council.vote v WHERE v.seconder_id = m.id)
		RETURNING m.id, m.full_name`
)

// people are the names on a meeting's body. bodies.go says whom they mean.
type people struct {
	body   int64
	suffix string                 // suffix of keys, such as "|planning-commission"; "" on the first body
	source string                 // source of the portal's ids of people
	ids    map[string]int64       // ids of members by spelling
	names  map[string]*nameOnBody // by folded name
}

// A nameOnBody is what is known of a name on a body.
type nameOnBody struct {
	// spelling is that of the stored member, or for new people the one that is printed first; "" if
	// nobody has the name.
	spelling  string
	key       string   // name_key of the member; "" if nobody has the name
	first     int64    // first meeting of the name on the body; 0 if unknown
	elsewhere namesake // the oldest member with the name on another body; ID is 0 if there is none
	person    string   // the portal's id of the person; "" if unknown
	isNew     bool     // the name is not on the body yet: of a new member, or of a member of another body
	adopted   bool     // it now means a member of another body
	decided   bool     // a correction decides about it
	clash     string   // why it cannot be the expected person
}

// at returns the entry of a folded name.
func (p *people) at(key string) *nameOnBody {
	if p.names[key] == nil {
		p.names[key] = &nameOnBody{}
	}
	return p.names[key]
}

// own returns the id of the member whom a folded name means on the body; 0 if there is none.
func (p *people) own(key string) int64 { return p.ids[p.at(key).spelling] }

func (p *people) unifyNames(r rows) {
	spelling := func(name string) string {
		n := p.at(council.FoldName(name))
		n.spelling = cmp.Or(n.spelling, name)
		return n.spelling
	}
	for i := range r.votes {
		v := &r.votes[i]
		for _, name := range []**string{&v.Mover, &v.Seconder} {
			if *name != nil {
				*name = new(spelling(**name))
			}
		}
		v.Roll = append([]council.RollEntry(nil), v.Roll...) // copies the roll; nil if it is empty
		for k := range v.Roll {
			v.Roll[k].Member = spelling(v.Roll[k].Member)
		}
	}
}

func (p *people) idOf(name *string) *int64 {
	if name == nil {
		return nil
	}
	return new(p.ids[*name])
}

func (p *people) newNames(r rows) []string {
	return slices.DeleteFunc(namesIn(r), func(name string) bool { return p.ids[name] != 0 })
}

func (p *people) add(ctx context.Context, tx pgx.Tx, r rows, log changeLog) error {
	for _, name := range p.newNames(r) {
		key := council.FoldName(name)
		id, err := insertNew(ctx, tx, key+p.suffix, name, log)
		if err != nil {
			return err
		}
		p.ids[name], p.at(key).isNew = id, true
	}
	names := namesIn(r)
	for key, n := range p.names {
		if !slices.Contains(names, n.spelling) {
			continue
		}
		if err := p.addToBody(ctx, tx, key, log.meeting); err != nil {
			return fmt.Errorf("add member %q to the body: %w", n.spelling, err)
		}
	}
	return nil
}

// insertNew adds a member with a key, and records that.
func insertNew(ctx context.Context, tx pgx.Tx, key, name string, log changeLog) (int64, error) {
	id, err := pg.Value[int64](ctx, tx, insertMember, key, name, council.LastName(name))
	if err != nil {
		return 0, fmt.Errorf("add member %q: %w", name, err)
	}
	return id, log.recordMember(ctx, tx, id, nil, &name)
}

func namesIn(r rows) []string {
	seen := map[string]bool{}
	var names []string
	for _, v := range r.votes {
		for _, name := range v.Names() {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// removeUnused removes people of rows who are no longer in any vote.
func (p *people) removeUnused(ctx context.Context, tx pgx.Tx, r rows, log changeLog) error {
	var ids []int64
	for _, name := range namesIn(r) {
		ids = append(ids, p.ids[name])
	}
	for _, v := range r.votes {
		ids = append(ids, v.Foreign...)
	}
	return p.removeIDs(ctx, tx, ids, log)
}

// removeIDs removes those of the given members who are in no vote.
func (p *people) removeIDs(ctx context.Context, tx pgx.Tx, ids []int64, log changeLog) error {
	type member struct {
		ID       int64
		FullName string
	}
	removed, err := pg.List[member](ctx, tx, deleteUnusedMembers, ids)
	if err != nil {
		return fmt.Errorf("remove unused members: %w", err)
	}
	for _, m := range removed {
		if err := log.recordMember(ctx, tx, m.ID, &m.FullName, nil); err != nil {
			return err
		}
	}
	return nil
}
