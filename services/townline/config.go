package townline

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/townline/internal/session"
)

type configCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (*configCmd) Help() string {
	return `Reads the environment, the flags and both configuration files as the services do. Prints the effective
settings, or fails with file, line and key of each mistake. Secrets are masked; configuration files are named,
not printed.`
}

func (c *configCmd) Run(s *session.Session) error {
	all, errs := session.Configuration(s, "")
	if err := c.print(s, all); err != nil {
		return err
	}
	if len(errs) > 0 {
		return session.WrongConfiguration(errs)
	}
	return nil
}

func (c *configCmd) print(s *session.Session, all []conf.Setting) error {
	if c.JSON {
		enc := json.NewEncoder(s.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 4, 2, ' ', 0)
	for _, set := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", set.Name, set.Value, set.Doc)
	}
	return w.Flush()
}

type migrateCmd struct {
	Only   string            `enum:"council,transit," default:"" placeholder:"HALF" help:"Migrate one half only: council or transit."`
	Reader []string          `placeholder:"ROLE" help:"Grant this role read access to the migrated tables. May be given several times."`
	Writer map[string]string `placeholder:"PROGRAM=ROLE" help:"Grant this role write access to the tables of a program: council-ingest, gtfs-import, rt-poller, clerk for corrections and reviews, or townline for the other tables of operators. May be given several times."`
}

func (*migrateCmd) Help() string {
	return `Applies the missing migrations. It holds a lock, so several of these commands may run at once. It does not
change a database that is newer than this program. Run it before you start a new version of the services.

Roles must exist. Give them each time, so that they get rights on new tables:

  townline migrate --only transit --reader transit_api --writer gtfs-import=gtfs_import --writer rt-poller=rt_poller

The role that migrates must be a superuser or a member of the role of gtfs-import, which becomes the owner of
the tables of feed versions.`
}

func (c *migrateCmd) Run(s *session.Session) error {
	in, err := session.Open(s, false)
	if err != nil {
		return err
	}
	defer in.Close()
	parts := session.Halves(c.Only)
	for program := range c.Writer {
		if !slices.Contains(schema.Writers(parts...), program) {
			return fmt.Errorf("--writer %s: no program of that name writes to %v; these do: %s", program, parts,
				strings.Join(schema.Writers(parts...), ", "))
		}
	}
	if err := in.Migrate(s.Ctx, parts...); err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "schema is up to date: %v\n", parts)
	return c.grant(s, in, parts)
}

// grant grants rights to the roles named on the command line.
func (c *migrateCmd) grant(s *session.Session, in *session.Servers, parts []schema.Part) error {
	pool, err := pg.Open(s.Ctx, in.DatabaseURL, pg.Options{Name: "townline-migrate", MaxConns: 1})
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, role := range c.Reader {
		if err := schema.GrantReader(s.Ctx, pool, role, parts...); err != nil {
			return err
		}
		fmt.Fprintf(s.Stdout, "%s may read %v\n", role, parts)
	}
	for _, program := range slices.Sorted(maps.Keys(c.Writer)) {
		if err := schema.GrantWriter(s.Ctx, pool, program, c.Writer[program]); err != nil {
			return err
		}
		fmt.Fprintf(s.Stdout, "%s may write as %s\n", program, c.Writer[program])
	}
	return nil
}
