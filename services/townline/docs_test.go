package townline_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
)

// This test compares the documentation with the program. Every command in a console block runs
// against a demo town, and its output must equal the text below it, with "…" for variable parts.
// Blocks of sh are not run, because they build, deploy or take long; but their make targets,
// scripts, files and sub-commands of townline must exist.

const repository = "../.."

// documents are the Markdown files of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", ".cache", ".townline", "bin", "node_modules", "testdata"},
			d.Name()) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			all = append(all, path)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d documents: %v", len(all), err)
	}
	return all
}

// A block is a fenced code block in a document.
type block struct {
	language, text string
	line           int
}

func blocks(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	inside := false
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "```") && !inside:
			inside = true
			all = append(all, block{language: strings.TrimPrefix(line, "```"), line: i + 1})
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside:
			all[len(all)-1].text += line + "\n"
		}
	}
	return all
}

// A command is a command in a console block with its expected output.
type command struct {
	text, want string
	line       int
}

func commands(b block) []command {
	var all []command
	for i, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "$ "):
			all = append(all, command{text: line[2:], line: b.line + 1 + i})
		case len(all) > 0 && strings.HasSuffix(all[len(all)-1].text, "\\"):
			all[len(all)-1].text += "\n" + line
		case len(all) > 0:
			all[len(all)-1].want += line + "\n"
		}
	}
	return all
}

// running is a running demo, with the mapping between its addresses and those in the documentation.
type running struct {
	data           string
	out            *screen
	stop           func() int
	actual, inDocs *strings.Replacer
	admin          []string
	spans          *spans
}

var usualAddresses = []string{"127.0.0.1:8080", "127.0.0.1:8081", "127.0.0.1:8082"}

func runDemo(t *testing.T) running {
	t.Helper()
	r := running{data: filepath.Join(t.TempDir(), "data")}
	collected, collector := collectSpans(t)
	r.spans = collected
	out, stop := upIn(t, conf.Environ{"OTEL_EXPORTER_OTLP_ENDPOINT": collector}, r.data)
	out.wait(t, "everything is up")
	r.out, r.stop = out, stop
	var there, back []string
	for i, pattern := range []string{`council-api +http://([^/]+)/`, `transit-api +http://([^/]+)/`,
		`demo town +http://([^/]+)/`} {
		address := out.wait(t, pattern)
		there, back = append(there, usualAddresses[i], address), append(back, address, usualAddresses[i])
	}
	r.actual, r.inDocs = strings.NewReplacer(there...), strings.NewReplacer(back...)
	for _, m := range regexp.MustCompile(`admin (http://[^/]+)/readyz`).FindAllStringSubmatch(out.String(), -1) {
		r.admin = append(r.admin, m[1])
	}
	return r
}

// testDocumentation runs the commands of all documents against a running demo.
func testDocumentation(t *testing.T, demo running) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing", tool)
		}
	}
	dir := t.TempDir()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	repo, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec %s \"$@\"\n", actAsTownline, binary)
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "bin"), 0o755),
		os.WriteFile(filepath.Join(dir, "bin", "townline"), []byte(script), 0o755),
		os.Symlink(filepath.Join(repo, "deploy"), filepath.Join(dir, "deploy")),
		os.Symlink(demo.data, filepath.Join(dir, ".townline")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Run("metrics", func(t *testing.T) {
		t.Parallel()
		testMetrics(t, demo)
	})
	for _, file := range documents(t) {
		var all []command
		for _, b := range blocks(t, file) {
			language, needs, _ := strings.Cut(b.language, " needs ")
			switch {
			case language == "sh":
				checkNames(t, file, b)
			case language == "console" && there(needs):
				all = append(all, commands(b)...)
			}
		}
		if len(all) > 0 {
			t.Run(strings.TrimPrefix(file, repository+"/"), func(t *testing.T) {
				// The commands of these documents change votes and feeds, so they run alone, before
				// the others.
				if base := filepath.Base(file); base != "corrections.md" && base != "webmaster.md" {
					t.Parallel()
				}
				runCommands(t, demo, dir, file, all)
			})
		}
	}
}

// there reports whether the tools that a block needs are installed.
func there(tools string) bool {
	for tool := range strings.FieldsSeq(tools) {
		if _, err := exec.LookPath(tool); err != nil {
			return false
		}
	}
	return true
}

// runCommands runs the commands of a document in one shell, so that later commands can use
// variables of earlier ones.
func runCommands(t *testing.T, demo running, dir, file string, all []command) {
	const mark = "\x1e"
	var script strings.Builder
	for _, c := range all {
		fmt.Fprintf(&script, "{ %s\n} </dev/null 2>&1; printf '%s%%d%s' $?\n", demo.actual.Replace(c.text), mark, mark)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash")
	shell.Dir = dir
	shell.Env = append(os.Environ(), "TOWNLINE_DATA="+demo.data, "LC_ALL=C.UTF-8")
	shell.Stdin = strings.NewReader(script.String())
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if err := shell.Run(); err != nil && ctx.Err() != nil {
		t.Fatalf("the commands of %s did not end: %s", file, out.String())
	}
	parts := strings.Split(out.String(), mark)
	if len(parts) != 2*len(all)+1 {
		t.Fatalf("of %d commands only %d ran: %s", len(all), len(parts)/2, out.String())
	}
	for i, c := range all {
		got := strings.TrimSpace(demo.inDocs.Replace(parts[2*i]))
		if parts[2*i+1] != "0" {
			t.Errorf("%s:%d: exit status %s of %s\n%s", file, c.line, parts[2*i+1], c.text, got)
		}
		if want := strings.TrimSpace(c.want); want != "" && !pattern(want).MatchString(got) {
			t.Errorf("%s:%d: %s\ngives\n%s\nand not\n%s", file, c.line, c.text, got, want)
		}
	}
}

// pattern returns a regular expression for expected text, in which "…" matches anything.
func pattern(want string) *regexp.Regexp {
	return regexp.MustCompile(`^` + strings.ReplaceAll(regexp.QuoteMeta(want), "…", `[\s\S]*?`) + `$`)
}

var (
	makeTarget = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*make ([a-z-]+)`)
	ourFile    = regexp.MustCompile(`(?:^|[\s=<])((?:deploy|scripts|services|pkg|proto)/[A-Za-z0-9_./-]*[A-Za-z0-9_])`)
	subCommand = regexp.MustCompile(`bin/townline((?: [a-z][a-z-]*)*)`)
)

// checkNames reports names in a block of commands that are not in the repository.
func checkNames(t *testing.T, file string, b block) {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(b.text, "\n") {
		where := fmt.Sprintf("%s:%d", file, b.line+1+i)
		if m := makeTarget.FindStringSubmatch(line); m != nil && !regexp.MustCompile(`(?m)^`+m[1]+`:`).Match(makefile) {
			t.Errorf("%s: there is no make target %s", where, m[1])
		}
		line, _, _ = strings.Cut(line, " #")
		if strings.Contains(line, "> deploy/") {
			continue // it is an output file
		}
		for _, m := range ourFile.FindAllStringSubmatch(line, -1) {
			if _, err := os.Stat(filepath.Join(repository, m[1])); err != nil {
				t.Errorf("%s: there is no %s", where, m[1])
			}
		}
		if m := subCommand.FindStringSubmatch(line); m != nil {
			checkSubCommand(t, where, strings.Fields(m[1]))
		}
	}
}

// checkSubCommand requests the help of the sub-commands with which a line starts.
func checkSubCommand(t *testing.T, where string, words []string) {
	t.Helper()
	if len(words) == 0 {
		return
	}
	for _, depth := range []int{2, 1} {
		if status, _ := askTownline(t, append(slices.Clone(words[:min(depth, len(words))]), "--help")...); status == 0 {
			return
		}
	}
	t.Errorf("%s: townline has no command %s", where, strconv.Quote(strings.Join(words, " ")))
}

// The targets of links between documents exist.
func TestLinksOfDocuments(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			target := string(m[1])
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), target)); err != nil {
				t.Errorf("%s: the link to %s has no target", file, target)
			}
		}
	}
}
