package gtfs

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Options configure how a feed is opened and read.
type Options struct {
	// Encoding is the encoding of cells that are not UTF-8, by its WHATWG name (windows-1250,
	// shift_jis, …). The default is windows-1252.
	Encoding string
	Limits   Limits
	// Inner is the folder with the feed, if the zip has several feeds.
	Inner string
	// Note is called for each problem, from several goroutines. It may be nil.
	Note func(Finding)
	// Inflate decompresses deflate streams. The default is compress/flate.
	Inflate func(io.Reader) io.ReadCloser
}

// A Feed is an open zip with the files of one feed.
type Feed struct {
	files []File
	opts  Options
}

type File struct {
	// Name is the lower-case name without folder, such as stops.txt.
	Name  string
	Bytes int64

	entry *zip.File
}

// Packed is the location of a compressed file in a zip.
type Packed struct {
	Offset, Bytes int64
	Method        uint16 // compression method, by its number in zip
	CRC32         uint32
}

const encrypted = 1

// Packed returns the location of the file. It returns false if the file is encrypted.
func (f File) Packed() (Packed, bool) {
	e := f.entry
	if e == nil || e.Flags&encrypted != 0 {
		return Packed{}, false
	}
	at, err := e.DataOffset()
	return Packed{at, packedBytes(e), e.Method, e.CRC32}, err == nil
}

func packedBytes(e *zip.File) int64 { return int64(min(e.CompressedSize64, 1<<62)) }

func (f File) open() (io.ReadCloser, error) {
	if f.entry.Flags&encrypted != 0 {
		return nil, errors.New("it is encrypted")
	}
	rc, err := f.entry.Open()
	if err != nil {
		return nil, err
	}
	return &capped{rc, f.Bytes}, nil
}

// core lists the files that every feed has.
var core = [...]string{"stops.txt", "routes.txt", "trips.txt", "stop_times.txt"}

type found struct {
	dir  string
	file File
}

// newFeed selects the folder of the feed: the folder with all core files, or else the one with most
// GTFS files. The root takes precedence.
func newFeed(all []found, opts Options) (*Feed, error) {
	type score struct{ core, known int }
	scores := map[string]score{}
	for _, f := range all {
		s := scores[f.dir]
		if slices.Contains(core[:], f.file.Name) {
			s.core++
		}
		if _, ok := TableOf(f.file.Name); ok {
			s.known++
		}
		scores[f.dir] = s
	}
	var complete []string
	best := ""
	for dir, s := range scores {
		if s.core == len(core) {
			complete = append(complete, dir)
		}
		b := scores[best]
		if s.known > b.known || s.known == b.known && best != "" && (dir == "" || dir < best) {
			best = dir
		}
	}
	slices.Sort(complete)
	switch {
	case slices.Contains(complete, opts.Inner):
		best = opts.Inner
	case len(complete) > 1 && complete[0] != "":
		return nil, unreadable("it contains several feeds, in the folders %s: choose one with --inner NAME, or with inner "+
			"in transit.yaml", join(complete))
	case len(complete) > 0:
		best = complete[0]
	}
	if best != "" && scores[best].known > 0 {
		opts.report(Finding{Code: "invalid_input_files_in_subfolder", Effect: Noted, File: shorten(best) + "/"})
	}
	feed := &Feed{opts: opts}
	for _, f := range all {
		_, known := TableOf(f.file.Name)
		switch {
		case f.dir != best:
			code := Code("file_beside_feed")
			if known {
				code = "invalid_input_files_in_subfolder"
			}
			opts.report(Finding{Code: code, File: shorten(path.Join(f.dir, f.file.Name))})
		case feed.Has(f.file.Name):
			opts.report(Finding{Code: "duplicate_file", File: shorten(f.file.Name)})
		default:
			feed.files = append(feed.files, f.file)
		}
	}
	return feed, nil
}

func (o Options) report(f Finding) {
	if o.Note != nil {
		o.Note(f)
	}
}

func shorten(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) > 100 {
		name = strings.ToValidUTF8(name[:100], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return '\uFFFD'
		}
		return r
	}, name)
}

// Files returns all files of the feed, including those that GTFS does not define, in the order of
// the archive.
func (f *Feed) Files() []File { return f.files }

func (f *Feed) Has(name string) bool {
	return slices.ContainsFunc(f.files, func(file File) bool { return file.Name == name })
}

// Open starts to read the rows of a file. The error wraps fs.ErrNotExist if the feed has no such
// file. Open reports problems to Note only for files of GTFS, because other files may have their
// own rules.
func (f *Feed) Open(name string) (*Reader, error) {
	if _, known := TableOf(name); !known {
		return f.Reopen(name)
	}
	return f.read(name, f.opts)
}

// Reopen is like Open but does not call Note, for a second read of a file.
func (f *Feed) Reopen(name string) (*Reader, error) {
	opts := f.opts
	opts.Note = nil
	return f.read(name, opts)
}

// Raw opens a file that is not a table. It removes a byte order mark and decodes UTF-16.
func (f *Feed) Raw(name string) (io.ReadCloser, error) {
	rc, _, err := f.unpack(name)
	if err != nil {
		return nil, err
	}
	src, err := decodeWhole(rc, "")
	if err != nil {
		_ = rc.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{rawReader{src, name}, rc}, nil
}

// rawReader wraps errors of the archive in ErrUnreadable.
type rawReader struct {
	io.Reader
	name string
}

func (s rawReader) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = unreadable("read %s: %w", s.name, err)
	}
	return n, err
}

func (f *Feed) unpack(name string) (io.ReadCloser, int64, error) {
	for _, file := range f.files {
		if file.Name != name {
			continue
		}
		rc, err := file.open()
		if err != nil {
			return nil, 0, unreadable("open %s: %w", name, err)
		}
		return rc, file.Bytes, nil
	}
	return nil, 0, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
}

func (f *Feed) read(name string, opts Options) (*Reader, error) {
	rc, bytes, err := f.unpack(name)
	if err != nil {
		return nil, err
	}
	if bytes >= aheadFrom {
		rc = readAhead(rc)
	}
	r, err := NewReader(name, rc, bytes, opts)
	if err != nil {
		_ = rc.Close()
		return nil, err
	}
	r.closer = rc
	return r, nil
}

// aheadFrom is the size in bytes from which a file is decompressed in a separate goroutine.
const aheadFrom = 4 << 20

// readAhead decompresses a chunk while the caller parses the previous one.
func readAhead(src io.ReadCloser) io.ReadCloser {
	in, out := io.Pipe()
	go func() {
		var err error
		defer func() {
			if p := recover(); p != nil { // the panic fails the file, not the process
				err = fmt.Errorf("panic while a file is inflated: %v", p)
			}
			_ = src.Close()
			_ = out.CloseWithError(err)
		}()
		_, err = io.CopyBuffer(out, src, make([]byte, 64<<10))
	}()
	return in
}
