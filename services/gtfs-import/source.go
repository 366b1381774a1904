package gtfsimport

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/flate"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/pkg/gtfs"
)

const fetchTimeout = 10 * time.Minute

type archive struct {
	file               *os.File
	bytes              int64
	sha256             [sha256.Size]byte
	etag, lastModified string // for the next conditional GET
	// problem is why the zip in the zip cannot be read; nil if there is none.
	problem error
}

func (a *archive) Close() { _ = a.file.Close() }

func isURL(source string) bool {
	return strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://")
}

// withoutCredentials returns a source for reports and logs; a URL keeps only scheme, host and path.
func withoutCredentials(source string) string {
	if !isURL(source) {
		return source
	}
	u, err := url.Parse(source)
	if err != nil {
		return "the configured URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// fetchArchive fetches a zip. It returns nil if the source answers 304.
func fetchArchive(ctx context.Context, log *slog.Logger, req Request, etag, lastModified string) (*archive, error) {
	client := fetch.New(fetch.Config{UserAgent: req.UserAgent, AllowPrivate: req.AllowPrivate})
	defer client.CloseIdle()
	header := http.Header{}
	for k, v := range req.Headers {
		header.Set(k, v)
	}
	var a *archive
	meta, err := client.Copy(ctx, fetch.Request{
		URL: req.Source, Header: header, ETag: etag, LastModified: lastModified,
		MaxBytes: MaxZipBytes, Timeout: fetchTimeout, Tries: 3,
		Waiting: func(cause error, wait time.Duration) {
			log.Warn("cannot fetch the feed; trying again", "feed", req.Alias, "error", cause, "in", wait.Round(time.Second))
		},
	}, func() (io.Writer, error) {
		if a != nil {
			a.Close()
		}
		f, err := temporary()
		if err != nil {
			return nil, err
		}
		a = &archive{file: f}
		return f, nil
	})
	if err != nil || meta.NotModified {
		if a != nil {
			a.Close()
		}
		return nil, err
	}
	a.bytes = meta.Bytes
	a.sha256 = meta.SHA256
	a.etag = meta.ETag
	a.lastModified = meta.LastModified
	return a, nil
}

// unwrap replaces the zip by the zip in it that has the feed, if it has one. So the bytes that are
// compared and stored are those of the feed.
func (a *archive) unwrap(ctx context.Context, inner string) error {
	src, err := gtfs.OpenInner(a.file, a.bytes, inner)
	if src == nil || err != nil {
		a.problem = err
		return nil
	}
	defer func() { _ = src.Close() }()
	f, err := temporary()
	if err != nil {
		return err
	}
	in := archive{file: f, etag: a.etag, lastModified: a.lastModified}
	left := MaxZipBytes - a.bytes // both are on disk
	for err == nil && ctx.Err() == nil && in.bytes <= left {
		var n int64
		n, err = io.CopyN(f, src, chunk)
		in.bytes += n
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case in.bytes > left:
		err = fmt.Errorf("it is larger than %d bytes", left)
	case errors.Is(err, io.EOF):
		err = in.hash()
	}
	if err != nil {
		in.Close()
		a.problem = fmt.Errorf("%w: unpack the zip in the zip: %w", gtfs.ErrUnreadable, err)
		return ctx.Err()
	}
	a.Close()
	*a = in
	return nil
}

// temporary creates a file without a name, which is gone when it is closed.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "gtfs-*")
	if err == nil {
		if err = os.Remove(f.Name()); err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("create a temporary file: %w", err)
	}
	return f, nil
}

func openArchive(ctx context.Context, path string) (*archive, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open feed: %w: give the path of a zip or a folder, or an address that begins with https://",
			err)
	}
	if err != nil {
		return nil, fmt.Errorf("open feed: %w", err)
	}
	if info.IsDir() {
		return packFolder(ctx, path)
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for a writer
		return nil, fmt.Errorf("open feed: %s must be a file or a folder", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open feed: %w", err)
	}
	a := &archive{file: f}
	if err := a.hash(); err != nil {
		a.Close()
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return a, nil
}

func (a *archive) hash() error {
	h := sha256.New()
	n, err := io.CopyBuffer(h, struct{ io.Reader }{io.NewSectionReader(a.file, 0, MaxZipBytes+1)}, make([]byte, 256<<10))
	if err == nil && n > MaxZipBytes {
		err = fmt.Errorf("larger than %d bytes", int64(MaxZipBytes))
	}
	a.bytes = n
	h.Sum(a.sha256[:0])
	return err
}

// packFolder packs a folder into a zip. The same files give the same bytes.
func packFolder(ctx context.Context, path string) (*archive, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open feed: %w", err)
	}
	defer func() { _ = root.Close() }()
	f, err := temporary()
	if err != nil {
		return nil, err
	}
	a := &archive{file: f}
	w := zip.NewWriter(f)
	var left int64 = MaxZipBytes
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error { // in lexical order
		if err != nil || !d.Type().IsRegular() || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		src, err := root.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = src.Close() }()
		dst, err := w.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate})
		if err != nil {
			return err
		}
		n, err := io.Copy(dst, io.LimitReader(src, left))
		left -= n
		if err == nil && left <= 0 {
			err = errors.New("the folder is too large")
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = a.hash()
	}
	if err != nil {
		a.Close()
		return nil, fmt.Errorf("pack folder %s: %w", path, err)
	}
	return a, nil
}

const chunk = 1 << 20

// store stores the zip in pieces unless the feed already has it.
func (a *archive) store(ctx context.Context, conn *pgx.Conn, feedID int32) error {
	var exists bool
	err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM transit.feed_zip
		WHERE feed_id = $1 AND sha256 = $2)`, feedID, a.sha256[:]).Scan(&exists)
	if err != nil || exists {
		return err
	}
	r := io.NewSectionReader(a.file, 0, a.bytes)
	h := sha256.New()
	buf := make([]byte, chunk)
	n := int32(0)
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"transit", "feed_zip"}, []string{"feed_id", "sha256", "n", "data"},
		pgx.CopyFromFunc(func() ([]any, error) {
			size, err := io.ReadFull(r, buf)
			if size == 0 {
				return nil, nil
			}
			if err != nil && err != io.ErrUnexpectedEOF {
				return nil, err
			}
			h.Write(buf[:size])
			row := []any{feedID, a.sha256[:], n, buf[:size]}
			n++
			return row, nil
		}))
	if err == nil && [sha256.Size]byte(h.Sum(nil)) != a.sha256 {
		err = errors.New("the file changed while it was imported")
	}
	if err != nil {
		return fmt.Errorf("store the zip: %w", err)
	}
	return nil
}

// storedArchive writes a stored zip to a temporary file.
func storedArchive(ctx context.Context, db *pgxpool.Pool, feedID int32, sum []byte) (*archive, error) {
	f, err := temporary()
	if err != nil {
		return nil, err
	}
	a := &archive{file: f}
	rows, err := db.Query(ctx, `SELECT data FROM transit.feed_zip WHERE feed_id = $1 AND sha256 = $2
		ORDER BY n`, feedID, sum)
	if err == nil {
		var data []byte
		_, err = pgx.ForEachRow(rows, []any{&data}, func() error {
			n, err := f.Write(data)
			a.bytes += int64(n)
			return err
		})
	}
	if err == nil && a.bytes == 0 {
		err = errors.New("it is not stored")
	}
	if err == nil {
		err = a.hash()
	}
	if err == nil && string(a.sha256[:]) != string(sum) {
		err = errors.New("it is damaged")
	}
	if err != nil {
		a.Close()
		return nil, fmt.Errorf("read the stored zip %s: %w", hex.EncodeToString(sum[:min(len(sum), 6)]), err)
	}
	return a, nil
}

func (im *importer) openZip(zip *archive) (*gtfs.Feed, error) {
	if zip.problem != nil {
		return nil, zip.problem
	}
	return gtfs.OpenZip(zip.file, zip.bytes, gtfs.Options{
		Encoding: im.Encoding, Inner: im.Inner, Note: im.log.Add,
		Inflate: func(r io.Reader) io.ReadCloser { return flate.NewReader(r) },
	})
}
