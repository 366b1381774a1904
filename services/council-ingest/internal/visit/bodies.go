package visit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/bodies"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// If council.yaml has bodies, each name on the calendar refers to a body in the database. If it
// does not, one body is read, and no name is stored.

func nameOf(m portal.Meeting) bodies.Name { return bodies.Name{ID: m.BodyID, Text: m.Body} }

func (v *visitor) chooseBodies(ctx context.Context, rows []portal.Meeting, stored map[int64]*storedMeeting) error {
	if len(v.set.Bodies) == 0 {
		var err error
		v.body, err = v.chooseBody(rows, stored)
		if err == nil && v.req.Body != "" && !strings.EqualFold(v.req.Body, v.body) {
			err = fmt.Errorf("ingest: council.yaml reads %q, not %q", v.body, v.req.Body)
		}
		return err
	}
	if v.src.Body != "" {
		v.body, _ = portal.BodyNamed(portal.CountBodies(rows), v.src.Body)
		v.body = cmp.Or(v.body, v.src.Body)
	}
	count := map[bodies.Name]int{}
	for _, m := range rows {
		if m.Body != "" {
			count[nameOf(m)]++
		}
	}
	names := make([]bodies.Name, 0, len(count))
	for n := range count {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b bodies.Name) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
	v.meanings = map[bodies.Name]bodies.Meaning{}
	err := v.resolve(ctx, names)
	if err == nil {
		err = v.storeKinds(ctx)
	}
	if err != nil || v.req.Body == "" {
		return err
	}
	var read []string
	for _, m := range v.meanings {
		if m.Body == nil || slices.Contains(read, m.Name) {
			continue
		}
		if strings.EqualFold(m.Name, v.req.Body) {
			return nil
		}
		read = append(read, m.Name)
	}
	slices.Sort(read)
	return fmt.Errorf("ingest: body %q %w, or not in council.yaml; bodies that are read: %s", v.req.Body, errNotListed,
		strings.Join(read, ", "))
}

func (v *visitor) resolve(ctx context.Context, names []bodies.Name) error {
	r := bodies.Resolver{Source: v.src.Name, Main: v.body, Reads: v.set.ReadsBody, Names: v.set.NamesBody,
		Log: v.Deps.Log}
	_, err := v.Write(ctx, func(tx pgx.Tx) (bool, error) {
		found, err := r.Resolve(ctx, tx, names)
		for n, means := range found {
			v.meanings[n] = means
		}
		return false, err
	})
	return writer.MarkStorage(err)
}

// storeKinds stores the portal's names for the kinds of bodies if there is a new body.
func (v *visitor) storeKinds(ctx context.Context) error {
	isNew, err := pg.Value[bool](ctx, v.Deps.DB, `SELECT EXISTS (SELECT FROM council.body WHERE checked_at IS NULL)`)
	if err != nil || !isNew || v.req.DryRun {
		return writer.MarkStorage(err)
	}
	all, err := v.reader.Bodies(ctx)
	if err != nil {
		v.Deps.Log.Info("the portal does not list its bodies", "source", v.src.Name, "error", err)
	}
	_, err = v.Write(ctx, func(tx pgx.Tx) (bool, error) {
		changed := false
		for _, b := range all {
			tag, err := tx.Exec(ctx, `UPDATE council.body b SET kind = nullif($3, '') FROM council.body_key k
				WHERE k.body_id = b.body_id AND k.source = $1 AND k.key = '#' || $2 AND b.kind IS DISTINCT FROM nullif($3, '')`,
				v.src.Name, b.ID, b.Kind)
			if err != nil {
				return false, err
			}
			changed = changed || tag.RowsAffected() > 0
		}
		return changed, nil
	})
	return writer.MarkStorage(err)
}

// resolvePage resolves the body of a meeting if only the meeting's page names it.
func (v *visitor) resolvePage(ctx context.Context, row listed) error {
	if _, known := v.meanings[nameOf(row.Meeting)]; known || v.meanings == nil || row.Body == "" {
		return nil
	}
	return v.resolve(ctx, []bodies.Name{nameOf(row.Meeting)})
}

func (v *visitor) isOurs(n bodies.Name) bool {
	if v.meanings == nil {
		return strings.EqualFold(n.Text, v.body)
	}
	means, known := v.meanings[n]
	return !known || means.Body != nil && (v.req.Body == "" || strings.EqualFold(means.Name, v.req.Body))
}

func (v *visitor) bodyNamed(row listed) string {
	if means := v.meanings[nameOf(row.Meeting)]; means.Body != nil {
		return means.Name
	}
	return row.Body
}

func (v *visitor) documents(row listed) []string {
	if one := v.set.For(v.bodyNamed(row)); one != v.set && !slices.Equal(one.Documents, v.set.Documents) {
		return one.Documents
	}
	return v.src.Documents
}

// bodyKey returns a key that is equal for meetings of one body on one day.
func (v *visitor) bodyKey(m portal.Meeting) string {
	return fmt.Sprint(v.bodyNamed(listed{Meeting: m}), m.Starts.Format(time.DateOnly))
}

// bodyNames lists the names that all portals have for a meeting's body, in lower case.
func (v *visitor) bodyNames(m portal.Meeting) []string {
	if name := v.bodyNamed(listed{Meeting: m}); v.meanings != nil && !strings.EqualFold(name, v.body) {
		return []string{strings.ToLower(name)}
	}
	names := []string{strings.ToLower(v.body)}
	for _, s := range v.all {
		names = append(names, strings.ToLower(s.Body))
	}
	return names
}

// noteBodies records for each body that its calendar was read completely, and how many meetings
// failed.
func (v *visitor) noteBodies(ctx context.Context) error {
	if v.req.DryRun || v.req.MeetingID != 0 || v.req.Since != "" || v.req.Until != "" {
		return nil
	}
	failed := map[int64]int{} // number of failed meetings by body
	for n, means := range v.meanings {
		if means.Body != nil && v.isOurs(n) {
			failed[means.BodyID] += v.failures[n]
		}
	}
	for id, count := range failed {
		problem := ""
		if count > 0 {
			problem = council.Count(count, "meeting") + " could not be read in full"
		}
		_, err := v.Deps.DB.Exec(ctx, `UPDATE council.body SET checked_at = now(), problem = nullif($2, '')
			WHERE body_id = $1`, id, problem)
		if err != nil {
			return writer.MarkStorage(fmt.Errorf("note the state of body %d: %w", id, err))
		}
	}
	return nil
}

func (p *Portals) storeDivision(ctx context.Context, publisher *publish.Publisher) error {
	_, err := publisher.Write(ctx, func(tx pgx.Tx) (bool, error) {
		tag, err := tx.Exec(ctx, `UPDATE council.dataset SET division = nullif($1, '')
			WHERE division IS DISTINCT FROM nullif($1, '')`, p.set.Division)
		return tag.RowsAffected() > 0, err
	})
	return writer.MarkStorage(err)
}
