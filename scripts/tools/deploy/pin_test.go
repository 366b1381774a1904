package deploy

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// digestOf returns a digest for an image, different for each.
func digestOf(image string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(image))) }

// unbuilt returns a copy of the files of deploy-pin.sh, without images.
func unbuilt(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, folder := range []string{"scripts", "deploy/kubernetes", "deploy/monitoring"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(repository, folder))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pinnable returns such a copy with the digests of `make image`.
func pinnable(t *testing.T) (dir string) {
	t.Helper()
	dir = unbuilt(t)
	if err := os.MkdirAll(filepath.Join(dir, ".cache/images"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, image := range []string{"council-ingest", "council-api", "gtfs-import", "rt-poller", "transit-api",
		"townline"} {
		if err := os.WriteFile(filepath.Join(dir, ".cache/images", image+".tar.digest"), []byte(digestOf(image)),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func pin(t *testing.T, dir string) ([]byte, error) {
	t.Helper()
	return exec.CommandContext(t.Context(), filepath.Join(dir, "scripts/deploy-pin.sh"), "full",
		"registry.example/townline").CombinedOutput()
}

// deploy-pin.sh writes the digests of all our images into an overlay. It can run again, and reports
// missing files.
func TestPin(t *testing.T) {
	if out, err := pin(t, unbuilt(t)); err == nil || !bytes.Contains(out, []byte("make image")) {
		t.Errorf("without images: %v, %s", err, out)
	}
	dir := pinnable(t)
	for range 2 {
		if out, err := pin(t, dir); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, o := range parse(t, renderFolder(t, filepath.Join(dir, "deploy/kubernetes/overlays/full"))) {
		if o.pod() == nil {
			continue
		}
		for _, c := range o.pod().Spec.Containers {
			if program, ours := c.ours(); !ours || c.Image != "registry.example/townline/"+program+"@"+digestOf(program) {
				t.Errorf("%s: image %s", o, c.Image)
			}
		}
	}
}
