package browsers

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// A script is a file that browsers load. Its size is measured after gzip -9.
type script struct {
	kB     float64
	modern bool // a module, which old browsers do not request
}

// scripts lists all our scripts by name. Add new scripts here, with a size limit.
var scripts = map[string]script{
	"board.js":    {kB: 3},
	"map.js":      {kB: 5, modern: true},
	"mapgl.js":    {kB: 5, modern: true},
	"mapbase.js":  {kB: 2, modern: true},
	"embed.js":    {kB: 1},
	"sw.js":       {kB: 1},
	"yours.js":    {kB: 1.2},
	"stop.js":     {kB: 1.5},
	"renew.js":    {kB: 1},
	"near.js":     {kB: 1},
	"suggest.js":  {kB: 1},
	"frame.js":    {kB: 1},
	"copy.js":     {kB: 1},
	"docs.js":     {kB: 3, modern: true},
	"accessed.js": {kB: 1},
}

// oldest lists the oldest browsers for boards; modern lists the oldest browsers with modules and
// WebGL 2.
var (
	oldest = []api.Engine{{Name: api.EngineChrome, Version: "49"}, {Name: api.EngineFirefox, Version: "52"},
		{Name: api.EngineSafari, Version: "11"}}
	modern = []api.Engine{{Name: api.EngineChrome, Version: "80"}, {Name: api.EngineFirefox, Version: "78"},
		{Name: api.EngineSafari, Version: "15"}}
)

// missing lists functions that one of the oldest browsers lacks, with alternatives.
var missing = map[*regexp.Regexp]string{
	regexp.MustCompile(
		`querySelectorAll\([^)]*\)\.forEach|childNodes\.forEach`): "NodeList.forEach is of Chromium 51: use a counted loop",
	regexp.MustCompile(
		`\bObject\.(values|entries|fromEntries)\b`): "Object.entries is of Chromium 54: use Object.keys",
	regexp.MustCompile(
		`\.(padStart|padEnd|trimStart|trimEnd|replaceAll|matchAll|flat|flatMap|at)\(`): "it is newer than Chromium 49",
	regexp.MustCompile(
		`\.(replaceWith|replaceChildren|prepend|append|before|after)\(`): "ParentNode and ChildNode are of Chromium 54: " +
		"use appendChild and insertBefore",
	regexp.MustCompile(
		`\bAbortController\b|\bIntersectionObserver\b|\bResizeObserver\b|\.finally\(|\bPromise\.(allSettled|any)\b|\bglobalThis\b|\bstructuredClone\b`): "it is newer than Chromium 49",
	regexp.MustCompile(
		`\bformatToParts\b|\bRelativeTimeFormat\b|\bIntl\.PluralRules\b`): "it is newer than Chromium 49: let the server " +
		"write the words",
	regexp.MustCompile(
		`\.isConnected\b|\btoggleAttribute\(|\bgetAttributeNames\(|scrollTo\(\{`): "it is newer than Chromium 49",
}

const root = "../../.."

func TestScripts(t *testing.T) {
	t.Parallel()
	var found []string
	for _, dir := range []string{"pkg", "services"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && slices.Contains([]string{"testdata", "vendored"}, d.Name()) {
				return fs.SkipDir
			}
			if ext := filepath.Ext(path); ext == ".js" || ext == ".mjs" {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) == 0 {
		t.Fatal("found no script: does the test search the right folder?")
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, known := scripts[filepath.Base(path)]
		if !known {
			t.Errorf("%s is not in the table of this test", path)
			continue
		}
		for _, fault := range faults(string(text), s) {
			t.Errorf("%s: %s", strings.TrimPrefix(path, root+"/"), fault)
		}
	}
}

func faults(text string, s script) []string {
	var all []string
	engines := oldest
	if s.modern {
		engines = modern
	}
	// esbuild rejects syntax that it cannot rewrite for the browsers, and rewrites the rest.
	// Scripts are served unchanged, so a rewrite is also a failure. Only template literals may
	// differ: esbuild rewrites them for the identity of raw strings, which we do not use.
	held := api.Transform(text, api.TransformOptions{Engines: engines, LogLevel: api.LogLevelSilent,
		Supported: map[string]bool{"template-literal": true}})
	for _, m := range held.Errors {
		all = append(all, fmt.Sprintf("line %d: %s", m.Location.Line, m.Text))
	}
	free := api.Transform(text, api.TransformOptions{Target: api.ESNext, LogLevel: api.LogLevelSilent})
	if len(held.Errors) == 0 && !bytes.Equal(held.Code, free.Code) {
		all = append(all, "newer syntax: "+difference(string(free.Code), string(held.Code)))
	}
	if !s.modern {
		for pattern, why := range missing {
			if at := pattern.FindString(text); at != "" {
				all = append(all, at+": "+why)
			}
		}
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write([]byte(text))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil || float64(b.Len()) > s.kB*1000 {
		all = append(all, fmt.Sprintf("%d bytes compressed, at most %.0f (%v)", b.Len(), s.kB*1000, err))
	}
	return all
}

// difference returns the first line in which two texts differ.
func difference(a, b string) string {
	there := strings.Split(b, "\n")
	for line := range strings.Lines(a) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(there, line) {
			return line
		}
	}
	return "it needs help outside the script"
}

// The checks detect mistakes.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	good := "(function () { const a = `x${1}`, f = (b) => b; let c = 0; class D {} ; document.title = a + f(c); }())"
	if all := faults(good, script{kB: 1}); len(all) > 0 {
		t.Errorf("refused: %v", all)
	}
	for _, text := range []string{"async () => { await 1 }", "for (const a of b) f(a)", "let {a} = b", "a?.b", "a ?? b",
		"x = {...y}", "try { f() } catch { g() }", "a ||= b",
		"document.querySelectorAll('p').forEach(f)", "new AbortController()", "Object.entries(a)", "e.append(f)"} {
		if len(faults(text, script{kB: 1})) == 0 {
			t.Errorf("accepted: %s", text)
		}
	}
	if len(faults("a ?? b; for (const c of d) f(c)", script{kB: 1, modern: true})) > 0 ||
		len(faults("a ||= b", script{kB: 1, modern: true})) == 0 {
		t.Error("a module is checked for the wrong browsers")
	}
	if len(faults(good, script{kB: 0.05})) != 1 {
		t.Error("a script that is too large is accepted")
	}
}
