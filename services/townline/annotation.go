package townline

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	transitapi "github.com/townline/townline/services/transit-api"
)

type annotationCmd struct {
	Add    annotationAddCmd    `cmd:"" help:"Say something about a stop, route, trip or agency, or redirect a stop's predictions."`
	List   annotationListCmd   `cmd:"" help:"Annotations, those that are over left out."`
	Show   annotationShowCmd   `cmd:"" help:"One annotation, with its body as riders get it."`
	Expire annotationExpireCmd `cmd:"" help:"End annotations now."`
}

// Help is printed by `townline annotation --help`.
func (*annotationCmd) Help() string {
	return `Annotations are messages for riders (comments) and redirections of predictions (overrides). They name entities as the static feed does,
outlive every import, and hold within a span of time and hours of the week, in the feed's local time.

  townline annotation add stop 1004 --body 'Closed: use **Main & 2nd**.' --from '2027-03-01 06:00' --until 2027-03-08
  townline annotation add stop 1004 --route 10 --override 1005 --hours 'Mo-Fr 06:00-09:00'
  townline annotation list`
}

type annotationAddCmd struct {
	EntityType string `arg:"" enum:"stop,stops,route,routes,trip,trips,agency,agencies" help:"stop, route, trip or agency."`
	EntityID   string `arg:"" name:"entity-id" help:"Its id in the static feed."`
	Body       string `placeholder:"TEXT" help:"What to say, in Markdown."`
	File       string `type:"existingfile" placeholder:"FILE" help:"A file with what to say, instead."`
	HTML       bool   `name:"html" help:"The body is HTML. Whatever is not safe is taken out."`
	Override   string `placeholder:"ID" help:"Entity of the same type that takes the place of this one: an override."`
	Route      string `placeholder:"ID" help:"Only for this route at the stop."`
	Trip       string `placeholder:"ID" help:"Only for this trip at the stop."`
	Stop       string `placeholder:"ID" help:"Only for this stop of the route or trip."`
	From       string `placeholder:"TIME" help:"First moment, local, as 2027-03-01 or '2027-03-01 06:00'. Default: now."`
	Until      string `placeholder:"TIME" help:"First moment when it is over, likewise. Default: until further notice."`
	Hours      string `placeholder:"HOURS" help:"Hours of the week, as 'Mo-Fr 06:00-09:00,16:00-19:00; Sa'. Default: at any time."`
	Feed       string `placeholder:"ALIAS" help:"Only for entities of this feed."`
	TimeZone   string `name:"time-zone" placeholder:"ZONE" help:"What times are local to, as Europe/Berlin. Default: the feed's."`
	JSON       bool   `name:"json" help:"Print JSON."`
}

// Help is printed by `townline annotation add --help`.
func (*annotationAddCmd) Help() string {
	return `Times are local to the feed's agency, and so are hours of the week; both follow its summer time. A body may have at most 16 KB, and what riders
get of it is text, structure, links and pictures: scripts, styles, forms and data URLs are taken out. Of overrides those of stops redirect
trip updates and departure boards to the other stop; the rest is for displays to follow.

  townline annotation add route 10 --file detour.md --from 2027-03-01 --until 2027-03-08
  townline annotation add agency metro --html --body '<p>Free rides on <b>Sunday</b></p>' --hours Su`
}

// entityTypes are the types as annotations name them.
var entityTypes = map[string]string{"stop": "stops", "stops": "stops", "route": "routes", "routes": "routes", "trip": "trips", "trips": "trips", "agency": "agency", "agencies": "agency"}

// Run is `townline annotation add`.
func (c *annotationAddCmd) Run(s *session) error {
	body, format, err := c.body()
	if err != nil {
		return err
	}
	secondaryType, secondaryID, err := c.secondary()
	if err != nil {
		return err
	}
	starts, err := localTime("--from", c.From)
	if err != nil {
		return err
	}
	ends, err := localTime("--until", c.Until)
	if err != nil {
		return err
	}
	if starts != nil && ends != nil && !starts.Before(*ends) {
		return errors.New("--until is not after --from")
	}
	var hours *string
	if c.Hours != "" {
		set, err := weekHours(c.Hours)
		if err != nil {
			return err
		}
		hours = &set
	}
	kind := "comment"
	if c.Override != "" {
		kind = "override"
	}
	var author string
	if u, err := user.Current(); err == nil {
		author = u.Username
	}
	return s.with("annotation-add", func(deps run.Deps) error {
		zone, err := c.zone(s.ctx, deps)
		if err != nil {
			return err
		}
		var id int
		err = s.operate(deps, "transit.annotation", func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, `
				INSERT INTO transit.annotation (annotation_type, alias, entity_type, entity_id, secondary_entity_type, secondary_entity_id, body, format,
				                                override_entity_id, time_zone, starts_at, ends_at, hours, author)
				VALUES ($1, nullif($2, ''), $3, $4, nullif($5, ''), nullif($6, ''), $7, $8, nullif($9, ''), $10, $11, $12, $13::text::int4multirange, nullif($14, ''))
				RETURNING annotation_id`,
				kind, c.Feed, entityTypes[c.EntityType], c.EntityID, secondaryType, secondaryID, body, format, c.Override, zone, starts, ends, hours, author).Scan(&id)
		})
		if err != nil {
			return fmt.Errorf("store the annotation: %w", err)
		}
		if known, err := c.known(s.ctx, deps); err != nil {
			return err
		} else if !known {
			fmt.Fprintf(s.stderr, "townline: no feed has %s %q now; the annotation waits for it\n", c.EntityType, c.EntityID)
		}
		return s.showAnnotation(deps, id, c.JSON)
	}, schema.Transit)
}

// body reads what to say and makes sure that something of it is left for riders.
func (c *annotationAddCmd) body() (body, format string, err error) {
	body, format = c.Body, "markdown"
	if c.HTML {
		format = "html"
	}
	if c.File != "" {
		if body != "" {
			return "", "", errors.New("give the body by --body or by --file")
		}
		text, err := readFile(c.File, transitapi.MaxBody)
		if err != nil {
			return "", "", err
		}
		body = string(text)
	}
	safe, err := transitapi.RenderBody(format, body)
	if err != nil {
		return "", "", err
	}
	if safe == "" && c.Override == "" {
		return "", "", errors.New("a comment needs a body that riders may see: --body or --file")
	}
	return body, format, nil
}

// secondary is the entity that narrows the annotation.
func (c *annotationAddCmd) secondary() (kind, id string, err error) {
	for _, s := range []struct{ kind, id string }{{"routes", c.Route}, {"trips", c.Trip}, {"stops", c.Stop}} {
		if s.id == "" {
			continue
		}
		if kind != "" {
			return "", "", errors.New("an annotation is narrowed by one of --route, --trip and --stop")
		}
		kind, id = s.kind, s.id
	}
	if kind == entityTypes[c.EntityType] {
		return "", "", fmt.Errorf("a %s cannot narrow an annotation of a %s", strings.TrimSuffix(kind, "s"), strings.TrimSuffix(c.EntityType, "s"))
	}
	return kind, id, nil
}

// localTime reads a time without a zone; nil when there is none.
func localTime(flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return &at, nil
		}
	}
	return nil, fmt.Errorf("%s %q is no local time: write 2027-03-01 or '2027-03-01 06:00'", flag, text)
}

// zone is what the annotation's times are local to.
func (c *annotationAddCmd) zone(ctx context.Context, deps run.Deps) (string, error) {
	if c.TimeZone != "" {
		if _, err := time.LoadLocation(c.TimeZone); err != nil {
			return "", fmt.Errorf("--time-zone: %w", err)
		}
		return c.TimeZone, nil
	}
	rows, err := deps.DB.Query(ctx, `
		SELECT DISTINCT v.time_zone
		FROM transit.feed f JOIN transit.feed_version v ON v.version_id = f.version_id
		WHERE f.removed_at IS NULL AND v.time_zone IS NOT NULL AND ($1 = '' OR f.alias = $1)`, c.Feed)
	if err != nil {
		return "", fmt.Errorf("read the time zones of feeds: %w", err)
	}
	zones, err := pgx.CollectRows(rows, pgx.RowTo[string])
	switch {
	case err != nil:
		return "", fmt.Errorf("read the time zones of feeds: %w", err)
	case len(zones) == 1:
		return zones[0], nil
	case len(zones) == 0:
		return "", errors.New("no such feed has been imported yet; say what times are local to with --time-zone")
	}
	return "", fmt.Errorf("the feeds have several time zones (%s); say which with --feed or --time-zone", strings.Join(zones, ", "))
}

// known tells whether a feed has the entity now.
func (c *annotationAddCmd) known(ctx context.Context, deps run.Deps) (bool, error) {
	table := map[string]string{"stops": "stop", "routes": "route", "trips": "trip", "agency": "agency"}[entityTypes[c.EntityType]]
	var known bool
	err := deps.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM transit.feed f JOIN transit.`+table+` e ON e.version_id = f.version_id
		               WHERE f.removed_at IS NULL AND e.`+table+`_id = $1 AND ($2 = '' OR f.alias = $2))`, c.EntityID, c.Feed).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look for %s %s: %w", c.EntityType, c.EntityID, err)
	}
	return known, nil
}
