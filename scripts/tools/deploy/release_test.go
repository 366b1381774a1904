package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeImages stands for deploy-image.sh, which needs buildah.
const fakeImages = `#!/bin/sh
mkdir -p .cache/images && cd .cache/images
for s in council-api transit-api; do
	echo "$s of $VERSION" >$s.tar; echo sha256:$s >$s.tar.digest; echo '{"bomFormat":"CycloneDX"}' >$s.cdx.json
done
`

const changelog = `# Changelog

## Unreleased

- Later.

## 1.2.3

- Reads more.

## 1.2.30

- Other.
`

// release.sh makes the files of an annotated tag that is checked out, with notes and checksums.
func TestRelease(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile(filepath.Join(repository, "scripts/release.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"scripts/release.sh": string(script), "scripts/deploy-image.sh": fakeImages,
		".github/CHANGELOG.md": changelog, ".gitignore": "/.cache/\n"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := func(command string, args ...string) (string, error) {
		t.Helper()
		c := exec.CommandContext(t.Context(), command, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@a.example",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@a.example")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := run("git", args...); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	refused := func(want string, args ...string) {
		t.Helper()
		if out, err := run("scripts/release.sh", args...); err == nil || !strings.Contains(out, want) {
			t.Errorf("%q: %v: %s, want %s", args, err, out, want)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "all")
	refused("usage", "1.2.3")
	refused("no annotated tag", "v1.2.3")
	git("tag", "v1.2.3")
	refused("no annotated tag", "v1.2.3") // a tag without an author and a date
	git("tag", "-d", "v1.2.3")
	git("tag", "-a", "-m", "release", "v1.2.3")
	git("tag", "-a", "-m", "release", "v2.0.0")
	refused("no section ## 2.0.0", "v2.0.0")
	if err := os.WriteFile(filepath.Join(dir, "more"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("commit or remove", "v1.2.3")
	git("add", ".")
	git("commit", "-q", "-m", "more")
	refused("check out the tag", "v1.2.3")
	git("checkout", "-q", "v1.2.3")
	if out, err := run("scripts/release.sh", "v1.2.3"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, want := range map[string]string{
		"notes.md":                             "## 1.2.3\n\n- Reads more.\n\n",
		"digests.txt":                          "council-api sha256:council-api\ntransit-api sha256:transit-api\n",
		"townline-transit-api-v1.2.3.oci.tar":  "transit-api of v1.2.3\n",
		"townline-council-api-v1.2.3.cdx.json": "{\"bomFormat\":\"CycloneDX\"}\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, ".cache/release/v1.2.3", name)); err != nil || string(got) != want {
			t.Errorf("%s: %q %v, want %q", name, got, err, want)
		}
	}
	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "SHA256SUMS")
	check.Dir = filepath.Join(dir, ".cache/release/v1.2.3")
	if out, err := check.CombinedOutput(); err != nil || bytes.Count(out, []byte(": OK")) != 6 {
		t.Errorf("%v: %s", err, out)
	}
}
