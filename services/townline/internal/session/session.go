// Package session has the common parts of townline's sub-commands: flags and environment, their
// servers, and output. It does not import the sub-commands.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
)

// A StatusError ends the command with an exit status other than 1.
type StatusError struct {
	Err    error
	Status int
}

func (e *StatusError) Error() string { return e.Err.Error() }
func (e *StatusError) Unwrap() error { return e.Err }

// Settings are the settings of all sub-commands: infrastructure and configuration files. Each is a
// flag and an environment variable with the same meaning.
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

// A Session has the settings of a sub-command, its environment and its output.
type Session struct {
	Ctx    context.Context
	Set    *Settings
	Env    conf.Environ
	Log    *slog.Logger
	Stdout io.Writer
	Stderr io.Writer
}

// Environ returns the environment for the services: flags override variables.
func (s *Settings) Environ(env conf.Environ) conf.Environ {
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

// DemoFolder has the configuration files of a running demo, so that other sub-commands use the same
// town.
func (s *Settings) DemoFolder() string { return filepath.Join(s.Data, "demo") }

// UseDemo makes a sub-command without configuration files use those of a running demo.
func (s *Session) UseDemo() {
	for _, f := range []struct {
		set       *string
		env, name string
	}{{&s.Set.TransitConfig, "TRANSIT_CONFIG", "transit.yaml"}, {&s.Set.CouncilConfig, "COUNCIL_CONFIG", "council.yaml"}} {
		path := filepath.Join(s.Set.DemoFolder(), f.name)
		if *f.set == "" && fileExists(path) {
			*f.set, s.Set.AllowPrivate = path, true
			s.Env = s.Env.With(map[string]string{f.env: path, "TOWNLINE_ALLOW_PRIVATE": "true"})
		}
	}
}

// fileExists reports whether path is a regular file that can be opened.
func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// With runs fn with a migrated database and with NATS, if there is one. Most sub-commands use it.
func (s *Session) With(name string, fn func(run.Deps) error, parts ...schema.Part) error {
	in, err := Open(s, false)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := in.Migrate(s.Ctx, parts...); err != nil {
		return err
	}
	tracing, err := conf.Load[run.Tracing](s.Env)
	if err != nil {
		return err
	}
	deps, closeDeps, err := run.Open(s.Ctx, run.Resources{Name: name, DatabaseURL: in.DatabaseURL, Events: in.Events,
		Tracing: tracing}, s.Log)
	if err != nil {
		return err
	}
	defer closeDeps()
	return fn(deps)
}

// Print prints value as JSON, or line.
func (s *Session) Print(asJSON bool, value any, line string) error {
	if asJSON {
		enc := json.NewEncoder(s.Stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	}
	_, err := fmt.Fprintln(s.Stdout, line)
	return err
}

// List prints rows as JSON, or as a table with a line for each row. Without rows it prints a hint
// instead of a table.
func List[T any](s *Session, asJSON bool, rows []T, hint, header string, cells func(T) []any) error {
	if asJSON || len(rows) == 0 {
		return s.Print(asJSON, rows, hint)
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(header, ", ", "\t"))
	for _, row := range rows {
		line := cells(row)
		fmt.Fprintf(w, strings.Repeat("\t%v", len(line))[1:]+"\n", line...)
	}
	return w.Flush()
}

// ReadFile reads a whole file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if int64(len(data)) > limit {
		return nil, errors.New(path + " is too large")
	}
	return data, nil
}

// Clock formats a time in the local zone.
func Clock(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// Age formats the time since t.
func Age(t *time.Time, now time.Time) string {
	if t == nil {
		return "never"
	}
	return max(0, now.Sub(*t)).Round(time.Second).String() + " ago"
}
