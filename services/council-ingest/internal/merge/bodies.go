package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

// A name on a body is one member. The same name on another body is another member, unless the
// portal's id of the person, council.yaml or a correction says that the two are one.

// A namesake is a member of another body with the same name.
type namesake struct {
	ID   int64
	Body string
	Key  string // name_key
	Name string
}

const (
	selectPeople = `
		SELECT b.name_key AS plain, m.name_key AS key, m.id, m.full_name AS name, b.body_id, c.name AS body,
		       coalesce(b.iqm2_id, 0) AS first
		FROM council.member_body b JOIN council.member m ON m.id = b.member_id JOIN council.body c USING (body_id)
		ORDER BY b.body_id, m.id`
	insertOnBody = `
		INSERT INTO council.member_body AS b (body_id, name_key, member_id, iqm2_id) VALUES ($1, $2, $3, $4)
		ON CONFLICT (body_id, name_key) DO UPDATE SET member_id = excluded.member_id,
		  iqm2_id = coalesce(b.iqm2_id, excluded.iqm2_id)`
	insertPerson = `
		INSERT INTO council.person_key (source, key, member_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
)

// readMembers reads who the names on a meeting's body are.
func readMembers(ctx context.Context, tx pgx.Tx, meeting int64) (*people, error) {
	p := &people{spellings: map[string]string{}, ids: map[string]int64{}, body: 1, keys: map[string]string{},
		first: map[string]int64{}, elsewhere: map[string]namesake{}, adopted: map[string]bool{},
		decided: map[string]bool{}}
	err := tx.QueryRow(ctx, `SELECT body_id, CASE WHEN body_id > 1 THEN '|' || slug ELSE '' END
		FROM council.meeting JOIN council.body USING (body_id) WHERE iqm2_id = $1`, meeting).Scan(&p.body, &p.suffix)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read the body of meeting %d: %w", meeting, err)
	}
	type row struct {
		Plain, Key, Name, Body string
		ID, BodyID, First      int64
	}
	all, err := pg.List[row](ctx, tx, selectPeople)
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	for _, m := range all {
		if m.BodyID == p.body {
			p.spellings[m.Plain], p.ids[m.Name] = m.Name, m.ID
			p.keys[m.Plain], p.first[m.Plain] = m.Key, m.First
		} else if o, ok := p.elsewhere[m.Plain]; !ok || m.ID < o.ID {
			p.elsewhere[m.Plain] = namesake{m.ID, m.Body, m.Key, m.Name}
		}
	}
	return p, nil
}

// identify adopts members of other bodies whom a state says to be the people on this one.
func (p *people) identify(ctx context.Context, tx pgx.Tx, s State) error {
	p.persons, p.source = s.Persons, s.PersonSource
	for key, other := range p.elsewhere {
		if s.Shared[key] {
			p.adopt(key, other)
		}
	}
	for key, person := range s.Persons {
		if p.keys[key] != "" {
			continue
		}
		other, err := pg.One[namesake](ctx, tx, `SELECT m.id, '' AS body, m.name_key AS key, m.full_name AS name
			FROM council.person_key k JOIN council.member m ON m.id = k.member_id
			WHERE k.source = $1 AND k.key = $2`, p.source, person)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return fmt.Errorf("find person %s: %w", person, err)
		}
		p.adopt(key, other)
	}
	return nil
}

// adopt makes a name that is new on the body mean a member of another one.
func (p *people) adopt(key string, other namesake) {
	if _, taken := p.ids[other.Name]; p.keys[key] == "" && !taken {
		p.spellings[key], p.ids[other.Name], p.keys[key], p.adopted[key] = other.Name, other.ID, other.Key, true
	}
}

func (p *people) addToBody(ctx context.Context, tx pgx.Tx, key string, id, meeting int64) error {
	_, err := tx.Exec(ctx, insertOnBody, p.body, key, id, meeting)
	return err
}

// addKnown stores that an adopted member is on the body, and the portal's id of a person.
func (p *people) addKnown(ctx context.Context, tx pgx.Tx, key string, id, meeting int64) error {
	if p.adopted[key] {
		if err := p.addToBody(ctx, tx, key, id, meeting); err != nil {
			return err
		}
	}
	if person := p.persons[key]; person != "" {
		_, err := tx.Exec(ctx, insertPerson, p.source, person, id)
		return err
	}
	return nil
}

// keyAttendance gives rows of the attendance the keys of the body's people.
func (p *people) keyAttendance(r *rows) {
	for i := range r.attendance {
		a := &r.attendance[i]
		plain := council.FoldName(a.Name)
		a.NameKey = plain + p.suffix
		if key := p.keys[plain]; key != "" {
			a.NameKey = key
		}
	}
}

// addNamesakes adds an anomaly for each name that is first read in this meeting and is a member of
// another body, too, while it is not known whether they are one person.
func (m *meeting) addNamesakes(want *rows) {
	for _, name := range namesIn(*want) {
		key := council.FoldName(name)
		other, ok := m.people.elsewhere[key]
		id := m.people.ids[name]
		if !ok || id == other.ID || m.people.decided[key] || id != 0 && (id < other.ID || m.people.first[key] != m.id) {
			continue
		}
		row := anomalyRow{Ord: len(want.anomalies) + 1, Kind: council.KindOf(council.CodeSameName),
			Code: council.CodeSameName, Message: fmt.Sprintf("%s is a member here and of %s; whether they are "+
				"one person is not known", name, other.Body)}
		for _, a := range m.stored.anomalies {
			if a.Code == row.Code && a.Message == row.Message {
				row.ID = a.ID
			}
		}
		want.anomalies = append(want.anomalies, row)
	}
}

// decide applies corrections that say who a name on the body is.
func (m *meeting) decide(ctx context.Context, tx pgx.Tx, log changeLog) (changed bool, err error) {
	becomes := map[string]*string{}
	for _, c := range m.corrections { // a withdrawn one leaves two people
		if c.Kind == clerk.Person {
			becomes[council.FoldName(council.Text(c.Member))] = nil
		}
	}
	for _, c := range clerk.InForce(m.corrections) {
		if c.Kind == clerk.Person {
			key := council.FoldName(council.Text(c.Member))
			becomes[key], m.people.decided[key] = c.Becomes, true
		}
	}
	for key, body := range becomes {
		moved, err := m.people.move(ctx, tx, key, body, log)
		if err != nil {
			return false, fmt.Errorf("decide who %s is: %w", key, err)
		}
		changed = changed || moved
	}
	return changed, nil
}

// move makes a name on the body the member of the same name on another body, or a member of its own
// for nil.
func (p *people) move(ctx context.Context, tx pgx.Tx, key string, body *string, log changeLog) (bool, error) {
	name := p.spellings[key]
	old := p.ids[name]
	if old == 0 {
		return false, nil
	}
	var to int64
	err := tx.QueryRow(ctx, `SELECT member_id FROM council.member_body b JOIN council.body c USING (body_id)
		WHERE b.name_key = $1 AND b.body_id <> $2 
		  AND CASE WHEN $3::text IS NULL THEN member_id = $4 ELSE c.slug = $3 END
		LIMIT 1`, key, p.body, body, old).Scan(&to)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil // nothing to join, or alone already
	case err != nil:
		return false, err
	case body == nil:
		own := key + p.suffix
		if p.suffix == "" {
			own = key + "|1"
		}
		err = tx.QueryRow(ctx, insertMember, own, name, council.LastName(name)).Scan(&to)
		if err == nil {
			err = log.recordMember(ctx, tx, to, nil, &name)
		}
	case to == old:
		return false, nil
	}
	if err == nil {
		err = p.moveRows(ctx, tx, key, old, to)
	}
	if err != nil {
		return false, err
	}
	p.ids[name] = to
	p.keys[key], err = pg.Value[string](ctx, tx, `SELECT name_key FROM council.member WHERE id = $1`, to)
	if err == nil {
		err = p.removeIDs(ctx, tx, []int64{old}, log)
	}
	return true, err
}

// moveRows makes the rows of the body those of another member.
func (p *people) moveRows(ctx context.Context, tx pgx.Tx, key string, old, to int64) error {
	meetings, err := pg.Column[int64](ctx, tx, `SELECT DISTINCT iqm2_id FROM council.vote_position
		WHERE member_id = $1 AND body_id = $2`, old, p.body)
	if err != nil {
		return err
	}
	if err := addShares(ctx, tx, -1, meetings...); err != nil {
		return err
	}
	for _, sql := range []string{
		`UPDATE council.vote_position SET member_id = $2 WHERE member_id = $1 AND body_id = $3`,
		`UPDATE council.vote SET mover_id = $2 WHERE mover_id = $1 AND body_id = $3`,
		`UPDATE council.vote SET seconder_id = $2 WHERE seconder_id = $1 AND body_id = $3`,
		`UPDATE council.attendance SET name_key = (SELECT name_key FROM council.member WHERE id = $2)
		 WHERE name_key = (SELECT name_key FROM council.member WHERE id = $1) AND body_id = $3`,
		`UPDATE council.member_body SET member_id = $2 WHERE member_id = $1 AND body_id = $3`,
	} {
		if _, err := tx.Exec(ctx, sql, old, to, p.body); err != nil {
			return err
		}
	}
	return addShares(ctx, tx, +1, meetings...)
}

// NamesOnBody returns members of council.yaml as they hold on one body: "Jane Doe @ Planning
// Commission" is the name on that body. one has the names that mean one person on all bodies.
func NamesOnBody(aliases map[string][]string, body string) (names Names, one map[string]bool) {
	names, one = Names{}, map[string]bool{}
	on := func(spelling string) (string, bool) {
		name, of, only := strings.Cut(spelling, "@")
		return strings.TrimSpace(name), !only || council.FoldName(of) == council.FoldName(body)
	}
	for name, others := range aliases {
		plain, here := on(name)
		if !here {
			continue
		}
		one[council.FoldName(plain)] = one[council.FoldName(plain)] || !strings.Contains(name, "@")
		for _, spelling := range append([]string{plain}, others...) {
			if s, here := on(spelling); here {
				names[council.FoldName(s)] = plain
			}
		}
	}
	for name := range aliases { // a name of its own on this body is another person
		if plain, here := on(name); here && strings.Contains(name, "@") {
			one[council.FoldName(plain)] = false
		}
	}
	return names, one
}
