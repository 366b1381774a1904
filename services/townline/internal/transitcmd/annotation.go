package transitcmd

import (
	"errors"
	"fmt"
	"os/user"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/townline/internal/session"
	transitapi "github.com/townline/townline/services/transit-api"
)

// Annotation has the sub-commands of `townline annotation`.
type Annotation struct {
	Add    annotationAddCmd    `cmd:"" help:"Add a message about a stop, route, trip or agency, or redirect a stop's predictions."`
	List   annotationListCmd   `cmd:"" help:"List annotations that have not ended."`
	Show   annotationShowCmd   `cmd:"" help:"Show one annotation, with its body as clients get it."`
	Expire annotationExpireCmd `cmd:"" help:"End annotations now."`
}

func (*Annotation) Help() string {
	return `Annotations are messages for riders (comments) and redirections of predictions (overrides). They name
entities by their ids in the static feed and stay when a new feed is imported. They can be limited to a period
and to hours of the week, in the feed's local time.

  townline annotation add stop 1004 --body 'Closed: use **Main & 2nd**.' --from '2027-03-01 06:00' --until 2027-03-08
  townline annotation add stop 1004 --route 10 --override 1005 --hours 'Mo-Fr 06:00-09:00'
  townline annotation list`
}

type annotationAddCmd struct {
	EntityType string `arg:"" enum:"stop,stops,route,routes,trip,trips,agency,agencies" help:"stop, route, trip or agency."`
	EntityID   string `arg:"" name:"entity-id" help:"The entity's id in the static feed."`
	Body       string `placeholder:"TEXT" help:"The message, in Markdown."`
	File       string `type:"existingfile" placeholder:"FILE" help:"Read the message from a file instead."`
	HTML       bool   `name:"html" help:"The message is HTML. Unsafe parts are removed."`
	Override   string `placeholder:"ID" help:"Entity of the same type that replaces this one: an override."`
	Route      string `placeholder:"ID" help:"Limit it to this route at the stop."`
	Trip       string `placeholder:"ID" help:"Limit it to this trip at the stop."`
	Stop       string `placeholder:"ID" help:"Limit it to this stop of the route or trip."`
	From       string `placeholder:"TIME" help:"When it begins, in local time, as 2027-03-01 or '2027-03-01 06:00'. Default: now."`
	Until      string `placeholder:"TIME" help:"When it ends, in local time; a date includes that day. Default: until further notice."`
	Hours      string `placeholder:"HOURS" help:"Hours of the week, as 'Mo-Fr 06:00-09:00,16:00-19:00; Sa'. Default: at any time."`
	Feed       string `placeholder:"ALIAS" help:"Limit it to entities of this feed."`
	TimeZone   string `name:"time-zone" placeholder:"ZONE" help:"Time zone of the times, as Europe/Berlin. Default: the feed's."`
	JSON       bool   `name:"json" help:"Print JSON."`
}

func (*annotationAddCmd) Help() string {
	return `Times and hours of the week are local times of the feed's agency and follow its daylight saving time. A
message may have at most 16 KB. It may contain text, structure, links and pictures; scripts, styles, forms and
data URLs are removed. Overrides of stops redirect trip updates and departure boards to the other stop. Other
overrides are only listed, for displays that use them.

  townline annotation add route 10 --file detour.md --from 2027-03-01 --until 2027-03-08
  townline annotation add agency metro --html --body '<p>Free rides on <b>Sunday</b></p>' --hours Su`
}

// entityTypes maps command-line words to the entity types of annotations.
var entityTypes = map[string]string{"stop": "stops", "stops": "stops", "route": "routes", "routes": "routes",
	"trip": "trips", "trips": "trips", "agency": "agency", "agencies": "agency"}

func (c *annotationAddCmd) Run(s *session.Session) error {
	a := operator.Annotation{
		AnnotationType: "comment", Feed: &c.Feed, EntityType: entityTypes[c.EntityType], EntityID: c.EntityID,
		OverrideEntityID: &c.Override,
		Format:           "markdown", Author: author(),
	}
	if c.Override != "" {
		a.AnnotationType = "override"
	}
	if c.HTML {
		a.Format = "html"
	}
	var err error
	a.Source, err = c.body(a.Format)
	if err != nil {
		return err
	}
	a.SecondaryEntityType, a.SecondaryEntityID, err = c.secondary()
	if err != nil {
		return err
	}
	starts, err := operator.ReadTime(c.From)
	if err != nil {
		return fmt.Errorf("--from %w", err)
	}
	ends, err := operator.ReadEnd(c.Until)
	if err != nil {
		return fmt.Errorf("--until %w", err)
	}
	if starts != nil && ends != nil && !starts.Before(*ends) {
		return errors.New("--until is not after --from")
	}
	if c.Hours != "" {
		hours, err := operator.ReadHours(c.Hours)
		if err != nil {
			return err
		}
		a.Hours = &hours
	}
	return s.With("annotation-add", func(deps run.Deps) error {
		a.TimeZone, err = c.zone(s, deps)
		if err != nil {
			return err
		}
		id, err := operator.AddAnnotation(s.Ctx, deps.DB, a, starts, ends)
		if err != nil {
			return err
		}
		if found, err := operator.Entities(s.Ctx, deps.DB, a.Subject()); err != nil {
			return err
		} else if len(found[0]) == 0 {
			fmt.Fprintf(s.Stderr, "townline: no feed has %s %q now; the annotation is stored and applies when one has it\n",
				c.EntityType, c.EntityID)
		}
		return showAnnotation(s, deps, id, c.JSON)
	}, schema.Transit)
}

// author returns the user who runs the command; nil if unknown.
func author() *string {
	u, err := user.Current()
	if err != nil {
		return nil
	}
	return &u.Username
}

// body reads the message. It rejects a message that is empty after its unsafe parts are removed.
func (c *annotationAddCmd) body(format string) (string, error) {
	body := c.Body
	if c.File != "" {
		if body != "" {
			return "", errors.New("give the message with --body or with --file, not with both")
		}
		text, err := session.ReadFile(c.File, transitapi.MaxBody)
		if err != nil {
			return "", err
		}
		body = string(text)
	}
	safe, err := transitapi.RenderBody(format, body)
	if err != nil {
		return "", err
	}
	if safe == "" && c.Override == "" {
		return "", errors.New("a comment needs a visible message: --body or --file")
	}
	return body, nil
}

// secondary returns the entity that limits the annotation.
func (c *annotationAddCmd) secondary() (kind, id *string, err error) {
	for _, s := range []struct{ kind, id string }{{"routes", c.Route}, {"trips", c.Trip}, {"stops", c.Stop}} {
		if s.id == "" {
			continue
		}
		if kind != nil {
			return nil, nil, errors.New("use only one of --route, --trip and --stop")
		}
		kind, id = &s.kind, &s.id
	}
	if kind != nil && *kind == entityTypes[c.EntityType] {
		return nil, nil, fmt.Errorf("an annotation cannot be limited to a %s: it is about a %s",
			strings.TrimSuffix(*kind, "s"), strings.TrimSuffix(c.EntityType, "s"))
	}
	return kind, id, nil
}

// zone returns the time zone of the annotation's times.
func (c *annotationAddCmd) zone(s *session.Session, deps run.Deps) (string, error) {
	if c.TimeZone != "" {
		if _, err := time.LoadLocation(c.TimeZone); err != nil {
			return "", fmt.Errorf("--time-zone: %w", err)
		}
		return c.TimeZone, nil
	}
	zones, err := operator.TimeZones(s.Ctx, deps.DB, c.Feed)
	switch {
	case err != nil:
		return "", err
	case len(zones) == 1:
		return zones[0], nil
	case len(zones) == 0:
		return "", errors.New("no such feed has been imported yet; give the time zone with --time-zone")
	}
	return "", fmt.Errorf("the feeds have several time zones (%s); choose one with --feed or --time-zone",
		strings.Join(zones, ", "))
}

// shown is an annotation with its body as rendered for clients.
type shown struct {
	operator.Annotation
	HTML string `json:"body"`
}

// annotations returns the annotations with the given ids, or all if ids is nil.
func annotations(s *session.Session, deps run.Deps, ids []int) ([]shown, error) {
	stored, err := operator.ListAnnotations(s.Ctx, deps.DB, ids)
	all := make([]shown, len(stored))
	for i, a := range stored {
		all[i].Annotation = a
		all[i].HTML, err = transitapi.RenderBody(a.Format, a.Source)
		if err != nil {
			return nil, fmt.Errorf("annotation %d: %w", a.ID, err)
		}
	}
	return all, err
}

func showAnnotation(s *session.Session, deps run.Deps, id int, asJSON bool) error {
	all, err := annotations(s, deps, []int{id})
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("there is no annotation %d", id)
	}
	a := all[0]
	if asJSON {
		return s.Print(true, a, "")
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "annotation\t%d (%s), %s\n", a.ID, a.AnnotationType, a.state())
	for _, line := range [][2]string{
		{"of", a.entity()}, {"feed", council.Text(a.Feed)}, {"redirects to", council.Text(a.OverrideEntityID)},
		{"active", a.when()},
		{"times in", a.TimeZone}, {"by", council.Text(a.Author)}, {"body", a.HTML},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", line[0], line[1])
		}
	}
	return w.Flush()
}

func (a *shown) state() string {
	switch {
	case a.Over:
		return "over"
	case a.Active:
		return "active now"
	}
	return "not active now"
}

func (a *shown) entity() string {
	text := a.EntityType + " " + a.EntityID
	if a.SecondaryEntityType != nil {
		text += ", only for " + *a.SecondaryEntityType + " " + *a.SecondaryEntityID
	}
	return text
}

// when formats the period and hours.
func (a *shown) when() string {
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
		parts = append(parts, "at hours "+operator.HoursText(*a.Hours))
	}
	return strings.Join(parts, " ")
}

type annotationListCmd struct {
	All  bool `help:"Include annotations that have ended."`
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *annotationListCmd) Run(s *session.Session) error {
	return s.With("annotation-list", func(deps run.Deps) error {
		all, err := annotations(s, deps, nil)
		if err != nil {
			return err
		}
		listed := []shown{}
		for _, a := range all {
			if c.All || !a.Over {
				listed = append(listed, a)
			}
		}
		return session.List(s, c.JSON, listed, "no annotations; add one with townline annotation add",
			"ID, STATE, OF, MESSAGE, WHEN", func(a shown) []any {
				message := council.Clip(strings.Join(strings.Fields(a.Source), " "), 50)
				if a.OverrideEntityID != nil {
					message = strings.TrimSpace("→ " + *a.OverrideEntityID + " " + message)
				}
				return []any{a.ID, a.state(), a.entity(), message, a.when()}
			})
	}, schema.Transit)
}

type annotationShowCmd struct {
	ID   int  `arg:"" help:"The annotation's number."`
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *annotationShowCmd) Run(s *session.Session) error {
	return s.With("annotation-show", func(deps run.Deps) error {
		return showAnnotation(s, deps, c.ID, c.JSON)
	}, schema.Transit)
}

type annotationExpireCmd struct {
	IDs  []int `arg:"" name:"id" help:"The annotations' numbers."`
	JSON bool  `name:"json" help:"Print JSON."`
}

func (*annotationExpireCmd) Help() string {
	return `An ended annotation disappears from the API within two seconds; townline annotation list --all still lists
it. If one of several numbers is unknown, none is ended.`
}

func (c *annotationExpireCmd) Run(s *session.Session) error {
	return s.With("annotation-expire", func(deps run.Deps) error {
		if err := operator.EndAnnotations(s.Ctx, deps.DB, c.IDs); err != nil {
			return err
		}
		return s.Print(c.JSON, map[string]any{"ended": c.IDs}, "ended: "+strings.Trim(fmt.Sprint(c.IDs), "[]"))
	}, schema.Transit)
}
