// Package pdftext makes the text of a PDF: what stands in one line of the page
// stands in one line of the text, what stands in one column in one column,
// with a form feed between pages.
//
// The text is the exact input of the minutes parser (package minutes), and is
// kept in the archive as such. Its shape is much like that of pdftotext -layout:
//
//   - words of a line are parted by one blank, cells of a table (and blocks
//     side by side) by two or more;
//   - cells that begin at the same place of the page begin in the same column
//     of the text, on all lines of the page; so a wrapped list goes on under its value;
//   - an empty line stands where the page leaves room for one or more;
//   - headers and footers are lines where they stand; text at another angle
//     follows at the end of its page;
//   - text that the page holds and does not show is left out, with a note;
//   - ligatures are letters, blanks of all kinds U+0020, hyphens of all kinds
//     "-", pictures of unknown meaning "•", characters that the fonts do not
//     tell U+FFFD.
//
// A PDF is hostile until proved otherwise, so [Extract] reads it in a child
// process with limits on time, memory and output: a loop or a bomb ends the
// child, never the service. Every main that extracts begins with [RunChild];
// so does the TestMain of every test that does.
//
// Reading has three floors. Package pdffile is the gatekeeper: it takes bytes
// of any origin and makes a plain, bounded, well-formed file that says the same
// (pdffile.Clean). Package github.com/ledongthuc/pdf reads the objects, streams
// and font dictionaries of that plain file, and interprets its content and
// CMaps. What the text is, and where it stands, is decided here.
//
// The gatekeeper is not only for the files that the library refuses. The
// library refuses what every viewer opens (rubbish around the file, a cut end,
// most ways of encryption), never returns from a page tree that holds itself,
// and panics in the middle of a page; so whoever gave it the file first would
// have two paths, and the text of a document would depend on which one it took.
// This way there is one path for all, and the library only ever sees files that
// it reads well. Its own text functions are not used: they know no forms, no
// widths of two-byte fonts, and take one font for another of the same name.
//
// The rooms within: content.go, marks.go, paths.go and unseen.go act on what a page draws;
// font.go, cmap.go, encoding.go and metrics.go turn codes into letters with
// widths, with the help of the font programs (program.go, sfnt.go, cff.go)
// where a file does not say what its codes mean; words.go, lines.go and grid.go
// make lines of glyphs; page.go and document.go join these and judge what came
// out; extract.go and child.go are the two sides of the process border.
//
// It never reads pictures: a scan is reported as one, and what it says is not guessed.
package pdftext
