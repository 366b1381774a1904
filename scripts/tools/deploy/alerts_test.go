package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// A ruleFile is the spec of a PrometheusRule, which Prometheus reads.
type ruleFile struct {
	Groups []struct {
		Name  string           `json:"name"`
		Rules []map[string]any `json:"rules"`
	} `json:"groups"`
}

// Each alert fires in its case, and does not fire in a similar case. The cases are in alerts/, for
// promtool.
func TestAlerts(t *testing.T) {
	files, err := filepath.Glob("alerts/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	dir := t.TempDir()
	for _, file := range files {
		name := filepath.Base(file)
		text, err := os.ReadFile(filepath.Join(repository, "deploy/monitoring", name))
		if err != nil {
			t.Fatal(err)
		}
		var resource struct {
			Spec ruleFile `json:"spec"`
		}
		if err := yaml.Unmarshal(text, &resource); err != nil {
			t.Fatal(err)
		}
		cases, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range resource.Spec.Groups {
			for _, r := range g.Rules {
				delete(r, "annotations") // drop the texts: the cases test only the timing
				for _, kind := range []string{"fires", "is calm"} {
					if alert, _ := r["alert"].(string); !strings.Contains(string(cases), "- name: "+alert+" "+kind+"\n") {
						t.Errorf("%s has no case in which %s %s", file, alert, kind)
					}
				}
			}
		}
		rules, err := yaml.Marshal(resource.Spec)
		if err != nil {
			t.Fatal(err)
		}
		for path, text := range map[string][]byte{name: rules, "test-" + name: cases} {
			if err := os.WriteFile(filepath.Join(dir, path), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is missing, so no alert was tested: apt-get install prometheus")
	}
	found, err := filepath.Glob(filepath.Join(dir, "test-*"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), promtool, slices.Concat([]string{"test", "rules"}, found)...).
		CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
