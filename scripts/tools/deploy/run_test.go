package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deploy-run.sh runs the overlay's townline image, with its own digest, not a service's.
func TestRun(t *testing.T) {
	dir := pinnable(t)
	if out, err := pin(t, dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// This kubectl answers the script's queries from the applied objects.
	cluster := t.TempDir()
	answer := func(name, text string) {
		if err := os.WriteFile(filepath.Join(cluster, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range parse(t, renderFolder(t, filepath.Join(dir, "deploy/kubernetes/overlays/full"))) {
		if o.pod() != nil {
			answer(strings.ToLower(o.Kind)+" "+o.Metadata.Name, o.pod().Spec.Containers[0].Image)
		}
	}
	const kubectl = `#!/bin/sh
case "$1 $7" in
"get jsonpath={"*'containers[0].image'*) cat "$CLUSTER/$4 $5" ;;
"get jsonpath={.status.phase}") echo >> "$CLUSTER/asked"; [ "$(wc -l < "$CLUSTER/asked")" -lt 2 ] || echo Failed ;;
"get jsonpath={.status"*) echo 3 ;;
get*) echo council-config ;;
run*) printf '%s\n' "$@" ;;
logs*) echo 'the output' ;;
delete*) echo "deleted $3" >> "$CLUSTER/asked" ;;
esac
`
	if err := os.WriteFile(filepath.Join(cluster, "kubectl"), []byte(kubectl), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"council-ingest", "council-clerk", "gtfs-import", "transit-operator"} {
		run := exec.CommandContext(t.Context(), filepath.Join(repository, "scripts/deploy-run.sh"), role, "doctor")
		run.Env = append(os.Environ(), "PATH="+cluster+":"+os.Getenv("PATH"), "CLUSTER="+cluster, "IMAGE=", "NAMESPACE=")
		var said strings.Builder
		run.Stderr = &said
		out, err := run.Output()
		if want := "--image\nregistry.example/townline/townline@" + digestOf("townline") +
			"\n"; !strings.Contains(said.String(), want) {
			t.Errorf("%s: no %s in %s", role, want, &said)
		}
		// The script prints the whole log of the pod, exits with its status, and deletes the pod.
		asked, _ := os.ReadFile(filepath.Join(cluster, "asked"))
		if string(out) != "the output\n" || run.ProcessState.ExitCode() != 3 ||
			!strings.Contains(string(asked), "deleted townline-") {
			t.Errorf("%s: %v with %q, %s", role, err, out, asked)
		}
		if err := os.Remove(filepath.Join(cluster, "asked")); err != nil {
			t.Fatal(err)
		}
	}
}
