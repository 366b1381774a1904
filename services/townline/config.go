package townline

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
	transitapi "github.com/townline/townline/services/transit-api"
)

type configCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help is printed by `townline config --help`.
func (*configCmd) Help() string {
	return `Reads the environment, the flags and both configuration files exactly as the services would, prints what they amount to,
and fails with the file, line and key of whatever is wrong. Secrets are masked; configuration files are named, not printed.`
}

// Run is `townline config`.
func (c *configCmd) Run(s *session) error {
	all, errs := configuration(s, "")
	if err := c.print(s, all); err != nil {
		return err
	}
	if len(errs) > 0 {
		return wrongConfiguration(errs)
	}
	return nil
}

// configuration reads environment and files as the services of a half would, of both when half is empty, and returns
// every setting and every mistake. It opens nothing else.
func configuration(s *session, half string) ([]conf.Setting, []error) {
	all, errs := environment(s.env, half)
	if half != "transit" && s.set.CouncilConfig != "" {
		_, err := councilingest.ReadSettings(s.set.CouncilConfig, s.env)
		errs = append(errs, mistakes(err)...)
	}
	if half != "council" {
		errs = append(errs, mistakes(transitapi.CheckConfig(s.set.TransitConfig, s.env))...)
	}
	all = slices.Insert(all, 0, conf.Setting{Name: "TOWNLINE_DATA", Value: s.set.Data, Doc: "Folder of the private servers."})
	return all, distinct(errs)
}

// environment is configuration without the files.
func environment(env conf.Environ, half string) (all []conf.Setting, errs []error) {
	add := func(settings []conf.Setting, err error) {
		errs = append(errs, mistakes(err)...)
		for _, set := range settings {
			if !slices.ContainsFunc(all, func(have conf.Setting) bool { return have.Name == set.Name }) {
				all = append(all, set)
			}
		}
	}
	add(run.Settings(env))
	for _, svc := range services() {
		if slices.Contains(halves(half), svc.Part) {
			add(svc.Settings(env))
		}
	}
	return all, distinct(errs)
}

// mistakes are the lines of a configuration error: each is another mistake.
func mistakes(err error) (all []error) {
	if err == nil {
		return nil
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		all = append(all, errors.New(line))
	}
	return all
}

// distinct leaves out what several services find wrong with a setting that they share.
func distinct(errs []error) (out []error) {
	told := map[string]bool{}
	for _, err := range errs {
		if !told[err.Error()] {
			told[err.Error()] = true
			out = append(out, err)
		}
	}
	return out
}

// wrongConfiguration is the error of a command that does nothing with a configuration that is wrong.
func wrongConfiguration(errs []error) error {
	return fmt.Errorf("the configuration is wrong:\n%w", errors.Join(errs...))
}

// halves are the parts of the schema that --only leaves: both unless it names one.
func halves(only string) []schema.Part {
	if only == "" {
		return []schema.Part{schema.Council, schema.Transit}
	}
	return []schema.Part{schema.Part(only)}
}

func (c *configCmd) print(s *session, all []conf.Setting) error {
	if c.JSON {
		enc := json.NewEncoder(s.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 4, 2, ' ', 0)
	for _, set := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", set.Name, set.Value, set.Doc)
	}
	return w.Flush()
}

type migrateCmd struct {
	Only   string            `enum:"council,transit," default:"" placeholder:"HALF" help:"One half only: council or transit."`
	Reader []string          `placeholder:"ROLE" help:"Let this role read what was migrated, and change nothing. May be given several times."`
	Writer map[string]string `placeholder:"PROGRAM=ROLE" help:"Let this role write what is the program's own: council-ingest, gtfs-import, rt-poller, or townline for what operators add. May be given several times."`
}

// Help is printed by `townline migrate --help`.
func (*migrateCmd) Help() string {
	return `Applies what is missing of the numbered migrations, under a lock, so that any number of these may run at once.
A database that is ahead of this program is left alone. Run it before starting a new version of the services.

Roles have to exist. Say them each time, so that they get their rights to what a migration has added:

  townline migrate --only transit --reader transit_api --writer gtfs-import=gtfs_import --writer rt-poller=rt_poller

The role that migrates must be a superuser or a member of the role of gtfs-import, which becomes the owner of the tables of feed versions.`
}

// Run is `townline migrate`.
func (c *migrateCmd) Run(s *session) error {
	in, err := openInfra(s, false)
	if err != nil {
		return err
	}
	defer in.Close()
	parts := halves(c.Only)
	for program := range c.Writer {
		if !slices.Contains(schema.Writers(parts...), program) {
			return fmt.Errorf("--writer %s: no program of that name writes to %v; these do: %s", program, parts, strings.Join(schema.Writers(parts...), ", "))
		}
	}
	if err := in.migrate(s.ctx, parts...); err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "schema is up to date: %v\n", parts)
	return c.grant(s, in, parts)
}

// grant gives the roles of the command line their rights.
func (c *migrateCmd) grant(s *session, in *infra, parts []schema.Part) error {
	pool, err := pg.Open(s.ctx, in.databaseURL, pg.Options{Name: "townline-migrate", MaxConns: 1})
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, role := range c.Reader {
		if err := schema.GrantReader(s.ctx, pool, role, parts...); err != nil {
			return err
		}
		fmt.Fprintf(s.stdout, "%s may read %v\n", role, parts)
	}
	for _, program := range slices.Sorted(maps.Keys(c.Writer)) {
		if err := schema.GrantWriter(s.ctx, pool, program, c.Writer[program]); err != nil {
			return err
		}
		fmt.Fprintf(s.stdout, "%s may write as %s\n", program, c.Writer[program])
	}
	return nil
}

// fileExists tells whether path names a regular file that can be opened.
func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
