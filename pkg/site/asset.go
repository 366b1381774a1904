package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
)

// An asset is a file for browsers. Its address contains its hash, so it never changes.
type asset struct {
	address string // below the root, such as /assets/site.0a1b2c3d4e.css
	hash    string
	media   string
	body    func() ([]byte, error)
}

var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json", ".txt": "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

// digestList is the file in vendored with the SHA-256 of the other files, in the format of
// sha256sum. A test checks the digests.
const digestList = "SHA256SUMS"

func (s *Site) addAssets(files fs.FS) error {
	var errs []error
	for _, pattern := range []string{"assets/*", "style/*", "vendored/*"} {
		names, err := fs.Glob(files, pattern)
		errs = append(errs, err)
		for _, name := range names {
			if path.Base(name) != digestList {
				errs = append(errs, s.addAsset(files, name))
			}
		}
	}
	return errors.Join(errs...)
}

// addAsset hashes a file. It does not keep a large file in memory; requests read that again.
func (s *Site) addAsset(files fs.FS, from string) error {
	name := path.Base(from)
	media, known := mediaTypes[path.Ext(name)]
	if _, twice := s.files[name]; !known || twice {
		return fmt.Errorf("file %s: duplicate name or unknown extension", from)
	}
	f, err := files.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("read file %s: %w", from, err)
	}
	s.files[name] = newAsset(name, media, sum.Sum(nil), func() ([]byte, error) {
		body, err := fs.ReadFile(files, from)
		if path.Ext(name) == ".css" {
			body = cssComment.ReplaceAll(body, nil)
		}
		return body, err
	})
	return nil
}

// cssComment matches a comment of a style sheet. Comments are a tenth of what browsers would load.
var cssComment = regexp.MustCompile(`(?s)/\*.*?\*/\s*`)

func newAsset(name, media string, sum []byte, body func() ([]byte, error)) *asset {
	hash, ext := hex.EncodeToString(sum)[:10], path.Ext(name)
	return &asset{address: "/assets/" + strings.TrimSuffix(name, ext) + "." + hash + ext, hash: hash, media: media,
		body: body}
}

func (f *asset) file() (rest.File, error) {
	body, err := f.body()
	return rest.File{Body: body, Media: f.media, Tag: f.hash}, err
}

type assetParams struct {
	File string `path:"file" doc:"Name, hash and ending of a file."`
}

// otherVersionAge is the time that clients keep a file that they requested with the hash of another
// version of the program.
const otherVersionAge = time.Minute

// assetEndpoint serves the files. To a page of another version, from a cache or another replica, it
// serves this version's file, because a newer style is better than none.
func (s *Site) assetEndpoint() rest.Endpoint {
	source := rest.Source[assetParams, *asset]{Now: func(_ context.Context, _ *rest.Call,
		p assetParams) (*asset, rest.Generation, error) {
		f, hash := s.find(p.File)
		switch {
		case f == nil:
			return nil, rest.Generation{}, rest.NotFound("there is no such file")
		case hash != f.hash:
			return f, rest.Generation{N: 1, Until: time.Now().Add(otherVersionAge)}, nil
		}
		return f, rest.Generation{N: 1}, nil
	}}
	return rest.From(rest.Spec{ID: "site.asset", Path: "/assets/{file}", Summary: "A file that pages use",
		Kind: rest.Immutable, Media: "text/css"}, source,
		func(_ context.Context, _ *rest.Call, _ assetParams, f *asset) (rest.File, error) { return f.file() })
}

func (s *Site) find(address string) (*asset, string) {
	ext := path.Ext(address)
	stem := strings.TrimSuffix(address, ext)
	hash := strings.TrimPrefix(path.Ext(stem), ".")
	return s.files[strings.TrimSuffix(stem, "."+hash)+ext], hash
}

// File serves a file at a fixed path below the root, such as a service worker.
func (s *Site) File(id, at, name string) rest.Endpoint {
	f := s.files[name]
	return rest.From(rest.Spec{ID: id, Path: at, Summary: "The file " + name, Media: "text/javascript"},
		rest.Fixed[rest.None](otherVersionAge),
		func(context.Context, *rest.Call, rest.None, rest.None) (rest.File, error) {
			if f == nil {
				return rest.File{}, fmt.Errorf("there is no file %s", name)
			}
			return f.file()
		})
}
