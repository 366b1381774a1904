package doctext

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal"
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

// docxText returns the text of a document of Word: a line for each paragraph with the number that Word
// shows before it, and one for each row of a table, with tabs between its cells. Text that is deleted, hidden or struck
// through, notes, headers and footers are left out.
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
	w := docxWriter{lists: listsOf(zr), blocks: []*docxBlock{{}}}
	dec := xml.NewDecoder(io.LimitReader(f, maxDocx+1))
	for {
		tok, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF):
			return w.blocks[0].text.String(), nil
		case dec.InputOffset() > maxDocx, w.size > maxText:
			return "", errDocxSize
		case err != nil:
			return "", fmt.Errorf("read document: %w", err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if w.start(t); len(w.blocks) > mostDeep || len(w.tables) > mostDeep {
				return "", errDocxSize
			}
		case xml.EndElement:
			w.end(t.Name.Local)
		case xml.CharData:
			if w.text {
				w.write(string(t))
			}
		}
	}
}

// docxWriter writes the text of the elements of a document.
type docxWriter struct {
	lists  docxLists
	blocks []*docxBlock // the body, and the cells and text boxes around the current paragraph
	tables []*docxTable // tables around the current cell
	size   int
	skip   int  // depth within text that is not shown, or shown twice
	text   bool // within a run's text
	hidden bool // within a run that is hidden or struck through
	marks  int  // depth within the properties of a paragraph or a row
	joined bool // the mark at the end of the paragraph is deleted: the next one continues it
	style  string
	list   listPlace
}

// docxBlock is the body, a cell or a text box.
type docxBlock struct {
	text, line strings.Builder
	after      strings.Builder // text boxes of the current paragraph
	table      bool            // it has a table
	span       int             // columns of a cell
	continued  bool            // the cell belongs to the one above
}

type docxTable struct {
	cells   []string
	nested  bool // a cell of the row has a table
	deleted bool // the row is deleted
}

const mostDeep = 64 // blocks within each other

func (w *docxWriter) block() *docxBlock { return w.blocks[len(w.blocks)-1] }

func (w *docxWriter) write(text string) {
	if w.skip == 0 && !w.hidden {
		w.block().line.WriteString(text)
		w.size += len(text)
	}
}

func (w *docxWriter) start(t xml.StartElement) {
	switch name := t.Name.Local; name {
	case "Fallback", "del", "moveFrom", "pPrChange", "rPrChange", "trPrChange":
		// the second form of a drawing, deleted and moved text, and what was before a change
		w.skip++
		switch {
		case name != "del" || w.marks == 0:
		case len(w.tables) > 0 && w.list.row:
			w.tables[len(w.tables)-1].deleted = true
		default:
			w.joined = true
		}
	case "p":
		w.style, w.list = "", listPlace{}
	case "pPr", "trPr":
		w.marks++
		w.list.row = name == "trPr"
	case "r":
		w.hidden = false
	case "strike", "dstrike", "vanish":
		if w.marks == 0 && w.skip == 0 && isOn(t) {
			w.hidden = true
		}
	case "pStyle":
		w.style = value(t)
	case "ilvl":
		if w.skip == 0 {
			w.list.level = number(t)
		}
	case "numId":
		if w.skip == 0 {
			w.list.id, w.list.set = value(t), true
		}
	case "t":
		w.text = true
	case "tab", "ptab":
		if w.marks == 0 { // and no place for one
			w.write("\t")
		}
	case "br", "cr":
		w.write("\n")
	case "noBreakHyphen":
		w.write("-")
	case "sym":
		w.write(symbol(t))
	case "tbl":
		w.block().table = true
		w.tables = append(w.tables, &docxTable{})
	case "gridSpan":
		w.block().span = number(t)
	case "vMerge":
		w.block().continued = value(t) != "restart"
	case "tr":
		if n := len(w.tables); n > 0 {
			*w.tables[n-1] = docxTable{}
		}
	case "tc", "txbxContent":
		w.blocks = append(w.blocks, &docxBlock{})
	}
}

func (w *docxWriter) end(name string) {
	switch name {
	case "Fallback", "del", "moveFrom", "pPrChange", "rPrChange", "trPrChange":
		w.skip = max(w.skip-1, 0)
	case "pPr", "trPr":
		w.marks = max(w.marks-1, 0)
	case "r":
		w.hidden = false
	case "t":
		w.text = false
	case "p":
		w.paragraph()
	case "txbxContent":
		if box := w.pop(); box != nil && w.skip == 0 {
			w.block().after.WriteString(box.text.String())
		}
	case "tc":
		if cell := w.pop(); cell != nil && len(w.tables) > 0 {
			w.tables[len(w.tables)-1].add(cell)
		}
	case "tr":
		w.row()
	case "tbl":
		w.tables = w.tables[:max(len(w.tables)-1, 0)]
		w.block().text.WriteByte('\n')
	}
}

// pop ends the current block.
func (w *docxWriter) pop() *docxBlock {
	if len(w.blocks) < 2 {
		return nil
	}
	last := w.block()
	w.blocks = w.blocks[:len(w.blocks)-1]
	return last
}

// paragraph ends a paragraph, which is a line of the text. The text boxes in it follow.
func (w *docxWriter) paragraph() {
	b := w.block()
	if w.joined {
		w.joined = false
		return
	}
	if line := b.line.String(); strings.TrimSpace(line) != "" && w.skip == 0 {
		b.text.WriteString(w.lists.numberOf(w.list, w.style, line))
	}
	b.text.WriteString(b.line.String() + "\n" + b.after.String())
	b.line.Reset()
	b.after.Reset()
}

// add adds a cell to a row.
func (t *docxTable) add(cell *docxBlock) {
	text := cell.text.String()
	if cell.continued && strings.TrimSpace(text) == "" {
		text = ""
	}
	t.nested = t.nested || cell.table
	t.cells = append(t.cells, text)
	for range min(cell.span, portal.MaxSpan) - 1 {
		t.cells = append(t.cells, "")
	}
}

// row writes a row of a table.
func (w *docxWriter) row() {
	if len(w.tables) == 0 {
		return
	}
	table := w.tables[len(w.tables)-1]
	if table.deleted {
		return
	}
	var rows []string
	if !table.nested {
		rows = portal.RowLines(table.cells, true)
	}
	if rows == nil {
		rows = strings.Split(strings.TrimRight(strings.Join(table.cells, ""), "\n"), "\n")
	}
	for _, row := range rows {
		w.block().text.WriteString(row + "\n")
	}
}

func value(t xml.StartElement) string { return attribute(t, "val") }

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func number(t xml.StartElement) int { return atoi(value(t)) }

// isOn reports whether a property of a run is set.
func isOn(t xml.StartElement) bool {
	switch value(t) {
	case "0", "false", "off":
		return false
	}
	return true
}

// symbol returns the character that a font of symbols shows: a mark, or nothing for an empty box.
func symbol(t xml.StartElement) string {
	font, char := strings.ToLower(attribute(t, "font")), strings.ToUpper(attribute(t, "char"))
	char = strings.TrimPrefix(strings.TrimPrefix(char, "F0"), "00")
	switch {
	case !strings.Contains(font, "wingdings"):
		return "•"
	case strings.Contains("FB FC FD FE", char), strings.Contains(font, "2") && strings.Contains("50 51 52 53 54", char):
		return "X"
	case strings.Contains("6F A8 71 72", char), strings.Contains(font, "2") && char == "A3":
		return ""
	}
	return "•"
}
