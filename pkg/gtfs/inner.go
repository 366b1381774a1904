package gtfs

import (
	"archive/zip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// maxNamed bounds the zips that an error names.
const maxNamed = 20

// OpenInner opens the zip with the feed that is in another zip; nil if the feed is not in a zip of
// its own. inner is the name of the zip; it may be "" if there is one.
func OpenInner(r io.ReaderAt, size int64, inner string) (io.ReadCloser, error) {
	outer, err := listZip(r, size, Limits{}.orDefault())
	if err != nil {
		return nil, nil // opening the feed reports it
	}
	var zips []*zip.File
	var names []string
	for _, e := range outer.File {
		dir, name, inside := split(e.Name)
		if _, isTable := TableOf(name); isTable && !isHidden(dir, name) {
			return nil, nil
		}
		if inside && path.Ext(name) == ".zip" && !isHidden(dir, name) {
			zips, names = append(zips, e), append(names, shorten(path.Base(e.Name)))
		}
	}
	i := 0
	switch {
	case len(zips) == 0:
		return nil, nil
	case inner != "":
		i = slices.IndexFunc(zips, func(e *zip.File) bool { return e.Name == inner || path.Base(e.Name) == inner })
		if i < 0 {
			return nil, unreadable("the zip holds %s, and no %s", join(names), shorten(inner))
		}
	case len(zips) > 1:
		return nil, unreadable("the zip holds %s: choose one with --inner NAME, or with inner in transit.yaml", join(names))
	}
	src, err := (&File{Bytes: int64(min(zips[i].UncompressedSize64, 1<<62)), entry: zips[i]}).open()
	if err != nil {
		return nil, unreadable("open %s: %w", names[i], err)
	}
	return src, nil
}

// join lists names: a, b and c.
func join(names []string) string {
	if len(names) > maxNamed {
		names = append(names[:maxNamed:maxNamed], fmt.Sprintf("%d others", len(names)-maxNamed))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
