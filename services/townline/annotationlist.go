package townline

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	transitapi "github.com/townline/townline/services/transit-api"
)

// An annotationRow is an annotation as it is listed.
type annotationRow struct {
	ID                  int     `json:"id" db:"annotation_id"`
	AnnotationType      string  `json:"annotation_type" db:"annotation_type"`
	Feed                *string `json:"feed" db:"alias"`
	EntityType          string  `json:"entity_type" db:"entity_type"`
	EntityID            string  `json:"entity_id" db:"entity_id"`
	SecondaryEntityType *string `json:"secondary_entity_type" db:"secondary_entity_type"`
	SecondaryEntityID   *string `json:"secondary_entity_id" db:"secondary_entity_id"`
	OverrideEntityID    *string `json:"override_entity_id" db:"override_entity_id"`
	Active              bool    `json:"active" db:"active"`
	Over                bool    `json:"over" db:"over"`
	From                *string `json:"from" db:"starts"` // local
	Until               *string `json:"until" db:"ends"`
	Hours               *string `json:"hours" db:"hours"` // minutes of the week from Monday
	TimeZone            string  `json:"time_zone" db:"time_zone"`
	Author              *string `json:"author" db:"author"`
	Format              string  `json:"format" db:"format"`
	Source              string  `json:"source" db:"body"`
	HTML                string  `json:"body" db:"-"`
}

// annotations reads those with the given ids, or all.
func (s *session) annotations(deps run.Deps, ids []int) ([]annotationRow, error) {
	rows, err := deps.DB.Query(s.ctx, `
		SELECT annotation_id, annotation_type, alias, entity_type, entity_id, secondary_entity_type, secondary_entity_id, override_entity_id,
		       coalesce(l.now >= starts_at, true) AND coalesce(l.now < ends_at, true)
		       AND coalesce(hours @> (extract(isodow FROM l.now)::integer - 1) * 1440 + extract(hour FROM l.now)::integer * 60 + extract(minute FROM l.now)::integer, true) AS active,
		       coalesce(l.now >= ends_at, false) AS over,
		       to_char(starts_at, 'YYYY-MM-DD HH24:MI') AS starts, to_char(ends_at, 'YYYY-MM-DD HH24:MI') AS ends, hours::text AS hours, time_zone, author, format, body
		FROM transit.annotation, LATERAL (SELECT now() AT TIME ZONE time_zone AS now) AS l
		WHERE $1::integer[] IS NULL OR annotation_id = ANY ($1)
		ORDER BY annotation_id`, ids)
	if err != nil {
		return nil, fmt.Errorf("read annotations: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[annotationRow])
	if err != nil {
		return nil, fmt.Errorf("read annotations: %w", err)
	}
	for i := range all {
		if all[i].HTML, err = transitapi.RenderBody(all[i].Format, all[i].Source); err != nil {
			return nil, fmt.Errorf("annotation %d: %w", all[i].ID, err)
		}
	}
	return all, nil
}

func (s *session) showAnnotation(deps run.Deps, id int, asJSON bool) error {
	all, err := s.annotations(deps, []int{id})
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("there is no annotation %d", id)
	}
	a := all[0]
	if asJSON {
		return s.tell(true, a, "")
	}
	w := tabwriter.NewWriter(s.stdout, 0, 4, 2, ' ', 0)
	line := func(name string, value *string) {
		if value != nil && *value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, *value)
		}
	}
	fmt.Fprintf(w, "annotation\t%d (%s), %s\n", a.ID, a.AnnotationType, a.state())
	entity := a.entity()
	line("of", &entity)
	line("feed", a.Feed)
	line("redirects to", a.OverrideEntityID)
	when := a.when()
	line("holds", &when)
	line("times in", &a.TimeZone)
	line("by", a.Author)
	line("body", &a.HTML)
	return w.Flush()
}

func (a *annotationRow) state() string {
	switch {
	case a.Over:
		return "over"
	case a.Active:
		return "active now"
	}
	return "not now"
}

func (a *annotationRow) entity() string {
	text := a.EntityType + " " + a.EntityID
	if a.SecondaryEntityType != nil {
		text += ", only for " + *a.SecondaryEntityType + " " + *a.SecondaryEntityID
	}
	return text
}

// when is the span and the hours for people.
func (a *annotationRow) when() string {
	var parts []string
	if a.From != nil {
		parts = append(parts, "from "+*a.From)
	}
	if a.Until != nil {
		parts = append(parts, "until "+*a.Until)
	} else {
		parts = append(parts, "until further notice")
	}
	if a.Hours != nil {
		parts = append(parts, "at hours "+hoursText(*a.Hours))
	}
	return strings.Join(parts, " ")
}

type annotationListCmd struct {
	All  bool `help:"Those that are over, too."`
	JSON bool `name:"json" help:"Print JSON."`
}

// Run is `townline annotation list`.
func (c *annotationListCmd) Run(s *session) error {
	return s.with("annotation-list", func(deps run.Deps) error {
		all, err := s.annotations(deps, nil)
		if err != nil {
			return err
		}
		listed := []annotationRow{}
		for _, a := range all {
			if c.All || !a.Over {
				listed = append(listed, a)
			}
		}
		if c.JSON {
			return s.tell(true, listed, "")
		}
		if len(listed) == 0 {
			fmt.Fprintln(s.stdout, "no annotations; townline annotation add makes one")
			return nil
		}
		w := tabwriter.NewWriter(s.stdout, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tSTATE\tOF\tSAYS\tWHEN")
		for _, a := range listed {
			says := firstLine(a.Source)
			if a.OverrideEntityID != nil {
				says = strings.TrimSpace("→ " + *a.OverrideEntityID + " " + says)
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", a.ID, a.state(), a.entity(), says, a.when())
		}
		return w.Flush()
	}, schema.Transit)
}

// firstLine is the beginning of a text, on one line.
func firstLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 50 {
		return string(r[:49]) + "…"
	}
	return text
}

type annotationShowCmd struct {
	ID   int  `arg:"" help:"Its number."`
	JSON bool `name:"json" help:"Print JSON."`
}

// Run is `townline annotation show`.
func (c *annotationShowCmd) Run(s *session) error {
	return s.with("annotation-show", func(deps run.Deps) error { return s.showAnnotation(deps, c.ID, c.JSON) }, schema.Transit)
}

type annotationExpireCmd struct {
	IDs  []int `arg:"" name:"id" help:"Their numbers."`
	JSON bool  `name:"json" help:"Print JSON."`
}

// Help is printed by `townline annotation expire --help`.
func (*annotationExpireCmd) Help() string {
	return `An annotation that is ended is gone from the API within a second or two, and stays on record: townline annotation list --all. Of several
numbers either all are ended or, if one is unknown, none.`
}

// Run is `townline annotation expire`.
func (c *annotationExpireCmd) Run(s *session) error {
	return s.with("annotation-expire", func(deps run.Deps) error {
		err := s.operate(deps, "transit.annotation", func(ctx context.Context, tx pgx.Tx) error {
			for _, id := range c.IDs {
				// One that has not begun never will.
				tag, err := tx.Exec(ctx, `
					UPDATE transit.annotation
					SET ends_at = least(ends_at, now() AT TIME ZONE time_zone), changed = nextval('transit.operator_change'),
					    starts_at = CASE WHEN starts_at < least(ends_at, now() AT TIME ZONE time_zone) THEN starts_at END
					WHERE annotation_id = $1`, id)
				if err != nil {
					return fmt.Errorf("end annotation %d: %w", id, err)
				}
				if tag.RowsAffected() == 0 {
					return fmt.Errorf("there is no annotation %d; none was ended", id)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return s.tell(c.JSON, map[string]any{"ended": c.IDs}, "ended: "+strings.Trim(fmt.Sprint(c.IDs), "[]"))
	}, schema.Transit)
}
