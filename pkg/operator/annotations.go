package operator

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
)

// An Annotation is an operator's message for riders about an entity, or replaces the entity by
// another.
type Annotation struct {
	ID                  int     `json:"id" db:"annotation_id"`
	AnnotationType      string  `json:"annotation_type"` // comment or override
	Feed                *string `json:"feed" db:"alias"` // nil for any feed
	EntityType          string  `json:"entity_type"`     // stops, routes, trips or agency
	EntityID            string  `json:"entity_id"`
	SecondaryEntityType *string `json:"secondary_entity_type"` // restricts the annotation to a secondary entity
	SecondaryEntityID   *string `json:"secondary_entity_id"`
	OverrideEntityID    *string `json:"override_entity_id"`
	Active              bool    `json:"active"`
	Over                bool    `json:"over"`
	From                *string `json:"from" db:"starts"` // local time
	Until               *string `json:"until" db:"ends"`
	Hours               *string `json:"hours"` // minutes of the week from Monday, as a multirange
	TimeZone            string  `json:"time_zone"`
	Author              *string `json:"author"`
	Format              string  `json:"format"`           // markdown or html
	Source              string  `json:"source" db:"body"` // the text before rendering
}

// Subject returns what the annotation is about.
func (a *Annotation) Subject() Subject {
	s := Subject{Type: a.EntityType, ID: a.EntityID}
	if a.Feed != nil {
		s.Feed = *a.Feed
	}
	return s
}

// AddAnnotation stores an annotation and returns its number. starts and ends are local times; nil
// means no limit. Empty texts are stored as NULL.
func AddAnnotation(ctx context.Context, db *pgxpool.Pool, a Annotation, starts, ends *time.Time) (id int, err error) {
	err = change(ctx, db, "transit.annotation", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			INSERT INTO transit.annotation (annotation_type, alias, entity_type, entity_id, secondary_entity_type,
			  secondary_entity_id, body, format,
			                                override_entity_id, time_zone, starts_at, ends_at, hours, author)
			VALUES ($1, nullif($2, ''), $3, $4, nullif($5, ''), nullif($6, ''), $7, $8, nullif($9, ''), $10, $11, $12,
			  $13::text::int4multirange, nullif($14, ''))
			RETURNING annotation_id`,
			a.AnnotationType, a.Feed, a.EntityType, a.EntityID, a.SecondaryEntityType, a.SecondaryEntityID, a.Source, a.Format,
			a.OverrideEntityID,
			a.TimeZone, starts, ends, a.Hours, a.Author).Scan(&id)
	})
	if err != nil {
		return 0, fmt.Errorf("store the annotation: %w", err)
	}
	return id, nil
}

// ListAnnotations returns the annotations with the given numbers, or all if ids is nil.
func ListAnnotations(ctx context.Context, db *pgxpool.Pool, ids []int) ([]Annotation, error) {
	all, err := pg.List[Annotation](ctx, db, `
		SELECT annotation_id, annotation_type, alias, entity_type, entity_id, secondary_entity_type, secondary_entity_id,
		       override_entity_id,
		       coalesce(l.now >= starts_at, true) AND coalesce(l.now < ends_at, true)
		       AND coalesce(hours @> (extract(isodow FROM l.now)::integer - 1) * 1440 + extract(hour
		         FROM l.now)::integer * 60 + extract(minute FROM l.now)::integer, true) AS active,
		       coalesce(l.now >= ends_at, false) AS over,
		       to_char(starts_at, 'YYYY-MM-DD HH24:MI') AS starts, to_char(ends_at, 'YYYY-MM-DD HH24:MI') AS ends,
		         hours::text AS hours, time_zone, author, format, body
		FROM transit.annotation, LATERAL (SELECT now() AT TIME ZONE time_zone AS now) AS l
		WHERE $1::integer[] IS NULL OR annotation_id = ANY ($1)
		ORDER BY annotation_id`, ids)
	if err != nil {
		return nil, fmt.Errorf("read annotations: %w", err)
	}
	return all, nil
}

// EndAnnotations ends annotations now. If one number is unknown, it ends none.
func EndAnnotations(ctx context.Context, db *pgxpool.Pool, ids []int) error {
	return change(ctx, db, "transit.annotation", func(tx pgx.Tx) error {
		for _, id := range ids {
			// If an annotation has not started, it will never be active.
			tag, err := tx.Exec(ctx, `
				UPDATE transit.annotation
				SET ends_at = least(ends_at, now() AT TIME ZONE time_zone), changed = nextval('transit.operator_change'),
				    starts_at = CASE WHEN starts_at < least(ends_at, now() AT TIME ZONE time_zone) THEN starts_at END
				WHERE annotation_id = $1`, id)
			switch {
			case err != nil:
				return fmt.Errorf("end annotation %d: %w", id, err)
			case tag.RowsAffected() == 0:
				return fmt.Errorf("there is no annotation %d; none was ended", id)
			}
		}
		return nil
	})
}

// TimeZones returns the time zones of a feed, or of all feeds for "".
func TimeZones(ctx context.Context, db *pgxpool.Pool, feed string) ([]string, error) {
	zones, err := pg.Column[string](ctx, db, `
		SELECT DISTINCT v.time_zone
		FROM transit.feed f JOIN transit.feed_version v ON v.version_id = f.version_id
		WHERE f.removed_at IS NULL AND v.time_zone IS NOT NULL AND ($1 = '' OR f.alias = $1)`, feed)
	if err != nil {
		return nil, fmt.Errorf("read the time zones of feeds: %w", err)
	}
	return zones, nil
}

// ReadTime parses a local time such as 2027-03-01 or "2027-03-01 06:00"; nil if the text is empty.
func ReadTime(text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime,
		"2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return &at, nil
		}
	}
	return nil, fmt.Errorf("%q is not a local time: write 2027-03-01 or '2027-03-01 06:00'", text)
}

// ReadEnd is ReadTime for the end of a period: a date without a time includes that day.
func ReadEnd(text string) (*time.Time, error) {
	ends, err := ReadTime(text)
	if _, dayErr := time.Parse(time.DateOnly, text); dayErr == nil {
		next := ends.AddDate(0, 0, 1)
		return &next, nil
	}
	return ends, err
}
