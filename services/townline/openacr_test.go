package townline_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The accessibility conformance report has every criterion of WCAG 2.2 A and AA with its reason, and
// claims no more than tests can show: nobody has evaluated the pages, so nothing is "supports".
func TestConformanceReportIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repository, "deploy/docs/openacr.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Catalog  string
		Author   struct{ Email string }
		Vendor   struct{ Email string }
		Chapters map[string]struct {
			Criteria []struct {
				Num        string
				Components []struct {
					Name      string
					Adherence struct{ Level, Notes string }
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &report); err != nil || report.Catalog != "2.5-edition-wcag-2.2-en" {
		t.Fatalf("%v: catalog %q", err, report.Catalog)
	}
	// "not-evaluated" is for level AAA only: https://github.com/GSA/openacr, catalog/data/terms.yaml.
	levels := map[string]bool{"partially-supports": true, "not-applicable": true, "does-not-support": true}
	for _, who := range []string{report.Author.Email, report.Vendor.Email} {
		if who == "" { // the schema requires both
			t.Error("author or vendor has no email")
		}
	}
	for chapter, want := range map[string]int{"success_criteria_level_a": 31, "success_criteria_level_aa": 24} {
		seen := map[string]bool{}
		for _, c := range report.Chapters[chapter].Criteria {
			seen[c.Num] = true
			if len(c.Components) != 1 || !levels[c.Components[0].Adherence.Level] || c.Components[0].Adherence.Notes == "" {
				t.Errorf("%s: %+v", c.Num, c.Components)
			}
		}
		if len(seen) != want {
			t.Errorf("%s has %d criteria, want %d", chapter, len(seen), want)
		}
	}
}
