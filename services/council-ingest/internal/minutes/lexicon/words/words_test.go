package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// fold is what the reader does with a text before it looks for words.
func fold(text string) string {
	text = strings.NewReplacer("’", "'", "–", "-", "“", `"`, "”", `"`).Replace(strings.ToLower(text))
	return regexp.MustCompile(`\p{M}`).ReplaceAllString(norm.NFD.String(text), "")
}

// Each row of words has a sample of its language with one of them, and the source of the sample.
func TestEverySampleHasItsWords(t *testing.T) {
	t.Parallel()
	for language := range strings.FieldsSeq(Languages) {
		for _, row := range Of(language) {
			if !regexp.MustCompile(`(?:^|\b|\W|\d)(?:` + row.Words + `)`).MatchString(fold(row.Sample)) {
				t.Errorf("%s: the sample %q has none of the words %s", language, row.Sample, row.Words)
			}
			if row.Source == "" {
				t.Errorf("%s: the sample %q has no source", language, row.Sample)
			}
			plain := regexp.MustCompile(`\\.`).ReplaceAllString(row.Words, "")
			if fold(plain) != plain {
				t.Errorf("%s: the words %s have capitals or accents", language, row.Words)
			}
		}
	}
}

// A place is where a string stands in the code of the reader.
type place struct {
	token.Position
	pattern, compared bool // it is part of a regular expression; a text is compared with it
	row, letters      bool // it names a row; it is a set of letters, no word
}

// sources calls visit with each string in the code of the reader that is no test.
func sources(t *testing.T, visit func(at place, text string)) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(filepath.ToSlash(path), "lexicon/words/") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		places := map[ast.Node]place{}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, part := range comparedIn(n) {
				mark(places, part, func(p *place) { p.compared = true })
			}
			if call, ok := n.(*ast.CallExpr); ok {
				for _, arg := range call.Args {
					mark(places, arg, func(p *place) {
						p.pattern = p.pattern || compiles(call)
						p.row, p.letters = p.row || names(call), p.letters || isSet(call)
					})
				}
			}
			if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
				text, err := strconv.Unquote(s.Value)
				at := places[n]
				if at.Position = files.Position(s.Pos()); err == nil {
					visit(at, text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mark changes the places of all that stands in a part of the code.
func mark(places map[ast.Node]place, part ast.Node, change func(*place)) {
	ast.Inspect(part, func(n ast.Node) bool {
		p := places[n]
		change(&p)
		places[n] = p
		return true
	})
}

// comparing are the functions that compare a text with their other arguments.
var comparing = regexp.MustCompile(`^(?:Contains|HasPrefix|HasSuffix|HasAnyPrefix|HasAnySuffix|ContainsAny|Index|` +
	`LastIndex|Count|EqualFold|Cut|CutPrefix|CutSuffix|TrimPrefix|TrimSuffix|ReplaceAll|Fields|Split)$`)

// comparedIn returns the parts of the code that a text is compared with.
func comparedIn(n ast.Node) (parts []ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		name, _ := function(n)
		if comparing.MatchString(name) && !isSet(n) {
			for _, arg := range n.Args {
				parts = append(parts, arg)
			}
		}
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			parts = append(parts, n.X, n.Y)
		}
	case *ast.CaseClause:
		for _, one := range n.List {
			parts = append(parts, one)
		}
	}
	return parts
}

func function(call *ast.CallExpr) (name, of string) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name, ""
	case *ast.SelectorExpr:
		if p, ok := f.X.(*ast.Ident); ok {
			of = p.Name
		}
		return f.Sel.Name, of
	}
	return "", ""
}

// compiles reports whether a call makes a regular expression.
func compiles(call *ast.CallExpr) bool {
	name, _ := function(call)
	return len(call.Args) == 1 && (name == "Compile" || name == "MustCompile" || name == "Regexp" || name == "Folded")
}

// names reports whether the arguments of a call are the names of rows whose words are written out.
func names(call *ast.CallExpr) bool {
	name, of := function(call)
	return of == "words" && (name == "Plain" || name == "Values")
}

// isSet reports whether the arguments of a call are sets of letters.
func isSet(call *ast.CallExpr) bool {
	name, of := function(call)
	return of == "strings" && (strings.HasPrefix(name, "Trim") && !strings.HasSuffix(name, "fix") ||
		strings.HasSuffix(name, "Any"))
}

// Every row is named by a pattern or is the words of a sense, and every row that code compares with is a list.
func TestNoRowIsUnused(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	sources(t, func(at place, text string) {
		used[strings.ToLower(text)] = true
		for _, name := range placeholder.FindAllString(text, -1) {
			used[strings.ToLower(strings.Trim(name, "{}"))] = true
		}
		if at.row && len(Plain(text).Words()) == 0 {
			t.Errorf("%s: no row %q has words that can be written out", at, text)
		}
	})
	for language := range strings.FieldsSeq(Languages) {
		for _, row := range Of(language) {
			if !used[row.Name] {
				t.Errorf("%s: nothing uses the words %q", language, row.Name)
			}
		}
	}
}

// form matches what a pattern is made of besides words: escapes, classes, flags, and names of rows.
var form = regexp.MustCompile(`\\[pP]\{[^}]*\}|\\[pP]\pL|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[a-zA-Z-]+[:)]|\{\pL[\pL ]*\}`)

// moved matches the files whose comparisons have no words any more.
var moved = regexp.MustCompile(`/(?:head|person|lexicon)/|/lines/lines.go`)

// Words of patterns and of comparisons stand in the table, and nowhere else.
func TestPatternsHaveNoWords(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`\pL{2,}`)
	sources(t, func(at place, text string) {
		if at.compared && !at.row && !at.letters && moved.MatchString(at.Filename) {
			if found := word.FindString(text); found != "" {
				t.Errorf("%s: a text is compared with %q; put it into the table, and name its row", at, found)
			}
		}
		if !at.pattern {
			return
		}
		if found := word.FindString(form.ReplaceAllString(text, " ")); found != "" {
			t.Errorf("%s: the pattern has the word %q; put it into the table, and name its row in braces", at, found)
		}
	})
}
