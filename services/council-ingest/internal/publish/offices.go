package publish

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// An office is a row of council.member_office.
type office struct {
	BodyID           int64
	NameKey          string
	Office, District string
	Since, Until     int
}

// storeOffices replaces the offices if council.yaml has others. Without council.yaml it keeps them.
func (p *Publisher) storeOffices(ctx context.Context, tx pgx.Tx) (bool, error) {
	if !p.set.Configured() {
		return false, nil
	}
	type body struct {
		BodyID int64
		Name   string
	}
	bodies, err := pg.List[body](ctx, tx, `SELECT body_id, name FROM council.body ORDER BY body_id`)
	if err != nil {
		return false, err
	}
	rows, err := pg.List[office](ctx, tx, `
		SELECT body_id, name_key, coalesce(office, '') AS office, coalesce(district, '') AS district,
		       coalesce(since, 0) AS since, coalesce(until, 0) AS until
		FROM council.member_office ORDER BY body_id, name_key COLLATE "C"`)
	if err != nil {
		return false, err
	}
	var wanted []office
	for _, b := range bodies {
		wanted = append(wanted, officesOn(p.set.Members, b.BodyID, b.Name)...)
	}
	if slices.Equal(rows, wanted) {
		return false, nil
	}
	if _, err := tx.Exec(ctx, `DELETE FROM council.member_office`); err != nil {
		return false, err
	}
	for _, o := range wanted {
		_, err := tx.Exec(ctx, `
			INSERT INTO council.member_office (body_id, name_key, office, district, since, until)
			VALUES ($1, $2, nullif($3, ''), nullif($4, ''), nullif($5::integer, 0), nullif($6::integer, 0))`,
			o.BodyID, o.NameKey, o.Office, o.District, o.Since, o.Until)
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// officesOn returns the offices of the members on one body, by name. A name that council.yaml has
// for this body alone counts instead of the name for all bodies.
func officesOn(members map[string]settings.Member, id int64, body string) []office {
	found, own := map[string]office{}, map[string]bool{}
	for name, m := range members {
		printed, only := settings.SpellingOn(name)
		key := council.FoldName(printed)
		here := council.FoldName(only) == council.FoldName(body)
		if only != "" && !here || own[key] {
			continue
		}
		own[key] = only != ""
		found[key] = office{BodyID: id, NameKey: key, Office: m.Office, District: m.District, Since: m.From, Until: m.Until}
	}
	var all []office
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if o := found[key]; o.Office+o.District != "" || o.Since+o.Until != 0 {
			all = append(all, o)
		}
	}
	return all
}
