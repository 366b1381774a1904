package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deploy-pin.sh makes an overlay name every image of ours by its digest, again and again, and says what is missing.
func TestPin(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"scripts", "deploy/kubernetes"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(repository, folder))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "deploy/monitoring"), os.DirFS(filepath.Join(repository, "deploy/monitoring"))); err != nil {
		t.Fatal(err)
	}
	pin := func() ([]byte, error) {
		return exec.CommandContext(t.Context(), filepath.Join(dir, "scripts/deploy-pin.sh"), "full", "registry.example/townline").CombinedOutput()
	}
	if out, err := pin(); err == nil || !bytes.Contains(out, []byte("make image")) {
		t.Errorf("without images: %v, %s", err, out)
	}
	digest := "sha256:" + strings.Repeat("0a", 32)
	if err := os.MkdirAll(filepath.Join(dir, ".cache/images"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, image := range []string{"council-ingest", "council-api", "gtfs-import", "rt-poller", "transit-api", "townline"} {
		if err := os.WriteFile(filepath.Join(dir, ".cache/images", image+".tar.digest"), []byte(digest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if out, err := pin(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, o := range parse(t, renderFolder(t, filepath.Join(dir, "deploy/kubernetes/overlays/full"))) {
		if o.pod() == nil {
			continue
		}
		for _, c := range o.pod().Spec.Containers {
			if program, ours := c.ours(); !ours || c.Image != "registry.example/townline/"+program+"@"+digest {
				t.Errorf("%s: image %s", o, c.Image)
			}
		}
	}
}
