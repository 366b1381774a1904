// Package house tests our rules for the source: imports, package comments, names and sizes of
// files. If a rule is broken, the test prints its reason.
//
// It belongs to no module: `go test scripts/house/house_test.go` needs only the standard library.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/townline/townline/"

// A rule forbids imports. A pattern is a path below the root of the module, or the full path of
// another module. "..." at the end matches everything below.
type rule struct {
	from   []string // packages that may not import
	except []string // exceptions from these packages
	deny   []string // forbidden imports
	allow  []string // exceptions from the forbidden imports
	tests  bool     // the rule also applies to _test.go files
	why    string
}

// deployables are the five services. townline may import them all.
var deployables = []string{"council-ingest", "council-api", "gtfs-import", "rt-poller", "transit-api"}

// allRules returns the rules, including one for each service.
func allRules() []rule {
	all := slices.Clone(rules)
	for _, name := range deployables {
		service := "services/" + name + "/..."
		all = append(all, rule{
			from: []string{service}, deny: []string{"services/..."}, allow: []string{service}, tests: true,
			why: "services share only tables and subjects; only townline imports them all",
		})
	}
	return all
}

var rules = []rule{
	{
		from: []string{"pkg/..."}, deny: []string{"services/..."}, tests: true,
		why: "imports run services → pkg → proto",
	},
	{
		from: []string{"services/...", "pkg/...", "proto/..."}, deny: []string{"scripts/..."}, tests: true,
		why: "the proof of a deployment is not part of the product",
	},
	{
		from: []string{"scripts/prove"}, deny: []string{"services/..."}, allow: []string{"services/townline/demo"},
		tests: true,
		why:   "the proof runs the services as processes; of their code it imports only the demo town",
	},
	{
		from: []string{"proto/..."}, deny: []string{"services/...", "pkg/..."}, tests: true,
		why: "imports run services → pkg → proto",
	},
	{
		from: []string{"pkg/...", "services/..."}, except: []string{"pkg/embed/...", "pkg/pgtest/...", "pkg/pagetest/...",
			"services/townline/..."},
		deny: []string{"pkg/embed/...", "pkg/pgtest/...", "pkg/pagetest/...", "github.com/nats-io/nats-server/..."},
		why:  "private servers are for townline and tests; the images of the services stay small",
	},
	{
		from: []string{"pkg/council", "pkg/gtfs"}, deny: []string{"..."},
		allow: []string{"golang.org/x/text/...", "pkg/spelling"},
		why:   "these types depend on the standard library, x/text and spelling only, so that any package can import them",
	},
	{
		from: []string{"services/council-ingest/internal/portal/..."}, deny: []string{"github.com/jackc/pgx/...",
			"github.com/nats-io/...", "github.com/gin-gonic/..."},
		why: "portals are parsed without a database",
	},
	{
		from: []string{"services/council-ingest/internal/minutes/..."}, deny: []string{"..."},
		allow: []string{"pkg/council", "pkg/spelling", "golang.org/x/text/...",
			"services/council-ingest/internal/minutes/..."},
		why: "the minutes parser is a pure function of its text",
	},
	{
		from: []string{"pkg/...", "services/..."}, except: []string{"pkg/rest/..."},
		deny: []string{"github.com/gin-gonic/..."},
		why:  "gin does the routing inside pkg/rest; endpoints are data",
	},
	{
		from: []string{"pkg/...", "services/..."}, except: []string{"pkg/events/...", "pkg/embed/...", "pkg/pgtest/..."},
		deny: []string{"github.com/nats-io/nats.go/..."},
		why:  "only pkg/events knows subjects and messages",
	},
	{
		from: []string{"pkg/...", "services/..."}, deny: []string{"database/sql", "log"}, except: []string{"pkg/schema/..."},
		why: "pgx is used directly (only goose wants database/sql), and logs are structured (log/slog)",
	},
}

// emptyNames say nothing about the purpose of a package.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "types", "model", "models", "base", "misc",
	"manager", "shared", "lib"}

// A file is one Go source file of the modules.
type file struct {
	path string // relative to the root of the repository, with slashes
	dir  string
	ast  *ast.File
	size int // number of lines
	text string
	set  *token.FileSet
}

// line returns the line on which a node begins.
func (f file) line(n ast.Node) int { return f.set.Position(n.Pos()).Line }

func (f file) test() bool { return strings.HasSuffix(f.path, "_test.go") }

func (f file) generated() bool { return strings.HasSuffix(f.path, ".pb.go") }

func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.work above the working directory")
		}
	}
}

func source(t *testing.T) []file {
	t.Helper()
	top := root(t)
	fset := token.NewFileSet()
	var files []file
	for _, mod := range []string{"services", "pkg", "proto", "scripts/prove"} {
		err := filepath.WalkDir(filepath.Join(top, mod), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return err
			}
			if !strings.HasSuffix(p, ".go") {
				return nil
			}
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			tree, err := parser.ParseFile(fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(top, p)
			rel = filepath.ToSlash(rel)
			files = append(files, file{path: rel, dir: path.Dir(rel), ast: tree, size: strings.Count(string(text), "\n"),
				text: string(text), set: fset})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) == 0 {
		t.Fatal("found no source: does the test search the right folder?")
	}
	return files
}

// matches reports whether a pattern matches an import path.
func matches(pattern, imported string) bool {
	if pattern == "..." {
		first, _, _ := strings.Cut(imported, "/")
		return strings.Contains(first, ".") // unlike the standard library, other modules have a dot here
	}
	full := pattern
	if first, _, _ := strings.Cut(pattern, "/"); slices.Contains([]string{"pkg", "services", "proto", "scripts"}, first) {
		full = module + pattern
	}
	if below, ok := strings.CutSuffix(full, "/..."); ok {
		return imported == below || strings.HasPrefix(imported, below+"/")
	}
	return imported == full
}

func anyMatch(patterns []string, imported string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, imported) })
}

func TestImports(t *testing.T) {
	files := source(t)
	for _, f := range files {
		from := module + f.dir
		for _, imp := range f.ast.Imports {
			to := strings.Trim(imp.Path.Value, `"`)
			for _, r := range allRules() {
				if f.test() && !r.tests || !anyMatch(r.from, from) || anyMatch(r.except, from) {
					continue
				}
				if anyMatch(r.deny, to) && !anyMatch(r.allow, to) {
					t.Errorf("%s imports %s: %s", f.path, strings.TrimPrefix(to, module), r.why)
				}
			}
		}
	}
}

// Without this test, a rule for a package that was removed would always pass.
func TestRulesNameExistingPackages(t *testing.T) {
	top := root(t)
	for _, r := range allRules() {
		for _, p := range slices.Concat(r.from, r.except) {
			dir := strings.TrimSuffix(p, "/...")
			if _, err := os.Stat(filepath.Join(top, filepath.FromSlash(dir))); err != nil {
				t.Errorf("a rule names %s, which does not exist (%s)", p, r.why)
			}
		}
	}
}

func TestPackages(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range source(t) {
		if f.test() || f.generated() {
			continue
		}
		name := f.ast.Name.Name
		if slices.Contains(emptyNames, name) {
			t.Errorf("%s: the name %s says nothing about the purpose of the package", f.path, name)
		}
		doc := f.ast.Doc.Text()
		good := strings.HasPrefix(doc, "Package "+name+" ") || name == "main" && strings.HasPrefix(doc, "Command ")
		documented[f.dir] = documented[f.dir] || good
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no package comment that begins with \"Package name\" (or \"Command name\"): say its purpose, "+
				"what it never does, and where to read on", dir)
		}
	}
}

// maxLines bounds a file. It does not apply to tests, which may list many cases.
const maxLines = 700

var todo = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

func TestFiles(t *testing.T) {
	for _, f := range source(t) {
		if f.generated() {
			continue
		}
		if f.size > maxLines && !f.test() {
			t.Errorf("%s has %d lines: split it by subject (at most %d)", f.path, f.size, maxLines)
		}
		for _, g := range f.ast.Comments {
			if todo.MatchString(g.Text()) && !strings.Contains(g.Text(), "issue #") {
				t.Errorf("%s: a TODO without an issue number: %q", f.path, g.Text())
			}
		}
		if f.test() && strings.Contains(f.text, "time.Sleep(") {
			t.Errorf("%s sleeps: wait for the event or the row instead", f.path)
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s has an init function: importing a package has no effect", f.path)
			}
		}
	}
}

// structs has the struct types of the modules, by folder and name.
type structs map[[2]string]bool

func structsOf(files []file) structs {
	all := structs{}
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if _, ok := spec.Type.(*ast.StructType); ok {
					all[[2]string{f.dir, spec.Name.Name}] = true
				}
			}
			return true
		})
	}
	return all
}

// has reports whether a type in a file is a struct of the modules, or a pointer to one.
func (s structs) has(f file, t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.StructType:
		return true
	case *ast.StarExpr:
		return s.has(f, t.X)
	case *ast.IndexExpr:
		return s.has(f, t.X)
	case *ast.Ident:
		return s[[2]string{f.dir, t.Name}]
	case *ast.SelectorExpr:
		for _, imp := range f.ast.Imports {
			dir := strings.TrimPrefix(strings.Trim(imp.Path.Value, `"`), module)
			if from, ok := t.X.(*ast.Ident); ok && path.Base(dir) == from.Name {
				return s[[2]string{dir, t.Sel.Name}]
			}
		}
	}
	return false
}

// element returns the type of the elements of a slice, an array or a map; nil for other types.
func element(t ast.Expr) ast.Expr {
	switch t := t.(type) {
	case *ast.ArrayType:
		return t.Elt
	case *ast.MapType:
		return t.Value
	}
	return nil
}

// The data of a page hides no field of the head that it embeds: the layout would show the page's.
func TestPagesHideNothingOfTheirHead(t *testing.T) {
	files := source(t)
	head := map[string]bool{}
	pages := 0
	each := func(visit func(f file, name string, fields *ast.FieldList)) {
		for _, f := range files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					if s, ok := spec.Type.(*ast.StructType); ok {
						visit(f, spec.Name.Name, s.Fields)
					}
				}
				return true
			})
		}
	}
	each(func(f file, name string, fields *ast.FieldList) {
		for _, field := range fields.List {
			for _, id := range field.Names {
				if f.dir == "pkg/site" && name == "Head" {
					head[id.Name] = true
				}
			}
		}
	})
	each(func(f file, name string, fields *ast.FieldList) {
		embeds := slices.ContainsFunc(fields.List, func(field *ast.Field) bool {
			of, ok := field.Type.(*ast.SelectorExpr)
			return ok && len(field.Names) == 0 && of.Sel.Name == "Head"
		})
		if !embeds {
			return
		}
		pages++
		for _, field := range fields.List {
			for _, id := range field.Names {
				if head[id.Name] && id.IsExported() {
					t.Errorf("%s:%d: %s.%s hides the field of site.Head", f.path, f.line(id), name, id.Name)
				}
			}
		}
	})
	if len(head) < 10 || pages < 10 {
		t.Fatalf("%d fields of a head, %d pages", len(head), pages)
	}
}

const (
	maxParallel = 2 // values in one assignment
	maxUnkeyed  = 4 // fields of a literal without keys
)

// Nobody counts to the third value of an assignment, or to the fifth field of a literal without keys.
// The cases of a test may be a table.
func TestValuesHaveNames(t *testing.T) {
	files := source(t)
	known := structsOf(files)
	for _, f := range files {
		if f.generated() || f.test() {
			continue
		}
		elided := map[*ast.CompositeLit]ast.Expr{} // literals whose type is that of an element
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Rhs) > maxParallel {
					t.Errorf("%s:%d assigns %d values at once: at most %d", f.path, f.line(n), len(n.Rhs), maxParallel)
				}
			case *ast.ValueSpec:
				if len(n.Values) > maxParallel {
					t.Errorf("%s:%d assigns %d values at once: at most %d", f.path, f.line(n), len(n.Values), maxParallel)
				}
			case *ast.CompositeLit:
				kind := n.Type
				if kind == nil {
					kind = elided[n]
				}
				for _, e := range n.Elts {
					pair, keyed := e.(*ast.KeyValueExpr)
					if keyed {
						e = pair.Value
					}
					if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
						elided[lit] = element(kind)
					}
				}
				if len(n.Elts) > maxUnkeyed && known.has(f, kind) {
					if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed {
						t.Errorf("%s:%d is a literal of %d fields: give them keys", f.path, f.line(n), len(n.Elts))
					}
				}
			}
			return true
		})
	}
}

var opensDatabase = regexp.MustCompile(`\b(pgx|pgxpool)\.(ParseConfig|Connect|New)\(`)

// Only pg.Open accepts the parameters of pools in DATABASE_URL.
func TestOnePackageOpensTheDatabase(t *testing.T) {
	for _, f := range source(t) {
		private := strings.HasPrefix(f.dir, "pkg/pg") || strings.HasPrefix(f.dir, "pkg/embed/") ||
			strings.HasPrefix(f.dir, "scripts/")
		if !f.test() && !private && opensDatabase.MatchString(f.text) {
			t.Errorf("%s opens a database: use pg.Open", f.path)
		}
	}
}

var star = regexp.MustCompile(`(?i)\bselect\s+\*`)

// Programs run before and after a migration, so they must name their columns.
func TestNoSelectStar(t *testing.T) {
	for _, f := range source(t) {
		if !f.test() && star.MatchString(f.text) {
			t.Errorf("%s selects *: name the columns", f.path)
		}
	}
}

var placeholder = regexp.MustCompile(`\{[0-9a-z]+\}`)

// sentences returns the placeholders of each sentence of a file, by its key.
func sentences(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if key, sentence, ok := strings.Cut(line, "="); ok && line[0] != '#' {
			filled := placeholder.FindAllString(sentence, -1)
			slices.Sort(filled)
			all[strings.TrimSpace(key)] = strings.Join(filled, " ")
		}
	}
	return all
}

// Pages have each sentence in every language, with the same placeholders.
func TestWords(t *testing.T) {
	top := root(t)
	var found []string
	for _, place := range []string{"services/*/internal/*", "pkg/*", "pkg/*/*"} {
		names, err := filepath.Glob(filepath.Join(top, place, "words/en.txt"))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, names...)
	}
	if len(found) < 8 {
		t.Fatalf("found only %q", found)
	}
	for _, name := range found {
		first := sentences(t, name)
		for _, lang := range []string{"es", "fr"} {
			other := strings.TrimSuffix(name, "en.txt") + lang + ".txt"
			words := sentences(t, other)
			for key, want := range first {
				if got, ok := words[key]; !ok || got != want {
					t.Errorf("%s: %q is missing, or fills in %q, not %q", other, key, got, want)
				}
			}
			for key := range words {
				if _, ok := first[key]; !ok {
					t.Errorf("%s: %q is not in en.txt", other, key)
				}
			}
		}
	}
}
