package gtfs

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OpenZip opens a zip of size bytes. It never uses the names of entries as paths.
func OpenZip(r io.ReaderAt, size int64, opts Options) (*Feed, error) {
	opts.Limits = opts.Limits.orDefault()
	z, err := listZip(r, size, opts.Limits)
	if err != nil {
		return nil, err
	}
	if opts.Inflate == nil {
		opts.Inflate = flate.NewReader
	}
	z.RegisterDecompressor(zip.Deflate, opts.Inflate)
	var all []found
	var total int64
	for _, e := range z.File {
		if e.FileInfo().IsDir() && e.UncompressedSize64 == 0 {
			continue
		}
		dir, name, ok := opts.place(e.Name)
		if !ok {
			continue
		}
		f := File{Name: name, Bytes: int64(min(e.UncompressedSize64, 1<<62)), entry: e}
		total += f.Bytes
		ratio := f.Bytes / max(packedBytes(e), 1)
		switch {
		case f.Bytes > opts.Limits.FileBytes || total > opts.Limits.TotalBytes:
			return nil, unreadable("%s expands to %d bytes, beyond the limit", name, f.Bytes)
		case f.Bytes > 1<<20 && ratio > opts.Limits.Ratio:
			return nil, unreadable("%s expands to %d times its size, beyond the limit", name, ratio)
		}
		all = append(all, found{dir, f})
	}
	return newFeed(all, opts)
}

// listZip reads the list of entries of a zip.
func listZip(r io.ReaderAt, size int64, limits Limits) (*zip.Reader, error) {
	// The limit leaves room for long names, and for the search for the end of the list.
	list := &listReader{r, int64(limits.Entries)<<10 + 1<<20, false}
	z, err := zip.NewReader(list, size)
	list.read = true
	// If a name is insecure, NewReader returns both an error and a usable reader.
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, unreadable("open zip: %w", err)
	}
	if len(z.File) > limits.Entries {
		return nil, unreadable("the zip has %d entries, more than %d", len(z.File), limits.Entries)
	}
	return z, nil
}

// listReader bounds how much of a zip's list of entries is read. archive/zip reads the whole list
// into memory before the caller can count the entries.
type listReader struct {
	io.ReaderAt
	left int64
	read bool
}

func (l *listReader) ReadAt(p []byte, off int64) (int, error) {
	if !l.read {
		l.left -= int64(len(p))
		if l.left < 0 {
			return 0, errors.New("the list of entries is too long")
		}
	}
	return l.ReaderAt.ReadAt(p, off)
}

const maxName = 255

// place splits the name of an entry into folder and file name. If the entry cannot belong to a
// feed, place reports a finding and returns false.
func (o Options) place(entry string) (dir, name string, ok bool) {
	dir, name, inside := split(entry)
	var code Code
	switch {
	case !inside:
		code = "file_outside_feed"
	case isHidden(dir, name):
		code = "hidden_file"
	case len(name) > maxName || strings.ContainsFunc(name, isInvisible):
		code = "unusable_file_name"
	default:
		if !utf8.ValidString(entry) {
			o.report(Finding{Code: "unreadable_file_name", File: shorten(name)})
		}
		return dir, name, true
	}
	o.report(Finding{Code: code, File: shorten(entry)})
	return "", "", false
}

// isInvisible includes characters that change the direction of text.
func isInvisible(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }

// split splits the name of an entry. ok is false if the path leads out of the archive's folder.
func split(name string) (dir, base string, ok bool) {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") || strings.Contains(name, ":") || slices.Contains(strings.Split(name, "/"), "..") {
		return "", "", false
	}
	dir, base = path.Split(path.Clean(name))
	return strings.TrimSuffix(dir, "/"), strings.ToLower(base), true // replaces each invalid byte by U+FFFD
}

func isHidden(dir, name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains(strings.Split(dir, "/"), "__MACOSX")
}

// capped returns an error if an entry expands beyond the size in its header.
type capped struct {
	io.ReadCloser
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.left -= int64(n)
	if c.left < 0 {
		return 0, errors.New("the entry is longer than it states")
	}
	return n, err
}
