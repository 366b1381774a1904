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
	"github.com/townline/townline/pkg/gtfs/notice"
)

// Every code with sentences has a severity, and every rule is tested.
func TestRules(t *testing.T) {
	t.Parallel()
	var tests []byte
	for _, dir := range []string{"..", "../../../services/gtfs-import"} {
		if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := os.ReadFile(path)
			tests = append(tests, file...)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	listed := 0
	for _, codes := range severities {
		listed += len(codes)
	}
	if listed != len(Rules()) {
		t.Errorf("severities lists %d codes, of which %d are different", listed, len(Rules()))
	}
	say := notice.English()
	for _, r := range Rules() {
		if text := r.Message(say); r.Severity.Rank() < 0 || !strings.HasSuffix(text, ".") {
			t.Errorf("%+v: %s", r, text)
		}
		if !bytes.Contains(tests, []byte(r.Code)) {
			t.Errorf("nothing tests %s; rules_test.go of gtfs-import has most cases", r.Code)
		}
	}
	for key := range say {
		code, ok := strings.CutPrefix(key, "feed.")
		code, _, _ = strings.Cut(code, ".")
		if _, known := RuleOf(gtfs.Code(code)); ok && !known {
			t.Errorf("%s has sentences and no severity", code)
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
