// Package version has the versions of what reads archived documents: the parser, the extractor of
// text, and the reader of each portal. A document is read again after one of its own versions has
// changed, and not after any other release.
//
// versions.txt has a line for each: name, version, and the digest of its golden output. A test of
// package publish fails if the output has another digest; its -update raises the version. Raise a
// version by hand for a change that no golden document shows.
package version

import (
	_ "embed"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal/products"
)

// Names of versions. The others are the names of the portals' products.
const (
	Parser = "parser" // from a text, or a portal's record, to items and votes
	Text   = "text"   // from the bytes of a document to its text
)

//go:embed versions.txt
var versions string

// Lines returns the columns of versions.txt by name.
func Lines() map[string][]string {
	lines := map[string][]string{}
	for line := range strings.Lines(versions) {
		if columns := strings.Fields(line); len(columns) > 1 {
			lines[columns[0]] = columns[1:]
		}
	}
	return lines
}

// Name returns a name with its version, such as "parser 3".
func Name(name string) string { return name + " " + Lines()[name][0] }

// Of returns the versions of what reads a document: of what makes its text, which is [Text] or a
// portal's product, and of the parser.
func Of(name string) string { return Name(name) + ", " + Name(Parser) }

// Current lists the values of [Of] for all documents.
func Current() []string {
	current := []string{Of(Text)}
	for _, name := range products.Names() {
		current = append(current, Of(name))
	}
	return current
}

// Reparsed returns the versions of a document after a re-parse of its stored text. ok is false if
// what made the text has changed, so that the document itself must be read again.
func Reparsed(versions string) (now string, ok bool) {
	extraction, _, _ := strings.Cut(versions, ", ")
	for _, now := range Current() {
		if strings.HasPrefix(now, extraction+", ") {
			return now, true
		}
	}
	return "", false
}
