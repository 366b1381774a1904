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
//     name U+FFFD.
//
// A PDF is hostile until proved otherwise, so [Extract] reads it in a child
// process with limits on time, memory and output: a loop or a bomb ends the
// child, never the service. Every main that extracts begins with [RunChild];
// so does the TestMain of every test that does.
//
// Package pdffile checks a file and opens it with github.com/ledongthuc/pdf, whose objects the
// other packages ask: package content splits what a page draws into operators, package fonts turns
// codes into letters with widths, package layout makes lines of letters, package page acts on what
// a page draws. Here, document.go joins the pages and judges the result; extract.go has both sides
// of the process border.
//
// It never reads pictures: a scan is reported as one, and what it says is not guessed.
package pdftext
