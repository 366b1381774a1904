// Package townline is the operator's one command. `townline up` runs any set of
// the five services in one process, with a private Postgres and an embedded NATS
// when none is configured; the other sub-commands look after feeds, manual rows
// and council data, in the running servers or in ones started for the moment.
//
// It is the only room that may import the services, and it repeats nothing of
// theirs: it opens what they need and calls their Run. Start reading at up.go;
// infra.go opens the servers.
package townline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
)

// Settings are common to all sub-commands: where the infrastructure is and what
// is served. Each is a flag and an environment variable of the same meaning.
type Settings struct {
	Data          string `env:"TOWNLINE_DATA" default:".townline" placeholder:"FOLDER" help:"Folder of the private servers. Default: .townline"`
	DatabaseURL   string `env:"DATABASE_URL" placeholder:"URL" help:"Postgres to use instead of a private one."`
	NATSURL       string `name:"nats-url" env:"NATS_URL" placeholder:"URL" help:"NATS servers to use instead of an embedded one, comma separated."`
	TransitConfig string `env:"TRANSIT_CONFIG" placeholder:"FILE" help:"transit.yaml: feeds, realtime sources, access."`
	CouncilConfig string `env:"COUNCIL_CONFIG" placeholder:"FILE" help:"council.yaml: portal, council, classifier."`
	AllowPrivate  bool   `env:"TOWNLINE_ALLOW_PRIVATE" help:"Let fetches reach private and loopback addresses."`
	LogLevel      string `env:"LOG_LEVEL" default:"warn" enum:"debug,info,warn,error" help:"debug, info, warn or error."`
	LogFormat     string `env:"LOG_FORMAT" default:"text" enum:"text,json" help:"text or json."`
}

// CLI is the whole command line.
type CLI struct {
	Settings

	Up         upCmd            `cmd:"" help:"Run the services here, with private servers where none are configured."`
	Config     configCmd        `cmd:"" help:"Print the effective configuration, secrets masked."`
	Doctor     doctorCmd        `cmd:"" help:"Look at everything that is needed, and say what is wrong and what to do."`
	Migrate    migrateCmd       `cmd:"" help:"Bring the database schema up to date."`
	Feed       feedCmd          `cmd:"" help:"GTFS feeds: list, show, import, report, rollback, remove."`
	Manual     manualCmd        `cmd:"" help:"GTFS rows of your own, laid over every import: add, patch, hide, list, remove."`
	Annotation annotationCmd    `cmd:"" help:"What to tell riders about stops, routes, trips and agencies: add, list, show, expire."`
	Key        keyCmd           `cmd:"" help:"Credentials of API clients: add, list, revoke."`
	RT         rtCmd            `cmd:"" name:"rt" help:"Realtime sources: status."`
	Council    councilCmd       `cmd:"" help:"Council data: parse, load, ingest, reparse, verify, check."`
	Version    kong.VersionFlag `help:"Print the version."`
}

// A session is what the sub-commands work with: the settings, the environment
// behind them, and where to print.
type session struct {
	ctx    context.Context
	set    *Settings
	env    conf.Environ
	log    *slog.Logger
	stdout io.Writer
	stderr io.Writer
}

// Main runs the command line args with the given environment and returns the
// exit status: 0 done, 1 failed, 2 not understood.
func Main(ctx context.Context, args []string, env conf.Environ, stdout, stderr io.Writer) int {
	var cli CLI
	status := -1
	parser, err := kong.New(&cli,
		kong.Name("townline"),
		kong.Description("The council votes and the transit feeds of a town, served as open APIs."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"version": run.Version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { status = code }),
	)
	if err != nil {
		fmt.Fprintln(stderr, "townline:", err)
		return 2
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parser.Parse(args)
	if status >= 0 { // --help or --version has been printed
		return status
	}
	if err != nil {
		fmt.Fprintf(stderr, "townline: %s\nRun with --help for what is possible.\n", err)
		return 2
	}
	s := &session{
		ctx: ctx, set: &cli.Settings, env: cli.environ(env), stdout: stdout, stderr: stderr,
		log: run.Logger(stderr, cli.LogLevel, cli.LogFormat),
	}
	switch err := command.Run(s); {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(stderr, "townline: interrupted")
		return 130
	default:
		fmt.Fprintln(stderr, "townline:", err)
		return 1
	}
}

// environ is the environment as the services shall see it: flags win.
func (s *Settings) environ(env conf.Environ) conf.Environ {
	private := ""
	if s.AllowPrivate {
		private = "true"
	}
	return env.With(map[string]string{
		"DATABASE_URL":           s.DatabaseURL,
		"NATS_URL":               s.NATSURL,
		"TRANSIT_CONFIG":         s.TransitConfig,
		"COUNCIL_CONFIG":         s.CouncilConfig,
		"TOWNLINE_ALLOW_PRIVATE": private,
		"TOWNLINE_DATA":          s.Data,
	})
}

// tty tells whether w is a terminal, where progress may be drawn.
func tty(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
