package gtfs_test

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

// Every rule is unique, documented, noted somewhere, tested, and has a reason and advice.
func TestRules(t *testing.T) {
	t.Parallel()
	var source, tests []byte
	for _, dir := range []string{".", "../../services/gtfs-import"} {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || slices.Contains([]string{"rules.go", "ownrules.go"}, path) {
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
	text, err := os.ReadFile("../../deploy/docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[gtfs.Code]bool{}
	for _, r := range gtfs.Rules() {
		if seen[r.Code] {
			t.Errorf("%s is not unique", r.Code)
		}
		seen[r.Code] = true
		if !strings.HasSuffix(r.Reason, ".") || !strings.HasSuffix(strings.TrimRight(r.Advice, ")"), ".") || r.Effect == "" ||
			r.Severity == "" {
			t.Errorf("%+v", r)
		}
		if !strings.Contains(string(text), "| `"+string(r.Code)+"` | "+string(r.Severity)+" |") {
			t.Errorf("deploy/docs/report.md does not list %s as %s", r.Code, r.Severity)
		}
		if !bytes.Contains(source, []byte(`"`+string(r.Code)+`"`)) {
			t.Errorf("nothing notes %s", r.Code)
		}
		if !bytes.Contains(tests, []byte(r.Code)) {
			t.Errorf("nothing tests %s; rules_test.go of gtfs-import has most cases", r.Code)
		}
	}
}

// The documentation lists all rules of the canonical validator. In the column of our rules, "yes"
// means that we have a rule of the same name, and "other" names our rules. All other rows have a
// reason.
func TestCanonicalRules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	canonical, own, _ := strings.Cut(string(text), "## Rules of our own")
	listed := map[gtfs.Code]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w*) \\| (.*) \\|$").FindAllStringSubmatch(canonical, -1) {
		code, severity, here := gtfs.Code(row[1]), row[2], row[3]
		rule, known := gtfs.RuleOf(code)
		listed[code] = true
		switch {
		case here == "yes":
			if !known || string(rule.Severity) != severity {
				t.Errorf("%s is documented as %q; its severity in the code is %q", code, severity, rule.Severity)
			}
		case known || severity != "" || len(here) < 10:
			t.Errorf("%s is documented as %q; it exists in the code: %t", code, here, known)
		}
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(here, -1) {
			if _, known := gtfs.RuleOf(gtfs.Code(name[1])); !known {
				t.Errorf("%s names the unknown rule %s", code, name[1])
			}
		}
	}
	if len(listed) != 181 {
		t.Errorf("%d rules, want those of gtfs-validator v8.0.1", len(listed))
	}
	for _, r := range gtfs.Rules() {
		if ours := strings.Contains(own, "| `"+string(r.Code)+"` |"); ours == listed[r.Code] {
			t.Errorf("deploy/docs/report.md must list %s either among the canonical rules or among our own: "+
				"canonical %t, own %t", r.Code, listed[r.Code], ours)
		}
	}
}

// Only rules of the canonical validator have an address there.
func TestAddresses(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	_, ours, found := strings.Cut(string(text), "## Rules of our own")
	if !found {
		t.Fatal("deploy/docs/report.md does not list our own rules")
	}
	for _, r := range gtfs.Rules() {
		own := strings.Contains(ours, "| `"+string(r.Code)+"` |")
		if address := r.Code.Address(); own != (address == "") {
			t.Errorf("%s: address %q; own rule: %t", r.Code, address, own)
		}
	}
	for file, want := range map[string]string{
		"stop_times.txt":    "https://gtfs.org/documentation/schedule/reference/#stop_timestxt",
		"locations.geojson": "https://gtfs.org/documentation/schedule/reference/#locationsgeojson",
		"directions.txt":    "", "notes.txt": "", "": "",
	} {
		if got := gtfs.Reference(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestColumnTypesOfTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column gtfs.ColumnType
		good   string
		bad    string
	}{
		{gtfs.URL, "http://a https://a.example/b?c=d", "a.example www.a.example ftp://a https:// mailto:a@b.example"},
		{gtfs.Email, "a@b.example a.b+c@d.e.example", "a a@ @b.example a@b a@b. a@b@c.example a@b.example,c@d.example"},
		{gtfs.Currency, "EUR JPY XAU", "eur EU EURO E R"},
		{gtfs.Language, "en fr-CA zh-Hant-TW mul es-419", "e english en_US en- -en 12 en-verylongpart"},
	} {
		for cell := range strings.FieldsSeq(c.good) {
			if !c.column.OK([]byte(cell)) {
				t.Errorf("type %d rejects %q", c.column, cell)
			}
		}
		for cell := range strings.FieldsSeq(c.bad) {
			if c.column.OK([]byte(cell)) {
				t.Errorf("type %d allows %q", c.column, cell)
			}
		}
	}
}

func TestCodesOfInvalidCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column gtfs.ColumnType
		cell   string
		want   gtfs.Code
	}{
		{gtfs.Latitude, "91", "number_out_of_range"}, {gtfs.Latitude, "47,1", "invalid_float"},
		{gtfs.Distance, "-1", "number_out_of_range"}, {gtfs.Distance, "far", "invalid_float"},
		{gtfs.Positive, "0", "number_out_of_range"}, {gtfs.Integer, "-3", "number_out_of_range"},
		{gtfs.Integer, "1.5", "invalid_integer"},
		{gtfs.Binary, "2", "unexpected_enum_value"},
		{gtfs.Enum, "-999", "unexpected_enum_value"}, {gtfs.Enum, "bus", "invalid_integer"},
		{gtfs.Time, "7:10", "invalid_time"}, {gtfs.Email, "a", "invalid_email"},
	} {
		if got := c.column.Code([]byte(c.cell)); got != c.want || c.column.OK([]byte(c.cell)) {
			t.Errorf("type %d, %q: %s, want %s", c.column, c.cell, got, c.want)
		}
	}
}
