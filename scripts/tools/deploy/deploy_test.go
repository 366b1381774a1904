package deploy

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yannh/kubeconform/pkg/resource"
	"github.com/yannh/kubeconform/pkg/validator"
)

// Every overlay renders, its objects are valid, and no rule is broken.
func TestOverlays(t *testing.T) {
	for name, o := range overlays {
		t.Run(name, func(t *testing.T) {
			text := render(t, name)
			all := hold(t, text, o.local)
			for _, half := range o.halves {
				for _, want := range []string{"Deployment " + half + "-api", "Job " + half + "-migrate-v"} {
					if !strings.Contains(kinds(all), want) {
						t.Errorf("no %s", want)
					}
				}
			}
			for _, word := range o.without {
				if at := regexp.MustCompile(`(?im)^.*` + word + `.*$`).Find(text); at != nil {
					t.Errorf("an object has a word of the other half: %s", at)
				}
			}
		})
	}
}

// hold checks rendered objects against schemas and rules.
func hold(t *testing.T, text []byte, local bool) []*object {
	t.Helper()
	schemas, err := validator.New([]string{"schemas/{{.ResourceKind}}{{.KindSuffix}}.json"},
		validator.Opts{Strict: true, KubernetesVersion: "1.36.3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		if res := schemas.ValidateResource(resource.Resource{Bytes: doc}); res.Status != validator.Valid {
			t.Errorf("%v\n%s", res.Err, doc)
		}
	}
	all := parse(t, text)
	for _, fault := range check(t, all, local) {
		t.Error(fault)
	}
	return all
}

// Optional components, which no overlay uses, are also valid.
func TestOptionalComponents(t *testing.T) {
	here, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join(repository, "deploy/kubernetes"))
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(here, root)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("resources: [%[1]s/overlays/full]\ncomponents: [%[1]s/components/object-store, "+
		"%[1]s/components/tracing]\nnamespace: townline\n"+
		"labels: [{pairs: {app.kubernetes.io/part-of: townline}}]\n", rel)
	if err := os.WriteFile(filepath.Join(here, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all := hold(t, renderFolder(t, here), false)
	for _, o := range all {
		if o.Kind != "Deployment" {
			continue
		}
		if !strings.Contains(o.text, "OTEL_EXPORTER_OTLP_ENDPOINT") {
			t.Errorf("%s is not traced", o)
		}
		if stores := strings.Contains(o.text, "council-archive"); stores != strings.HasPrefix(o.Metadata.Name, "council-") {
			t.Errorf("%s has the object store: %v", o, stores)
		}
	}
}

// kinds lists the rendered objects, one per line.
func kinds(all []*object) string {
	var b strings.Builder
	for _, o := range all {
		b.WriteString(o.String() + "\n")
	}
	return b.String()
}

// Each of these changes breaks a rule.
func TestRulesSeeWhatIsBroken(t *testing.T) {
	full, local := string(render(t, "full")), string(render(t, "local"))
	for _, c := range []struct{ from, to, want string }{
		{"        topologyKey: kubernetes.io/hostname", "        topologyKey: topology.kubernetes.io/zone", "apart false"},
		{"        - pod-template-hash\n        maxSkew: 1\n", "        maxSkew: 1\n", "apart false"},
		{"tolerationSeconds: 30", "tolerationSeconds: 300", "for minutes"},
		{"            - -h\n            - 127.0.0.1\n", "", "asks the socket"},
		{"spec:\n  ports:\n  - name: postgres\n", "spec:\n  clusterIP: None\n  ports:\n  - name: postgres\n", "headless"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "runs as root"},
		{"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "not locked down"},
		{"            - ALL\n", "            - CHOWN\n", "not locked down"},
		{"automountServiceAccountToken: false\n      containers", "automountServiceAccountToken: true\n      containers",
			"token"},
		{"type: RuntimeDefault", "type: Unconfined", "seccomp"},
		{"enforce: restricted", "enforce: baseline", "restricted"},
		{"path: /healthz", "path: /readyz", "/healthz"},
		{"path: /readyz", "path: /healthz", "not ready by"},
		{"terminationGracePeriodSeconds: 60", "terminationGracePeriodSeconds: 30", "too short"},
		{"              seconds: 3\n", "              seconds: 0\n", "too short"},
		{"value: 450MiB", "value: 512MiB", "GOMEMLIMIT"},
		{"value: 450MiB", "value: 100MiB", "GOMEMLIMIT"},
		{"value: 640MiB", "value: 800MiB", "reads a PDF"},
		{"            memory: 512Mi\n          requests", "            cpu: 1\n          requests", "memory limit"},
		{"name: default-deny", "name: default-allow", "nothing denies"},
		{"        reach.townline/postgres: \"yes\"\n        serves",
			"        reach.townline/internet: \"yes\"\n        reach.townline/postgres: \"yes\"\n        serves",
			"reaches the internet: true"},
		{"council-migrate-v", "council-migrate-v9", "another version"},
		{"concurrencyPolicy: Forbid", "concurrencyPolicy: Allow", "lacks Forbid"},
		{"  maxUnavailable: 1\n", "  maxUnavailable: 0\n", "budget false"},
		{"key: url\n              name: council-api-database", "key: url\n              name: council-ingest-database",
			"connects as council-ingest-database"},
		{"townline-db-reads:5432,", "", "leads to"},
		{"sessionAffinity: ClientIP", "sessionAffinity: None", "different replicas"},
		{"name: COUNCIL_ADDR", "name: COUNCIL_ADRESS", "knows no setting"},
		{"/council-api:0.1.0", "/council-api:latest", "any image"},
		{"        - name: GOMEMLIMIT\n", "        - name: API_TOKEN\n          value: abc\n        - name: GOMEMLIMIT\n",
			"written down"},
		{"serviceAccountName: rt-poller", "serviceAccountName: default", "no account"},
		{"kind: PodDisruptionBudget\n", "kind: Secret\n", "with its value"},
	} {
		text := full
		if !strings.Contains(full, c.from) {
			text = local
		}
		broken := strings.Replace(text, c.from, c.to, 1)
		if broken == text {
			t.Errorf("the text to change is missing: %q", c.from)
			continue
		}
		if found := strings.Join(check(t, parse(t, []byte(broken)), text == local), "\n"); !strings.Contains(found, c.want) {
			t.Errorf("%q → %q: want a fault with %q, got:\n%s", c.from, c.to, c.want, found)
		}
	}
}

// A strict schema rejects fields that kubectl accepts and the server ignores.
func TestSchemasAreStrict(t *testing.T) {
	schemas, err := validator.New([]string{"schemas/{{.ResourceKind}}{{.KindSuffix}}.json"}, validator.Opts{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{
		"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {maxUnavailabel: 1}",
		"apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: a}\nspec: {instances: 3, storage: {size: 1Gi}, " +
			"instnaces: 3}",
		"apiVersion: v1\nkind: Service\nmetadata: {name: a, lables: {}}",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}",
	} {
		if res := schemas.ValidateResource(resource.Resource{Bytes: []byte(doc)}); res.Status == validator.Valid {
			t.Errorf("an invalid object is accepted:\n%s", doc)
		}
	}
}

// No file below deploy/ has a text that looks like a secret.
func TestNoSecretsAreWritten(t *testing.T) {
	pattern := regexp.MustCompile(`://[^\s:/@]+:[^\s{$@"]+@|(?i)(password|token|api_?key):\s+["']?[a-z0-9+/]{12,}`)
	err := filepath.WalkDir(filepath.Join(repository, "deploy"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(file) == ".env" {
			return err
		}
		text, err := os.ReadFile(file)
		if at := pattern.Find(text); at != nil {
			t.Errorf("%s: %s", file, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every rule file and every dashboard is in the rendered objects.
func TestMonitoringIsWhole(t *testing.T) {
	text := string(render(t, "full"))
	files, err := filepath.Glob(filepath.Join(repository, "deploy/monitoring/*"))
	if err != nil || len(files) < 6 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		want := "\n  " + name + ": |" // a dashboard is a key of a ConfigMap
		if half, ok := strings.CutSuffix(name, ".yaml"); ok {
			want = "\n  - name: townline-" + half // a group of rules
			if half == "townline" {
				want = "\n  - name: townline\n"
			}
			if half == "kustomization" {
				continue
			}
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the rendered objects: no %q", name, want)
		}
	}
}
