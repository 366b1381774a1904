package check

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
)

// Every rule is unique, noted somewhere, tested, and has a reason and advice.
func TestRules(t *testing.T) {
	t.Parallel()
	var source, tests []byte
	for _, dir := range []string{"..", "../../../services/gtfs-import"} {
		if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			file, err := os.ReadFile(path)
			if strings.HasSuffix(path, "_test.go") {
				tests = append(tests, file...)
			} else {
				source = append(source, file...)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	checked := map[gtfs.Code]bool{} // rules whose entry has the check
	for _, r := range rowRules {
		checked[r.Code] = true
	}
	for _, r := range feedRules() {
		checked[r.Code] = true
	}
	seen := map[gtfs.Code]bool{}
	for _, r := range Rules() {
		if seen[r.Code] {
			t.Errorf("%s is not unique", r.Code)
		}
		seen[r.Code] = true
		if !strings.HasSuffix(r.Reason, ".") || !strings.HasSuffix(strings.TrimRight(r.Advice, ")"), ".") ||
			r.Severity.Rank() < 0 {
			t.Errorf("%+v", r)
		}
		if n := bytes.Count(source, []byte(`"`+string(r.Code)+`"`)); n < 2 && !checked[r.Code] {
			t.Errorf("nothing notes %s", r.Code)
		}
		if !bytes.Contains(tests, []byte(r.Code)) {
			t.Errorf("nothing tests %s; rules_test.go of gtfs-import has most cases", r.Code)
		}
	}
	for code := range checked {
		if !seen[code] {
			t.Errorf("no entry of %s has its texts", code)
		}
	}
}

// The documentation gives the reason for each rule of the canonical validator that has no rule of
// the same name here, and for no other. The rules that a reason names exist.
func TestCanonicalRules(t *testing.T) {
	t.Parallel()
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	canonical := strings.Fields(read("../canonical.txt"))
	reasons := map[string]string{}
	listed, _, _ := strings.Cut(read("../../../deploy/docs/report.md"), "## Rules of our own")
	for _, cells := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.{10,}) \\|$").FindAllStringSubmatch(listed, -1) {
		reasons[cells[1]] = cells[2]
		if !slices.Contains(canonical, cells[1]) {
			t.Errorf("deploy/docs/report.md lists %s, which is no rule of the canonical validator", cells[1])
		}
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cells[2], -1) {
			if _, known := RuleOf(gtfs.Code(name[1])); !known {
				t.Errorf("%s names the unknown rule %s", cells[1], name[1])
			}
		}
	}
	for _, code := range canonical {
		_, known := RuleOf(gtfs.Code(code))
		switch {
		case known && reasons[code] != "":
			t.Errorf("%s is a rule here: remove it from the rules that are not checked in deploy/docs/report.md", code)
		case !known && reasons[code] == "":
			t.Errorf("%s is no rule here: add the reason to deploy/docs/report.md", code)
		}
	}
}
