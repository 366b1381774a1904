package townline_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/townline"
)

// eachCommand calls do with every command and every group of commands, and returns their common
// flags.
func eachCommand(t *testing.T, do func(*kong.Node)) []*kong.Flag {
	t.Helper()
	parser, err := kong.New(&townline.CLI{}, kong.Vars{"version": "1"})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, child := range n.Children {
			do(child)
			walk(child)
		}
	}
	walk(parser.Model.Node)
	return parser.Model.Flags
}

// If a flag of a command is also a global flag, it never reaches the command.
func TestCommandsRepeatNoGlobalFlag(t *testing.T) {
	t.Parallel()
	commands := map[string][]string{} // commands by the name of a flag
	global := eachCommand(t, func(n *kong.Node) {
		for _, f := range n.Flags {
			commands[f.Name] = append(commands[f.Name], n.FullPath())
		}
	})
	for _, f := range global {
		for _, path := range commands[f.Name] {
			t.Errorf("%s: --%s is a flag of townline itself", path, f.Name)
		}
	}
	if len(global) < 5 {
		t.Errorf("only %d flags found", len(global))
	}
}

// Help consists of paragraphs, which are wrapped for the terminal, and indented examples, which are
// printed unchanged.
func TestHelpIsParagraphsAndExamples(t *testing.T) {
	t.Parallel()
	texts := 0
	eachCommand(t, func(n *kong.Node) {
		for line := range strings.Lines(n.Detail) {
			texts++
			if trimmed := strings.TrimLeft(line, " \t"); trimmed != line && !strings.HasPrefix(line, "  townline ") {
				t.Errorf("%s --help: an indented line is not an example: %q", n.FullPath(), line)
			}
		}
	})
	if texts < 50 {
		t.Errorf("only %d lines found", texts)
	}
}

// Common commands work. For mistyped commands, the output has the error and the command for help.
func TestUsage(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	feed := t.TempDir() // an empty folder
	for _, c := range []struct {
		args   string
		status int
		want   []string
	}{
		{"", 0, []string{"Usage: townline <command>"}},
		{"help", 0, []string{"Usage: townline <command>"}},
		{"help feed import", 0, []string{"Usage: townline feed import <alias>"}},
		{"version", 0, []string{"\n"}},
		{"fed list", 2, []string{`did you mean one of "feed"`, "Run townline --help"}},
		{"feed", 2, []string{`expected one of "list"`, "Run townline feed --help"}},
		{"feed lst", 2, []string{`did you mean "list"`, "Run townline feed --help"}},
		{"feed report", 2, []string{`expected "<alias>"`, "Run townline feed report --help"}},
		{"feed check", 2, []string{`expected "<zip>"`, "Run townline feed check --help"}},
		{"feed check /no/such.zip", 2, []string{"/no/such.zip", "no such file"}},
		{"feed check " + file, 2, []string{file, "not a valid zip"}},
		{"feed check " + feed, 1, []string{"no usable stops", "error missing_required_file"}},
		{"council correct vote", 2, []string{"Run townline council correct vote --help"}},
		{"rt status --jsn", 2, []string{`did you mean "--json"`, "Run townline rt status --help"}},
		{"council probe town.example", 1, []string{`"town.example" is not the address of a portal`, "https://"}},
		{"council ingest --since yesterday", 1, []string{`--since "yesterday" is not a day, written YYYY-MM-DD`}},
		{"council ingest --portal town.example", 1, []string{"--portal: ", "is not the address of a portal"}},
		{"feed list --database-url nope", 1, []string{"DATABASE_URL cannot be read", "postgres://USER@HOST"}},
		{"feed list --data " + file + "/below", 1, []string{"data folder", "TOWNLINE_DATA"}},
	} {
		var out bytes.Buffer
		if got := townline.Main(t.Context(), strings.Fields(c.args), conf.Environ{}, &out, &out); got != c.status {
			t.Errorf("townline %s: status %d, want %d", c.args, got, c.status)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("townline %s: no %q in %s", c.args, want, &out)
			}
		}
		if strings.Contains(out.String(), "portals[0]") {
			t.Errorf("townline %s: the error has a line of a generated file: %s", c.args, &out)
		}
	}
}
