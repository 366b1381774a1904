package rest_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/rest"
)

// coveredRequests has the requests that TestSomeRequests sends: the coding, then targets.
// TestFunctionsOfARequest sets it for a copy of this test program that counts coverage.
const coveredRequests = "TOWNLINE_COVERED_REQUESTS"

// A request passes few functions of ours, so that somebody new can read its way. A function within
// another is part of that. The handler and the types of its columns are not counted. To see the list:
//
//	go test ./rest -run TestFunctionsOfARequest -v
func TestFunctionsOfARequest(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "covered")
	const tree = "github.com/townline/townline/pkg/"
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-s", "-covermode=count",
		"-coverpkg="+tree+"rest/...,"+tree+"panics,"+tree+"lang", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program that counts: %v\n%s", err, out)
	}
	const first, other = "/v1/notes/1?length=900", "/v1/notes/2?length=900"
	for name, r := range map[string]struct {
		coding, target string
		most           int
	}{
		"miss":           {coding: "", target: other, most: 22},
		"miss with gzip": {coding: "gzip", target: other, most: 22},
		"hit":            {coding: "", target: first, most: 12},
		"hit with gzip":  {coding: "gzip", target: first, most: 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := blocksOf(t, program, r.coding, first)
			after := blocksOf(t, program, r.coding, first, r.target)
			passed := functionsBetween(t, before, after)
			list := fmt.Sprintf("a %s passes %d functions:\n  %s", name, len(passed), strings.Join(passed, "\n  "))
			t.Log(list)
			if len(passed) > r.most || len(passed) < r.most/2 {
				t.Errorf("not %d at most", r.most)
			}
		})
	}
}

// TestSomeRequests sends requests, of which the program writes the coverage.
func TestSomeRequests(t *testing.T) {
	requests, counted := os.LookupEnv(coveredRequests)
	if !counted {
		t.Skip("runs in the program of TestFunctionsOfARequest")
	}
	coding, targets, _ := strings.Cut(requests, " ")
	s := newNotes(t)
	for target := range strings.FieldsSeq(targets) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		if coding != "" {
			r.Header.Set("Accept-Encoding", coding)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusOK || w.Header().Get("Content-Encoding") != coding {
			t.Fatalf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}

type noteParams struct {
	ID     int64 `path:"id" min:"1"`
	Length *int  `query:"length" min:"1" max:"1000"`
}

type note struct {
	ID   int64  `json:"id"`
	Note string `json:"note"`
}

var oneNote = rest.SQL[noteParams, note](`
	SELECT id, repeat('x', @length::int) AS note FROM thing WHERE id = @id`)

// newNotes returns an API that answers from one statement, in one snapshot.
func newNotes(t *testing.T) *rest.Server {
	t.Helper()
	f := newThings(t)
	s, err := rest.New(rest.Config{Name: "notes", Dialect: problems(), Base: "/v1", PublicURL: "https://notes.example/v1",
		DB: f.db, AccessLog: rest.LogOff, Dataset: &rest.Dataset{
			Now: func(context.Context) (rest.Generation, error) { return rest.Generation{N: 1}, nil },
			Read: func(ctx context.Context, db rest.DB) (rest.Generation, error) {
				n, err := generation.One(ctx, db, rest.None{})
				return rest.Generation{N: n}, err
			}}},
		rest.Table{rest.Func(rest.Spec{ID: "note", Path: "/notes/{id}", Summary: "A note", Queries: rest.Queries(oneNote)},
			func(ctx context.Context, c *rest.Call, p noteParams) (note, error) { return oneNote.One(ctx, c, p) })})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// blocksOf returns how often each block of code ran, by its place, while a program answered requests.
func blocksOf(t *testing.T, program, coding string, targets ...string) map[string]string {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile")
	run := exec.CommandContext(t.Context(), program, "-test.run=^TestSomeRequests$", "-test.coverprofile="+profile)
	run.Env = append(os.Environ(), coveredRequests+"="+coding+" "+strings.Join(targets, " "))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("send requests: %v\n%s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]string{}
	for line := range strings.Lines(string(text)) {
		place, count, _ := strings.Cut(line, " ")
		counts[place] = count
	}
	return counts
}

// functionsBetween returns the functions of which a block ran more often after than before.
func functionsBetween(t *testing.T, before, after map[string]string) (names []string) {
	t.Helper()
	files := map[string]*source{}
	for place, count := range after {
		if before[place] == count {
			continue
		}
		path, span, _ := strings.Cut(place, ":")
		var line, column int
		if _, err := fmt.Sscanf(span, "%d.%d,", &line, &column); err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		if files[path] == nil {
			files[path] = parsed(t, path)
		}
		name := filepath.Base(path) + " " + files[path].function(line, column)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// A source is a file of Go.
type source struct {
	set  *token.FileSet
	file *ast.File
}

func parsed(t *testing.T, path string) *source {
	t.Helper()
	_, below, _ := strings.Cut(path, "/townline/pkg/")
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join("..", filepath.FromSlash(below)), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &source{set: set, file: file}
}

// function names the function at a place. A function within another bears the name of that.
func (s *source) function(line, column int) string {
	for _, d := range s.file.Decls {
		from, to := s.set.Position(d.Pos()), s.set.Position(d.End())
		begun := from.Line < line || from.Line == line && from.Column <= column
		if f, ok := d.(*ast.FuncDecl); ok && begun && line <= to.Line {
			name := f.Name.Name
			if f.Recv != nil {
				name = fmt.Sprint(exprName(f.Recv.List[0].Type), ".", name)
			}
			return name
		}
	}
	return fmt.Sprintf("line %d", line)
}

func exprName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return exprName(e.X)
	case *ast.IndexExpr:
		return exprName(e.X)
	case *ast.IndexListExpr:
		return exprName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
