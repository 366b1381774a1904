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

// sources calls visit with each string in the code of the reader that is no test. inPattern says whether
// the string is part of a regular expression.
func sources(t *testing.T, visit func(at token.Position, text string, inPattern bool)) {
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
		patterns := map[ast.Node]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && compiles(call) {
				ast.Inspect(call.Args[0], func(n ast.Node) bool {
					patterns[n] = true
					return true
				})
			}
			if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
				text, err := strconv.Unquote(s.Value)
				visit(files.Position(s.Pos()), text, err == nil && patterns[n])
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// compiles reports whether a call makes a regular expression.
func compiles(call *ast.CallExpr) bool {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	return len(call.Args) == 1 && (name == "Compile" || name == "MustCompile" || name == "Regexp" || name == "Folded")
}

// Every row is named by a pattern or is the words of a sense.
func TestNoRowIsUnused(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	sources(t, func(_ token.Position, text string, _ bool) {
		used[text] = true
		for _, name := range placeholder.FindAllString(text, -1) {
			used[strings.ToLower(strings.Trim(name, "{}"))] = true
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

// Words of patterns stand in the table, and nowhere else.
func TestPatternsHaveNoWords(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`\pL{2,}`)
	sources(t, func(at token.Position, text string, inPattern bool) {
		if !inPattern {
			return
		}
		if found := word.FindString(form.ReplaceAllString(text, " ")); found != "" {
			t.Errorf("%s: the pattern has the word %q; put it into the table, and name its row in braces", at, found)
		}
	})
}
