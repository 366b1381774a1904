package pgd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

type programs struct {
	initdb, postgres string
	major            int
	version          string
	origin           string // where the programs were found, for messages
}

// oldest is the oldest supported major version.
const oldest = 15

// sourceVariable selects the source of the programs: "installed" or "npm".
const sourceVariable = "TOWNLINE_PG"

// locate returns the programs for a cluster of the given major version, or for a new cluster if
// major is 0. It prefers an installed server to the npm package.
func locate(ctx context.Context, o Options, who account, major int) (programs, error) {
	source := os.Getenv(sourceVariable)
	if source != "" && source != "installed" && source != "npm" {
		return programs{}, fmt.Errorf("%s=%q must be installed or npm", sourceVariable, source)
	}
	var tried error
	if source != "npm" {
		p, err := installed(ctx, major)
		if err == nil {
			return p, nil
		}
		tried = err
	}
	if source != "installed" {
		p, err := fromNPM(ctx, o, who, major)
		if err == nil {
			return p, nil
		}
		if tried != nil {
			err = fmt.Errorf("%w; %w", tried, err)
		}
		tried = err
	}
	if err := ctx.Err(); err != nil {
		return programs{}, err
	}
	return programs{}, fmt.Errorf("no usable PostgreSQL (%w): %s", tried, advice(major))
}

func advice(major int) string {
	var s string
	switch {
	case runtime.GOOS == "darwin":
		s = "run `brew install postgresql@17`"
	case os.Geteuid() == 0:
		s = "run `apt-get install postgresql`"
	default:
		s = "run `sudo apt-get install postgresql`"
	}
	s += ", or install Node.js so that npm can fetch a private copy, or set DATABASE_URL to a server of your own"
	if major != 0 {
		s += fmt.Sprintf("; the data here was made by version %d: without that version, "+
			"remove the data folder to start with new data",
			major)
	}
	return s
}

// installed returns the first matching server: from pg_config, on the PATH, then in the versioned
// folders of Debian, Red Hat and Homebrew, newest first.
func installed(ctx context.Context, major int) (programs, error) {
	var dirs []string
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		// Postgres finds its other files relative to the real program.
		path, err = filepath.EvalSymlinks(path)
		if err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
	} {
		found, _ := filepath.Glob(pattern)
		slices.Sort(found)
		slices.Reverse(found)
		dirs = append(dirs, found...)
	}
	var seen []string
	for _, dir := range dirs {
		p, err := inspect(ctx, dir)
		if err != nil {
			continue
		}
		if p.major >= oldest && (major == 0 || p.major == major) {
			return p, nil
		}
		seen = append(seen, p.version)
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	if len(seen) > 0 {
		return programs{}, fmt.Errorf("no installed version fits: %s", strings.Join(seen, ", "))
	}
	return programs{}, errors.New("no server is installed")
}

var serverVersion = regexp.MustCompile(`^postgres \((PostgreSQL)\) ((\d+)\S*)`)

func inspect(ctx context.Context, dir string) (programs, error) {
	p := programs{
		initdb:   filepath.Join(dir, "initdb"),
		postgres: filepath.Join(dir, "postgres"),
		origin:   dir,
	}
	if _, err := exec.LookPath(p.initdb); err != nil {
		return programs{}, err
	}
	out, err := exec.CommandContext(ctx, p.postgres, "--version").Output()
	if err != nil {
		return programs{}, fmt.Errorf("run %s: %w", p.postgres, err)
	}
	m := serverVersion.FindSubmatch(out)
	if m == nil {
		return programs{}, fmt.Errorf("%s does not report its version", p.postgres)
	}
	p.version = string(m[1]) + " " + string(m[2])
	p.major, err = strconv.Atoi(string(m[3]))
	return p, err
}
