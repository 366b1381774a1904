package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
)

// An asset is a file that browsers load. Its address names its content, so that it never changes.
type asset struct {
	address string // below the root: /assets/site.0a1b2c3d4e.css
	hash    string
	media   string
	body    func() ([]byte, error)
}

// mediaTypes are the content types of files by their ending.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json", ".txt": "text/plain; charset=utf-8", ".woff2": "font/woff2",
}

// addAssets reads the files of a part: those of assets and of style, and the digests of those of vendored, which are large and are
// read when somebody asks for them.
func (s *Site) addAssets(files fs.FS) error {
	var errs []error
	for _, dir := range []string{"assets", "style", "vendored"} {
		entries, err := fs.ReadDir(files, dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("list %s: %w", dir, err))
		}
		listed, err := fs.ReadFile(files, dir+"/"+digestList)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("digests: %w", err))
		}
		digests := readDigests(listed)
		for _, entry := range entries {
			name := entry.Name()
			if entry.IsDir() || name == digestList {
				continue
			}
			media, known := mediaTypes[path.Ext(name)]
			if _, twice := s.files[name]; !known || twice {
				errs = append(errs, fmt.Errorf("file %s/%s: its name is taken, or its ending is unknown", dir, name))
				continue
			}
			read := func() ([]byte, error) { return fs.ReadFile(files, dir+"/"+name) }
			if digest := digests[name]; digest != "" {
				s.files[name] = named(name, media, digest, read)
				continue
			}
			body, err := read()
			if err != nil {
				errs = append(errs, fmt.Errorf("file %s/%s: %w", dir, name, err))
				continue
			}
			s.files[name] = newAsset(name, media, body)
		}
	}
	return errors.Join(errs...)
}

func newAsset(name, media string, body []byte) *asset {
	sum := sha256.Sum256(body)
	return named(name, media, hex.EncodeToString(sum[:]), func() ([]byte, error) { return body, nil })
}

// named gives a file the address that follows from its SHA-256.
func named(name, media, digest string, body func() ([]byte, error)) *asset {
	hash, ext := digest[:10], path.Ext(name)
	return &asset{address: "/assets/" + strings.TrimSuffix(name, ext) + "." + hash + ext, hash: hash, media: media, body: body}
}

// file is an asset as an answer.
func (f *asset) file() (rest.File, error) {
	body, err := f.body()
	return rest.File{Body: body, Media: f.media, Tag: f.hash}, err
}

// digestList is the file of vendored that has the SHA-256 of the others, as sha256sum writes it.
const digestList = "SHA256SUMS"

// readDigests reads such a list by the names of its files. A test holds it against the files.
func readDigests(text []byte) map[string]string {
	digests := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if digest, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && len(digest) == hex.EncodedLen(sha256.Size) {
			digests[name] = digest
		}
	}
	return digests
}

type assetParams struct {
	File string `path:"file" doc:"Name, hash and ending of a file."`
}

// other is how long a file is kept that was asked for under the hash of another version of the program.
const other = time.Minute

// assetEndpoint answers the files. A page of another version of the program, which a cache may hold or another replica made, gets
// the file of this one: a page without its style is worse than one with a newer style.
func (s *Site) assetEndpoint() rest.Endpoint {
	source := rest.Source[assetParams, *asset]{Now: func(_ context.Context, _ *rest.Call, p assetParams) (*asset, rest.Generation, error) {
		f, hash := s.find(p.File)
		switch {
		case f == nil:
			return nil, rest.Generation{}, rest.NotFound("there is no such file")
		case hash != f.hash:
			return f, rest.Generation{N: 1, Until: time.Now().Add(other)}, nil
		}
		return f, rest.Generation{N: 1}, nil
	}}
	return rest.BytesFrom(rest.Spec{ID: "site.asset", Path: "/assets/{file}", Summary: "A file that pages use", Kind: rest.Immutable}, "text/css", source,
		func(_ context.Context, _ *rest.Call, _ assetParams, f *asset) (rest.File, error) { return f.file() })
}

// find finds the file of an address, and the hash that the address names.
func (s *Site) find(address string) (*asset, string) {
	ext := path.Ext(address)
	stem := strings.TrimSuffix(address, ext)
	hash := strings.TrimPrefix(path.Ext(stem), ".")
	return s.files[strings.TrimSuffix(stem, "."+hash)+ext], hash
}

// File is an endpoint with one file at a fixed path below the root, such as a service worker, whose address may not change.
func (s *Site) File(id, at, name string) rest.Endpoint {
	f := s.files[name]
	return rest.BytesFrom(rest.Spec{ID: id, Path: at, Summary: "The file " + name}, "text/javascript", rest.Fixed[rest.None](other),
		func(context.Context, *rest.Call, rest.None, rest.None) (rest.File, error) {
			if f == nil {
				return rest.File{}, fmt.Errorf("there is no file %s", name)
			}
			return f.file()
		})
}
