package doctext

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// DOCX is the media type of documents of Word.
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

const (
	docxBody = "word/document.xml"
	// maxDocx bounds the XML of a document, which can be far larger than its zip.
	maxDocx = 64 << 20
)

// isDocx reports whether data is a zip archive with the body of a document of Word.
func isDocx(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) || !bytes.Contains(data, []byte(docxBody)) {
		return false
	}
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false
	}
	for _, f := range zr.File {
		if f.Name == docxBody {
			return true
		}
	}
	return false
}

// errDocxSize means that a document is larger than is read.
var errDocxSize = errors.New("the document is too large")

// docxText returns the text of a document of Word: a line for each paragraph, and one for each row of
// a table, with gaps between its cells. Deleted text, notes, headers and footers are left out.
func docxText(data []byte) (string, error) {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", fmt.Errorf("open document: %w", err)
	}
	f, err := zr.Open(docxBody)
	if err != nil {
		return "", fmt.Errorf("open document: %w", err)
	}
	defer func() { _ = f.Close() }()
	w := docxWriter{}
	dec := xml.NewDecoder(io.LimitReader(f, maxDocx+1))
	for {
		tok, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF):
			return w.out.String(), nil
		case dec.InputOffset() > maxDocx, w.out.Len() > maxText:
			return "", errDocxSize
		case err != nil:
			return "", fmt.Errorf("read document: %w", err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			w.start(t)
		case xml.EndElement:
			w.end(t.Name.Local)
		case xml.CharData:
			if w.text && w.skip == 0 {
				w.line.Write(t)
			}
		}
	}
}

// docxWriter writes the text of the elements of a document.
type docxWriter struct {
	out   strings.Builder
	line  strings.Builder // current paragraph
	cells []string        // cells of the current row
	cell  strings.Builder
	rows  int  // depth of tables
	skip  int  // depth within text that is not shown, or shown twice
	text  bool // within a run's text
}

func (w *docxWriter) start(t xml.StartElement) {
	switch t.Name.Local {
	case "Fallback", "del", "moveFrom": // the second form of a drawing, deleted and moved text
		w.skip++
	case "t":
		w.text = true
	case "tab", "ptab":
		if w.skip == 0 {
			w.line.WriteByte('\t')
		}
	case "br", "cr":
		if w.skip == 0 {
			w.line.WriteByte('\n')
		}
	case "noBreakHyphen":
		w.line.WriteByte('-')
	case "tbl":
		w.rows++
	case "tr":
		if w.rows == 1 {
			w.cells = nil
		}
	case "tc":
		if w.rows == 1 {
			w.cell.Reset()
		}
	}
}

func (w *docxWriter) end(name string) {
	switch name {
	case "Fallback", "del", "moveFrom":
		w.skip = max(w.skip-1, 0)
	case "t":
		w.text = false
	case "p":
		w.paragraph()
	case "tc":
		if w.rows == 1 {
			w.cells = append(w.cells, w.cell.String())
		}
	case "tr":
		if w.rows == 1 {
			w.row()
		}
	case "tbl":
		w.rows = max(w.rows-1, 0)
		w.out.WriteByte('\n')
	}
}

// paragraph ends a paragraph: a line of the text, or of a cell.
func (w *docxWriter) paragraph() {
	text := w.line.String()
	w.line.Reset()
	if w.rows == 0 {
		w.out.WriteString(text)
		w.out.WriteByte('\n')
		return
	}
	if w.cell.Len() > 0 {
		w.cell.WriteByte('\n')
	}
	w.cell.WriteString(text)
}

// row writes the cells of a row next to each other, line by line. Tabs are between them, so that a
// mark behind empty cells keeps its column.
func (w *docxWriter) row() {
	var columns [][]string
	height := 0
	var widths []int
	for _, cell := range w.cells {
		lines := strings.Split(cell, "\n")
		width := 0
		for _, line := range lines {
			width = max(width, len([]rune(line)))
		}
		columns = append(columns, lines)
		widths = append(widths, width)
		height = max(height, len(lines))
	}
	for i := range height {
		var b strings.Builder
		for k, lines := range columns {
			text := ""
			if i < len(lines) {
				text = lines[i]
			}
			b.WriteString(text)
			if k < len(columns)-1 {
				b.WriteString(strings.Repeat(" ", widths[k]-len([]rune(text))) + "\t")
			}
		}
		w.out.WriteString(strings.TrimRight(b.String(), " \t"))
		w.out.WriteByte('\n')
	}
	w.cells = nil
}
