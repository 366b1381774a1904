// Package transitcmd has the sub-commands of townline for transit data: feeds, manual rows,
// realtime sources, screens, annotations and keys. It has their flags and output; packages
// gtfsimport, rtpoller and operator do the work.
package transitcmd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline/internal/session"
)

// Feed has the sub-commands of `townline feed`.
type Feed struct {
	List     feedListCmd     `cmd:"" help:"List all feeds."`
	Show     feedShowCmd     `cmd:"" help:"Show one feed and its imports."`
	Import   feedImportCmd   `cmd:"" help:"Import a feed from a zip, a folder or a URL."`
	Check    feedCheckCmd    `cmd:"" help:"Check a zip or a folder as an import does, without importing it."`
	Report   feedReportCmd   `cmd:"" help:"Show the changes of an import and the problems of the feed, with solutions."`
	Rollback feedRollbackCmd `cmd:"" help:"Import the previous zip again."`
	Remove   feedRemoveCmd   `cmd:"" help:"Delete a feed."`
}

type feedListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *feedListCmd) Run(s *session.Session) error {
	return s.With("feed-list", func(deps run.Deps) error {
		feeds, err := gtfsimport.ListFeeds(s.Ctx, deps)
		if err != nil {
			return err
		}
		served, _ := session.Served(s.Ctx, deps.Events, deps.Log)
		const none = "no feeds yet; import one with townline feed import ALIAS ZIP_OR_URL"
		err = session.List(s, c.JSON, withProblems(feeds, served), none,
			"ALIAS, NAME, IMPORTED, SERVICE, ROUTES, STOPS, TRIPS, LAST CHECK", func(f listedFeed) []any {
				return []any{f.Alias, f.Name, session.Clock(f.ImportedAt), days(f.FirstDay, f.LastDay), f.Counts["route"],
					f.Counts["stop"], f.Counts["trip"], lastCheck(f.Feed, served)}
			})
		if err != nil || c.JSON {
			return err
		}
		work, err := gtfsimport.ListWork(s.Ctx, deps)
		if err != nil {
			return err
		}
		for _, f := range feeds {
			if f.Held != nil {
				fmt.Fprintf(s.Stdout, "%s: version %d is held: %s; townline feed import %s --force publishes it now\n", f.Alias,
					f.Held.VersionID, f.Held.Reason, f.Alias)
			}
			if f.WeekDays != nil && *f.WeekDays == 0 {
				fmt.Fprintf(s.Stdout, "%s: no trip runs in the coming week; ask the agency for a current feed\n", f.Alias)
			}
		}
		for _, w := range work {
			fmt.Fprintf(s.Stdout, "%s: %s for %s\n", w.Alias, w.State, time.Since(w.Since).Round(time.Second))
		}
		return nil
	}, schema.Transit)
}

// sweep drops replaced versions, in case no service does. A failure does not fail the import.
func sweep(s *session.Session, deps run.Deps) {
	set, err := conf.Load[gtfsimport.Config](s.Env)
	if err == nil {
		err = gtfsimport.Sweep(s.Ctx, deps, set.Grace)
	}
	if err != nil && s.Ctx.Err() == nil {
		deps.Log.Warn("cannot drop retired feed versions", "error", err)
	}
}

func days(first, last *time.Time) string {
	if first == nil || last == nil {
		return "-"
	}
	return first.UTC().Format(time.DateOnly) + " to " + last.UTC().Format(time.DateOnly)
}

type feedShowCmd struct {
	Alias string `arg:"" help:"Alias of the feed."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

func (c *feedShowCmd) Run(s *session.Session) error {
	return s.With("feed-show", func(deps run.Deps) error {
		f, err := gtfsimport.OneFeed(s.Ctx, deps, c.Alias)
		if err != nil {
			return err
		}
		versions, err := gtfsimport.ListVersions(s.Ctx, deps, c.Alias)
		if err != nil {
			return err
		}
		if c.JSON {
			return s.Print(true, map[string]any{"feed": f, "versions": versions}, "")
		}
		served, _ := session.Served(s.Ctx, deps.Events, deps.Log)
		url := "imported by hand"
		if f.URL != nil {
			url = *f.URL
		}
		w := tabwriter.NewWriter(s.Stdout, 0, 4, 2, ' ', 0)
		for _, line := range [][2]string{
			{"alias", f.Alias}, {"name", f.Name}, {"source", url}, {"service", days(f.FirstDay, f.LastDay)},
			{"last check", lastCheck(*f, served)}, {"generation", fmt.Sprint(f.Generation)},
			{"manual rows", fmt.Sprint(f.ManualRows)},
		} {
			fmt.Fprintf(w, "%s\t%s\n", line[0], line[1])
		}
		fmt.Fprintln(w, "\nVERSION\tSTATE\tSTARTED\tBYTES\tSOURCE\tKEPT")
		for _, v := range versions {
			state := v.State
			if v.Reason != nil {
				state += ": " + *v.Reason
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%t\n", v.VersionID, state, session.Clock(&v.StartedAt), v.Bytes, v.Source,
				v.Kept)
		}
		return w.Flush()
	}, schema.Transit)
}

type feedImportCmd struct {
	Alias    string `arg:"" help:"Alias used in paths: letters, digits, - and _."`
	Source   string `arg:"" optional:"" name:"zip-or-url" help:"Zip, folder or http(s) URL. Default: the URL in transit.yaml, else the URL of the last import."`
	Name     string `help:"Name of the feed. Default: the name in transit.yaml, else the last name, else the alias."`
	Encoding string `help:"Encoding of text that is not UTF-8. Default: the last encoding, else windows-1252."`
	Inner    string `placeholder:"NAME" help:"Zip or folder in the zip that has the feed, if there are several. Default: the last one."`
	Force    bool   `help:"Import the zip even if it is already live, or would be held. Without a zip or URL: publish the held version."`
	Queue    bool   `help:"Store a request for the running gtfs-import service, and return."`
	JSON     bool   `name:"json" help:"Print the report as JSON."`
}

func (*feedImportCmd) Help() string {
	return `Clients see the old version until the new one is complete. Bad cells are emptied or their row is left out,
and the report names file, line, field and value. A feed without usable stops, routes, trips or service is
refused, and the old version stays. A zip that is already live is not imported again.

A version is held, and the old one stays, if most of its times, dates or weekdays cannot be read, or if it has
less than half of the departures of the old one in the next seven days. If its service begins later, it
becomes live on its first day, by itself. --force publishes it at once.

  townline feed import metro https://agency.example/gtfs.zip --name 'Metro Transit'
  townline feed import metro gtfs.zip
  townline feed report metro`
}

func (c *feedImportCmd) Run(s *session.Session) error {
	s.UseDemo()
	transit, err := conf.ReadTransit(s.Set.TransitConfig, s.Env)
	if err != nil {
		return err
	}
	req := gtfsimport.Request{
		Alias: c.Alias, Name: c.Name, Source: c.Source, Encoding: c.Encoding, Inner: c.Inner, Force: c.Force, Wait: true,
		Held:         c.Force && c.Source == "",
		AllowPrivate: s.Set.AllowPrivate, UserAgent: "townline/" + run.Version,
	}
	for _, f := range transit.Feeds {
		if f.Alias != c.Alias {
			continue
		}
		req.Name, req.Encoding = cmp.Or(req.Name, f.Name), cmp.Or(req.Encoding, f.Encoding)
		req.Inner = cmp.Or(req.Inner, f.Inner)
		if c.Source == "" || c.Source == f.URL {
			req.Source, req.Headers = f.URL, f.Headers
		}
	}
	return s.With("feed-import", func(deps run.Deps) error {
		if c.Queue {
			return c.submit(s, deps)
		}
		bar := s.Progress(c.Alias)
		defer bar.Close()
		req.Progress = bar.Step
		report, err := gtfsimport.Import(s.Ctx, deps, req)
		bar.Close()
		sweep(s, deps)
		if report != nil {
			if err := printReport(s, c.JSON, report, waitServed(s, deps, report), false); err != nil {
				return err
			}
		}
		return err
	}, schema.Transit)
}

func (c *feedImportCmd) submit(s *session.Session, deps run.Deps) error {
	if c.Source != "" && !strings.HasPrefix(c.Source, "http://") && !strings.HasPrefix(c.Source, "https://") {
		return errors.New("--queue needs a URL: the service cannot read files of this machine")
	}
	if c.Inner != "" {
		return errors.New("--queue takes inner from transit.yaml: the request cannot name it")
	}
	if deps.Events == nil {
		return errors.New("--queue needs a running townline up, or NATS_URL")
	}
	if err := deps.Events.Submit(s.Ctx, &eventsv1.ImportFeed{Alias: c.Alias, Url: c.Source, Force: c.Force}); err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "import of %s is requested; townline feed show %s shows the result\n", c.Alias, c.Alias)
	return nil
}

type feedReportCmd struct {
	Alias   string `arg:"" help:"Alias of the feed."`
	Version int32  `name:"feed-version" placeholder:"N" help:"Version of the import, as feed show lists them. Default: the last import, refused or not."`
	Lines   bool   `help:"Print the findings line by line, not only their totals."`
	JSON    bool   `name:"json" help:"Print everything as JSON."`
}

func (*feedReportCmd) Help() string {
	return `Prints for each file the number of rows read, added, changed, removed, unchanged and left out, compared with
the previous version. Then it prints the findings, worst first: count, an example with file and line, the
effect and a solution for the agency. The names of findings are those of the canonical GTFS validator. A
file marked "counted" is not served, but stays in the archived zip.

  townline feed report metro
  townline feed report metro --lines
  townline feed report metro --feed-version=7 --json`
}

func (c *feedReportCmd) Run(s *session.Session) error {
	return s.With("feed-report", func(deps run.Deps) error {
		report, err := gtfsimport.OneReport(s.Ctx, deps, c.Alias, c.Version)
		if err != nil {
			return err
		}
		return printReport(s, c.JSON, report, serving{live: true}, c.Lines)
	}, schema.Transit)
}

type feedRollbackCmd struct {
	Alias string `arg:"" help:"Alias of the feed."`
	JSON  bool   `name:"json" help:"Print the report as JSON."`
}

func (*feedRollbackCmd) Help() string {
	return `The last two zips are archived. A rollback imports the other one; a second rollback undoes it. The schedule
imports again only when the source has a newer zip than the one that was rolled back. Manual rows stay.

  townline feed show metro        # lists versions and archived zips
  townline feed rollback metro`
}

func (c *feedRollbackCmd) Run(s *session.Session) error {
	return s.With("feed-rollback", func(deps run.Deps) error {
		bar := s.Progress(c.Alias)
		defer bar.Close()
		report, err := gtfsimport.Rollback(s.Ctx, deps, c.Alias, bar.Step)
		bar.Close()
		if err != nil {
			return err
		}
		sweep(s, deps)
		return printReport(s, c.JSON, report, waitServed(s, deps, report), false)
	}, schema.Transit)
}

type feedRemoveCmd struct {
	Alias string `arg:"" help:"Alias of the feed."`
	Yes   bool   `required:"" help:"Confirm: the feed's manual rows and archived zips are deleted too."`
}

func (*feedRemoveCmd) Help() string {
	return `Clients get 404 at once. The feed's tables are dropped some minutes later, when no client uses them.
Annotations stay, because they do not belong to the feed.

  townline feed remove metro --yes`
}

func (c *feedRemoveCmd) Run(s *session.Session) error {
	return s.With("feed-remove", func(deps run.Deps) error {
		if err := gtfsimport.Remove(s.Ctx, deps, c.Alias); err != nil {
			return err
		}
		fmt.Fprintf(s.Stdout, "feed %s is removed; if transit.yaml has it, remove it there too\n", c.Alias)
		return nil
	}, schema.Transit)
}

func printReport(s *session.Session, asJSON bool, r *gtfsimport.Report, of serving, lines bool) error {
	if asJSON {
		return s.Print(true, r, "")
	}
	switch r.Outcome {
	case gtfsimport.Imported:
		state := "live"
		if !of.live {
			state = "imported, but not served yet"
		}
		fmt.Fprintf(s.Stdout, "%s: version %d is %s, %.2f s; service %s to %s\n", r.Alias, r.VersionID, state, r.Seconds,
			r.FirstDay, r.LastDay)
		if of.problem != "" {
			fmt.Fprintf(s.Stdout, "%s: %s\n", r.Alias, of.problem)
		}
	case gtfsimport.Unchanged:
		fmt.Fprintf(s.Stdout, "%s: nothing new, version %d stays; use --force to import anyway\n", r.Alias, r.VersionID)
		return nil
	case gtfsimport.Held:
		fmt.Fprintf(s.Stdout, "%s: version %d is held: %s; townline feed import %s --force publishes it now\n", r.Alias,
			r.VersionID, r.Reason, r.Alias)
	case gtfsimport.Refused:
		fmt.Fprintf(s.Stdout, "%s: refused: %s\n", r.Alias, r.Reason)
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	if len(r.Files) > 0 {
		fmt.Fprintln(w, "rows\tadded\tchanged\tremoved\tunchanged\tleft out\t file\t")
	}
	for _, f := range r.Files {
		name := f.File
		if !f.Used {
			name += " (counted, archived in the zip)"
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t %s\t\n", f.Read, f.Added, f.Changed, f.Removed, f.Unchanged, f.LeftOut, name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	printFindings(s, r)
	if lines {
		printLines(s, r)
	}
	return nil
}
