package notice

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/lang"
)

const (
	module  = "github.com/townline/townline/"
	root    = "../../.."
	listing = root + "/pkg/gtfs/check/rule.go" // names all codes and reports none
)

// A loader type-checks packages of the repository. Packages of others are empty: what they declare
// is unknown, and their errors are ignored.
type loader struct {
	files *token.FileSet
	info  types.Info
	found map[string]*types.Package
}

func (l *loader) Import(name string) (*types.Package, error) {
	if p := l.found[name]; p != nil {
		return p, nil
	}
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	l.found[name] = p
	dir, own := strings.CutPrefix(name, module)
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if !own || err != nil {
		return p, err
	}
	var all []*ast.File
	for _, file := range names {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(l.files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	conf := types.Config{Importer: l, Error: func(error) {}}
	p, _ = conf.Check(name, l.files, all, &l.info)
	l.found[name] = p
	return p, nil
}

// codePackages declare the types of codes.
var codePackages = []string{"pkg/gtfsrt/judge", "pkg/gtfs", "pkg/gtfs/notice"}

// load type-checks the packages of codes, and all that import one of them.
func load(t *testing.T) *loader {
	t.Helper()
	l := &loader{files: token.NewFileSet(), info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}},
		found: map[string]*types.Package{}}
	for _, top := range []string{"pkg", "services"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			dir := path.Dir(strings.TrimPrefix(filepath.ToSlash(file), root+"/"))
			if err == nil && slices.ContainsFunc(codePackages, func(of string) bool {
				return dir == of || strings.Contains(string(text), `"`+module+of+`"`)
			}) {
				_, err = l.Import(module + dir)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// constants returns the constants of a type.
func (l *loader) constants(of, name string) []string {
	all := map[string]bool{}
	for at, v := range l.info.Types {
		if l.files.Position(at.Pos()).Filename == listing {
			continue
		}
		if v.Value != nil && v.Type != nil && v.Type.String() == module+of+"."+name {
			all[constant.StringVal(v.Value)] = true
		}
	}
	delete(all, "")
	return slices.Sorted(maps.Keys(all))
}

// Every code in the source has sentences, and every sentence has a code. The test finds the codes as
// constants of their type, so that a check cannot report a code without sentences.
func TestEveryCodeHasSentences(t *testing.T) {
	t.Parallel()
	l := load(t)
	for _, kind := range []struct {
		prefix, pkg, name string
		least             int
		advice            bool
	}{{prefix: "rt.", pkg: "pkg/gtfsrt/judge", name: "Code", least: 50, advice: true},
		{prefix: "feed.", pkg: "pkg/gtfs", name: "Code", least: 150, advice: true},
		{prefix: "held.", pkg: "pkg/gtfs/notice", name: "HoldCode", least: 7}} {
		codes := l.constants(kind.pkg, kind.name)
		if len(codes) < kind.least {
			t.Fatalf("found only %q", codes)
		}
		for _, tag := range []string{"en", "es", "fr"} {
			say := lang.Words{}
			if err := say.Read(Sentences(), tag); err != nil {
				t.Fatal(err)
			}
			for _, code := range codes {
				key := kind.prefix + code
				if say[key] == "" || kind.advice && say[key+".do"] == "" {
					t.Errorf("%s: %s or its advice is missing", tag, key)
				}
			}
			for key := range say {
				code, ok := strings.CutPrefix(key, kind.prefix)
				code, _, _ = strings.Cut(code, ".")
				if ok && !slices.Contains(codes, code) {
					t.Errorf("%s: no check reports %s", tag, key)
				}
			}
		}
	}
}
