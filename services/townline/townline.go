// Package townline is the operator's command. `townline up` runs any set of the five services in
// one process, with a private Postgres and an embedded NATS if none is configured. The other
// sub-commands manage feeds, manual rows and council data, on the running servers or on private
// servers started for the command.
//
// It is the only package that may import the services. Start with up.go. internal/session opens the
// servers for the other sub-commands, which are in internal/transitcmd, internal/councilcmd and
// internal/doctor. internal/gate serves the pages of `townline review`, which internal/reviewsite and
// internal/noticesite have.
package townline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/townline/internal/councilcmd"
	"github.com/townline/townline/services/townline/internal/doctor"
	"github.com/townline/townline/services/townline/internal/session"
	"github.com/townline/townline/services/townline/internal/transitcmd"
)

// CLI is the whole command line.
type CLI struct {
	session.Settings

	Up     upCmd     `cmd:"" help:"Run the services in this process, with private servers if none are configured."`
	Config configCmd `cmd:"" help:"Print the effective configuration, secrets masked."`
	Doctor doctor.
		Command `cmd:"" help:"Check everything that the services need, and report each problem with a solution."`
	Migrate migrateCmd      `cmd:"" help:"Bring the database schema up to date."`
	Feed    transitcmd.Feed `cmd:"" help:"GTFS feeds: list, show, import, check, report, rollback, remove."`
	Manual  transitcmd.
		Manual `cmd:"" help:"Your own GTFS rows, added at every import: add, patch, hide, list, remove."`
	Annotation transitcmd.
			Annotation `cmd:"" help:"Messages for riders about stops, routes, trips and agencies: add, list, show, expire."`
	Map     transitcmd.Map `cmd:"" help:"Make the file of streets for the maps, from OpenStreetMap."`
	Key     transitcmd.Key `cmd:"" help:"Credentials of API clients: add, list, revoke."`
	RT      transitcmd.RT  `cmd:"" name:"rt" help:"Realtime sources: status, clear."`
	Council councilcmd.
		Council `cmd:"" help:"Council data: parse, load, ingest, reparse, verify, check, correct, review."`
	Review  reviewCmd        `cmd:"" help:"Serve pages for reviewing votes and for notices to riders, only on this machine."`
	Version kong.VersionFlag `help:"Print the version."`
}

// Main runs the command line args with the given environment and returns the exit status: 0 for
// success, 1 for failure, 2 for wrong usage, or the status of a session.StatusError.
func Main(ctx context.Context, args []string, env conf.Environ, stdout, stderr io.Writer) int {
	var cli CLI
	status := -1
	parser, err := kong.New(&cli,
		kong.Name("townline"),
		kong.Description("Serves the council votes and the transit feeds of a town as open APIs."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"version": run.Version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { status = code }),
	)
	if err != nil {
		fmt.Fprintln(stderr, "townline:", err)
		return 2
	}
	command, err := parser.Parse(flagged(args))
	if status >= 0 { // --help or --version has been printed
		return status
	}
	if err != nil {
		fmt.Fprintf(stderr, "townline: %s\nRun %s --help for usage.\n", err, reached(err))
		return 2
	}
	s := &session.Session{
		Ctx: ctx, Set: &cli.Settings, Env: cli.Environ(env), Stdout: stdout, Stderr: stderr,
		Log: run.Logger(stderr, cli.LogLevel, cli.LogFormat),
	}
	err = command.Run(s)
	var other *session.StatusError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(stderr, "townline: interrupted")
		return 130
	case errors.As(err, &other):
		fmt.Fprintln(stderr, "townline:", err)
		return other.Status
	}
	fmt.Fprintln(stderr, "townline:", err)
	return 1
}

// flagged converts missing arguments, help, help COMMAND and version to flags.
func flagged(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "version" && len(args) == 1:
		return []string{"--version"}
	}
	return args
}

// reached returns the command whose arguments are wrong.
func reached(err error) string {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context.Selected() == nil {
		return "townline"
	}
	return wrong.Context.Selected().FullPath()
}
