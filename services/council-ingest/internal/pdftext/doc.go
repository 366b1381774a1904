// Package pdftext extracts the text of a PDF. Lines and columns of the page become lines and
// columns of the text, with a form feed between pages.
//
// The text is archived, and is the input of package minutes. It resembles the output of pdftotext
// -layout:
//
//   - one blank separates the words of a line, two or more the cells of a table and adjacent blocks;
//   - cells that align on the page begin in the same column of the text;
//   - space for one or more lines becomes one empty line;
//   - headers and footers stay in place; text at another angle follows at the end of its page;
//   - invisible text is omitted, with a note;
//   - ligatures are letters, blanks of all kinds U+0020, hyphens of all kinds "-", unknown symbols
//     "•", and characters without a meaning in their font U+FFFD.
//
// PDFs can be hostile, so [Extract] reads them in a child process with limits on time, memory and
// output. A loop or a bomb ends the child, not the service. Every main that extracts text begins
// with [RunChild], and so does TestMain in tests.
//
// Package pdffile opens files with github.com/ledongthuc/pdf. Package content splits content
// streams into operators, fonts decodes codes to characters with widths, page runs the operators,
// and layout arranges the glyphs in lines. document.go joins the pages and decides the verdict;
// extract.go has both sides of the process boundary.
//
// The package has no OCR. It only reports that a document is a scan.
package pdftext
