package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

// A name on a body is one member. The same name on another body is another member, with three
// exceptions: the portal's person id, council.yaml or a correction joins the two; or one body is
// part of the other.

type namesake struct {
	Plain string // folded name on this body
	ID    int64
	Body  string
	Key   string
	Name  string
}

// A join moves rows from one member to another.
type join struct {
	key      string
	from, to int64  // to is 0 if a new member gets the rows
	body     int64  // body of the rows; 0 means all bodies
	suffix   string // suffix of a new member's key
}

const (
	// bodySuffix is SQL for the suffix of keys of members who were first seen on a body.
	bodySuffix = `CASE WHEN body_id > 1 THEN '|' || slug ELSE '' END`
	// selectPeople selects the members of a body, and the members of other bodies with one of their
	// names or of the given names. It does not read the members of all bodies, because it runs for
	// each meeting.
	selectPeople = `
		WITH parted AS (
			SELECT DISTINCT c.member_key, d.body_id FROM council.correction_standing s
			JOIN council.correction c USING (correction_id) JOIN council.meeting d ON d.iqm2_id = c.iqm2_id
			WHERE s.kind = 'person' AND s.state = 'in_force' AND s.becomes IS NULL),
		wanted AS (
			SELECT name_key FROM council.member_body WHERE body_id = $1 UNION SELECT unnest($2::text[]))
		SELECT b.name_key AS plain, m.name_key AS key, m.id, m.full_name AS name, b.body_id, c.name AS body,
		       coalesce(b.iqm2_id, 0) AS first, p.body_id IS NOT NULL AS parted
		FROM wanted JOIN council.member_body b USING (name_key)
		JOIN council.member m ON m.id = b.member_id JOIN council.body c USING (body_id)
		LEFT JOIN parted p ON p.member_key = b.name_key AND p.body_id = b.body_id
		ORDER BY b.body_id, m.id`
	// selectRelated selects, for a joint body, the members of its parts. For a part, it selects the
	// members of the joint body who are not on another body yet.
	selectRelated = `
		SELECT b.name_key AS plain, min(m.id) AS id, '' AS body, min(m.name_key) AS key, min(m.full_name) AS name
		FROM council.member_body b JOIN council.member m ON m.id = b.member_id
		JOIN council.body_part r ON $1 = r.body_id AND b.body_id = r.part_id
		  OR $1 = r.part_id AND b.body_id = r.body_id AND NOT EXISTS (SELECT FROM council.member_body o
		    WHERE o.member_id = b.member_id AND o.body_id <> b.body_id)
		GROUP BY b.name_key HAVING count(DISTINCT m.id) = 1`
	selectPersons = `
		SELECT p.name AS plain, m.id, '' AS body, m.name_key AS key, m.full_name AS name
		FROM unnest($2::text[], $3::text[]) AS p (name, key)
		JOIN council.person_key k ON k.source = $1 AND k.key = p.key JOIN council.member m ON m.id = k.member_id`
	// selectClash selects a reason why two members must be different people, on one body or on any.
	selectClash = `
		SELECT format('both are in the roll of vote %s', a.vote_id)
		FROM council.vote_position a JOIN council.vote_position b USING (vote_id)
		WHERE a.member_id = $1 AND b.member_id = $2 AND (a.body_id = $3 OR $3 = 0)
		UNION ALL
		SELECT format('%s is already another member of %s', m.full_name, c.name)
		FROM council.member_body a JOIN council.member_body o USING (body_id) JOIN council.body c USING (body_id)
		JOIN council.member m ON m.id = o.member_id AND m.full_name = (SELECT full_name FROM council.member WHERE id = $2)
		WHERE a.member_id = $1 AND o.member_id NOT IN ($1, $2) AND (a.body_id = $3 OR $3 = 0)
		LIMIT 1`
	selectParted = `
		SELECT EXISTS (SELECT FROM council.correction_standing s JOIN council.meeting m USING (iqm2_id)
		JOIN council.correction c USING (correction_id)
		JOIN council.member_body b ON b.body_id = m.body_id AND b.name_key = c.member_key
		WHERE c.kind = 'person' AND s.state = 'in_force' AND c.becomes IS NULL AND b.member_id IN ($1, $2))`
	insertOnBody = `
		INSERT INTO council.member_body AS b (body_id, name_key, member_id, iqm2_id) VALUES ($1, $2, $3, $4)
		ON CONFLICT (body_id, name_key) DO UPDATE SET member_id = excluded.member_id,
		  iqm2_id = coalesce(b.iqm2_id, excluded.iqm2_id)`
	insertPerson = `
		INSERT INTO council.person_key (source, key, member_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
)

// readMembers reads the members of a meeting's body, and the members of other bodies with their names
// or with the given names.
func readMembers(ctx context.Context, tx pgx.Tx, meeting int64, names []string) (*people, error) {
	p := &people{body: 1, ids: map[string]int64{}, names: map[string]*nameOnBody{}}
	err := tx.QueryRow(ctx, `SELECT body_id, `+bodySuffix+`
		FROM council.meeting JOIN council.body USING (body_id) WHERE iqm2_id = $1`, meeting).Scan(&p.body, &p.suffix)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read the body of meeting %d: %w", meeting, err)
	}
	type row struct {
		Plain, Key, Name, Body string
		ID, BodyID, First      int64
		Parted                 bool // the clerk separated the two
	}
	parted := map[string]bool{} // names that the clerk separated on other bodies
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = council.FoldName(name)
	}
	all, err := pg.List[row](ctx, tx, selectPeople, p.body, keys)
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	for _, m := range all {
		n := p.at(m.Plain)
		if m.BodyID == p.body {
			p.ids[m.Name] = m.ID
			n.spelling, n.key = m.Name, m.Key
			n.first, n.decided = m.First, m.Parted
		} else if n.elsewhere.ID == 0 || m.ID < n.elsewhere.ID {
			n.elsewhere = namesake{Plain: m.Plain, ID: m.ID, Body: m.Body, Key: m.Key, Name: m.Name}
			parted[m.Plain] = m.Parted
		}
	}
	for key, is := range parted {
		n := p.at(key)
		n.decided = n.decided || is
	}
	related, err := pg.List[namesake](ctx, tx, selectRelated, p.body)
	if err != nil {
		return nil, fmt.Errorf("read members of joint bodies: %w", err)
	}
	for _, other := range related {
		p.adopt(other)
	}
	return p, nil
}

// identify finds members of other bodies who, according to the state, are the same people as
// members of this body. It adopts them for names that are new on this body, and returns joins for
// stored members, who keep the older id. A decision of the clerk takes precedence.
func (p *people) identify(ctx context.Context, tx pgx.Tx, s State) ([]join, error) {
	p.source = s.PersonSource
	names := slices.Sorted(maps.Keys(s.Persons))
	var persons []string
	for _, name := range names {
		p.at(name).person = s.Persons[name]
		persons = append(persons, s.Persons[name])
	}
	same, err := pg.List[namesake](ctx, tx, selectPersons, p.source, names, persons)
	if err != nil {
		return nil, fmt.Errorf("find people by the portal's ids: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(p.names)) {
		if other := p.names[key].elsewhere; other.ID != 0 && s.Shared[key] {
			same = append(same, other)
		}
	}
	var joins []join
	for _, other := range same {
		own := p.own(other.Plain)
		if fold := council.FoldName(other.Name); own == 0 && (fold == other.Plain || p.at(fold).person == "") {
			p.adopt(other)
		}
		if own == 0 || own == other.ID || p.at(other.Plain).adopted {
			continue
		}
		j := join{key: other.Plain, from: max(own, other.ID), to: min(own, other.ID)}
		parted, err := pg.Value[bool](ctx, tx, selectParted, j.from, j.to)
		if err == nil && !parted {
			p.at(j.key).clash, err = j.clash(ctx, tx)
		}
		if err != nil {
			return nil, fmt.Errorf("compare %s with member %d: %w", other.Plain, other.ID, err)
		}
		if !parted && p.at(j.key).clash == "" {
			joins = append(joins, j)
		}
	}
	return joins, nil
}

// clash returns why two members cannot be joined, or "" if they can.
func (j join) clash(ctx context.Context, tx pgx.Tx) (string, error) {
	why, err := pg.Column[string](ctx, tx, selectClash, j.from, j.to, j.body)
	return strings.Join(why, ""), err
}

// adopt makes a name that is new on the body mean a member of another body.
func (p *people) adopt(other namesake) {
	n := p.at(other.Plain)
	if _, taken := p.ids[other.Name]; n.key == "" && !taken {
		p.ids[other.Name] = other.ID
		n.spelling, n.key = other.Name, other.Key
		n.adopted, n.isNew = true, true
	}
}

// addToBody stores whom a name means on the body, and the portal's id of the person.
func (p *people) addToBody(ctx context.Context, tx pgx.Tx, key string, meeting int64) error {
	n := p.at(key)
	if n.isNew {
		if _, err := tx.Exec(ctx, insertOnBody, p.body, key, p.own(key), meeting); err != nil {
			return err
		}
	}
	if n.person == "" {
		return nil
	}
	_, err := tx.Exec(ctx, insertPerson, p.source, n.person, p.own(key))
	return err
}

func (p *people) keyAttendance(r *rows) {
	for i := range r.attendance {
		a := &r.attendance[i]
		plain := council.FoldName(a.Name)
		a.NameKey = cmp.Or(p.at(plain).key, plain+p.suffix)
	}
}

// addNamesakes adds anomalies for names that first occur in this meeting. A name gets one if a
// member of another body has the same name and it is unknown whether they are one person, or if the
// name cannot be the person that council.yaml or the portal says.
func (m *meeting) addNamesakes(want *rows) {
	for _, name := range namesIn(*want) {
		key := council.FoldName(name)
		n, id := m.people.at(key), m.people.ids[name]
		other := n.elsewhere
		isNew := id == 0 || id > other.ID && n.first == m.id && strings.HasPrefix(n.key, key+m.people.suffix)
		message := fmt.Sprintf("%s is a member here and of %s; whether they are one person is not known", name,
			other.Body)
		switch {
		case n.clash != "" && (n.first == m.id || n.first == 0):
			message = fmt.Sprintf("%s cannot be the same person as on another body: %s", name, n.clash)
		case other.ID == 0 || id == other.ID || n.decided || !isNew:
			continue
		}
		row := anomalyRow{Ord: len(want.anomalies) + 1, Kind: council.KindOf(council.CodeSameName),
			Code: council.CodeSameName, Message: message}
		for _, a := range m.stored.anomalies {
			if a.Code == row.Code && a.Message == row.Message {
				row.ID = a.ID
			}
		}
		want.anomalies = append(want.anomalies, row)
	}
}

// decisions returns the joins that corrections demand for names on the body. A new withdrawal
// separates two people again. A decision that does not fit is a conflict.
func (m *meeting) decisions(ctx context.Context, tx pgx.Tx) ([]join, error) {
	decided := map[string]clerk.Correction{} // decisions by folded name
	for _, w := range m.corrections {
		for _, c := range m.corrections {
			if c.Kind == clerk.Person && c.ID == council.OrZero(w.Withdraws) && w.ID > m.applied {
				c.Becomes = nil
				decided[council.FoldName(council.Text(c.Member))] = c
			}
		}
	}
	for _, c := range m.corrections {
		if c.Kind == clerk.Person && c.InForce() {
			key := council.FoldName(council.Text(c.Member))
			decided[key], m.people.at(key).decided = c, true
		}
	}
	var joins []join
	for _, key := range slices.Sorted(maps.Keys(decided)) {
		c := decided[key]
		j, why, err := m.people.decide(ctx, tx, key, c.Becomes)
		if err != nil {
			return nil, fmt.Errorf("decide who %s is: %w", key, err)
		}
		if why != "" {
			m.clashes = append(m.clashes, clash{c, why})
		} else if j.from != j.to {
			joins = append(joins, j)
		}
	}
	return joins, nil
}

// decide returns the join of a name on the body with the member of the same name on another body.
// If slug is nil, it returns the join that separates the name into two members. If the decision is
// impossible, why is the reason. The body that had the older id first keeps that id.
func (p *people) decide(ctx context.Context, tx pgx.Tx, key string, slug *string) (j join, why string, err error) {
	type member struct {
		ID, BodyID int64
		Suffix     string
	}
	own := p.own(key)
	found, err := pg.List[member](ctx, tx, `
		SELECT member_id AS id, body_id, `+bodySuffix+` AS suffix
		FROM council.member_body b JOIN council.body c USING (body_id)
		WHERE b.name_key = $1 AND b.body_id <> $2
		  AND CASE WHEN $3::text IS NULL THEN member_id = $4 ELSE c.slug = $3 END
		ORDER BY body_id LIMIT 1`, key, p.body, slug, own)
	if err != nil || own == 0 {
		return j, "", err
	}
	if len(found) == 0 {
		if slug != nil {
			why = fmt.Sprintf("%s has no member of that name", *slug)
		}
		return j, why, nil
	}
	other, here := found[0], member{own, p.body, p.suffix}
	switch {
	case slug == nil && p.at(key).key == key+p.suffix:
		j = join{key: key, from: own, to: 0, body: other.BodyID, suffix: other.Suffix}
	case slug == nil:
		j = join{key: key, from: own, to: 0, body: here.BodyID, suffix: here.Suffix}
	case own != other.ID:
		from, to := here, other
		if own < other.ID {
			from, to = other, here
		}
		j = join{key: key, from: from.ID, to: to.ID, body: from.BodyID}
		why, err = j.clash(ctx, tx)
		if why != "" {
			why = fmt.Sprintf("%s here (member %d) and of %s (member %d) are two people: %s", p.at(key).spelling, own,
				*slug, other.ID, why)
		}
	}
	return j, why, err
}

func (p *people) execute(ctx context.Context, tx pgx.Tx, joins []join, log changeLog) error {
	for _, j := range joins {
		if j.to == 0 {
			var err error
			j.to, err = insertNew(ctx, tx, j.key+j.suffix, p.at(j.key).spelling, log)
			if err != nil {
				return err
			}
		}
		err := j.moveRows(ctx, tx)
		if err == nil {
			err = p.removeIDs(ctx, tx, []int64{j.from}, log)
		}
		if err != nil {
			return fmt.Errorf("join members %d and %d: %w", j.from, j.to, err)
		}
	}
	return nil
}

func (j join) moveRows(ctx context.Context, tx pgx.Tx) error {
	meetings, err := pg.Column[int64](ctx, tx, `SELECT DISTINCT iqm2_id FROM council.vote_position
		WHERE member_id = $1 AND (body_id = $2 OR $2 = 0)`, j.from, j.body)
	if err != nil {
		return err
	}
	if err := addShares(ctx, tx, -1, meetings...); err != nil {
		return err
	}
	for _, sql := range []string{
		`UPDATE council.vote_position SET member_id = $2 WHERE member_id = $1`,
		`UPDATE council.vote SET mover_id = $2 WHERE mover_id = $1`,
		`UPDATE council.vote SET seconder_id = $2 WHERE seconder_id = $1`,
		`UPDATE council.attendance SET name_key = (SELECT name_key FROM council.member WHERE id = $2)
		 WHERE name_key = (SELECT name_key FROM council.member WHERE id = $1)`,
		`UPDATE council.member_body SET member_id = $2 WHERE member_id = $1`,
	} {
		if _, err := tx.Exec(ctx, sql+` AND (body_id = $3 OR $3 = 0)`, j.from, j.to, j.body); err != nil {
			return err
		}
	}
	if j.body == 0 {
		_, err = tx.Exec(ctx, `UPDATE council.person_key SET member_id = $2 WHERE member_id = $1`, j.from, j.to)
		if err != nil {
			return err
		}
	}
	return addShares(ctx, tx, +1, meetings...)
}

// MoveMeeting assigns a stored meeting to another body, and reports whether it changed. Until
// [Apply] runs, the votes of the meeting still name members of the previous body.
func MoveMeeting(ctx context.Context, tx pgx.Tx, meeting, body int64) (moved bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM council.meeting WHERE iqm2_id = $1 AND body_id <> $2)`, meeting,
		body).Scan(&moved)
	if err != nil || !moved {
		return false, err
	}
	if err := addShares(ctx, tx, -1, meeting); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `UPDATE council.meeting SET body_id = $2 WHERE iqm2_id = $1`, meeting, body)
	if err == nil {
		// Names that first occurred here first occur in another meeting now, which gets their anomalies.
		_, err = tx.Exec(ctx, `UPDATE council.member_body b SET iqm2_id = (SELECT min(iqm2_id) FROM council.vote_position p
			WHERE p.member_id = b.member_id AND p.body_id = b.body_id) WHERE iqm2_id = $1`, meeting)
	}
	if err != nil {
		return false, fmt.Errorf("move meeting %d to body %d: %w", meeting, body, err)
	}
	return true, addShares(ctx, tx, +1, meeting)
}
