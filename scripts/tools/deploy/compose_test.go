package deploy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	compose "github.com/compose-spec/compose-go/v2/types"
)

func project(t *testing.T, env map[string]string) (*compose.Project, error) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(repository, "deploy"))
	if err != nil {
		t.Fatal(err)
	}
	return loader.LoadWithContext(t.Context(), compose.ConfigDetails{
		WorkingDir: dir, Environment: env,
		ConfigFiles: []compose.ConfigFile{{Filename: filepath.Join(dir, "compose.yaml")}},
	})
}

// compose.yaml is valid by the Compose specification, and follows the same rules as the pods.
func TestCompose(t *testing.T) {
	if _, err := project(t, nil); err == nil || !strings.Contains(err.Error(), "PASSWORD") {
		t.Errorf("without passwords: %v, want an error that names them", err)
	}
	env := map[string]string{}
	for _, name := range []string{"TOWNLINE", "COUNCIL_API", "COUNCIL_INGEST", "COUNCIL_CLERK", "TRANSIT_API",
		"GTFS_IMPORT", "RT_POLLER", "TRANSIT_OPERATOR", "NATS"} {
		env[name+"_PASSWORD"] = "secret"
	}
	p, err := project(t, env)
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[string][]string{} // arguments of the migration Jobs, by half
	pods := map[string]*object{}
	for _, o := range parse(t, render(t, "full")) {
		switch o.Kind {
		case "Job":
			half, _, _ := strings.Cut(o.Metadata.Name, "-migrate-v")
			jobs[half] = o.Spec.Template.Spec.Containers[0].Args
		case "Deployment":
			pods[o.Metadata.Name] = o
		}
	}
	for _, s := range p.DisabledServices {
		if s.Name != "planner" || !slices.Equal(s.Profiles, []string{"planner"}) {
			t.Errorf("%s runs only with the profiles %v", s.Name, s.Profiles)
		}
		p.Services[s.Name] = s
	}
	for name, s := range p.Services {
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is open to the network", name, port.Published)
			}
		}
		if s.MemLimit == 0 || s.Privileged {
			t.Errorf("%s: no memory limit, or privileged", name)
		}
		if !strings.HasPrefix(s.Image, "townline/") {
			continue
		}
		program, _, _ := strings.Cut(strings.TrimPrefix(s.Image, "townline/"), ":")
		if got := s.Build.Args["SERVICE"]; got == nil || *got != program {
			t.Errorf("%s: builds %v for image %s", name, got, s.Image)
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") ||
			s.User != "" {
			t.Errorf("%s: its security settings are not restricted", name)
		}
		for setting := range s.Environment {
			if !known(program, setting) {
				t.Errorf("%s: %s has no setting %s", name, program, setting)
			}
		}
		if half, ok := strings.CutSuffix(name, "-migrate"); ok {
			if !slices.Equal(s.Command, jobs[half]) {
				t.Errorf("%s: command is %v, but in the Job %v", name, s.Command, jobs[half])
			}
			continue
		}
		half := "transit"
		if strings.HasPrefix(name, "council") {
			half = "council"
		}
		if d := s.DependsOn[half+"-migrate"]; d.Condition != compose.ServiceConditionCompletedSuccessfully ||
			len(s.DependsOn) != 2 {
			t.Errorf("%s: depends on %v", name, s.DependsOn)
		}
		if pods[name] == nil {
			t.Errorf("%s is only in compose.yaml", name)
			continue
		}
		limit, _ := quantity(pods[name].Spec.Template.Spec.Containers[0].Resources.Limits["memory"])
		if int64(s.MemLimit) != limit {
			t.Errorf("%s: memory %d, but %d in Kubernetes", name, s.MemLimit, limit)
		}
		delete(pods, name)
	}
	for name := range pods {
		t.Errorf("%s is not in compose.yaml", name)
	}
}
