package council

import (
	"bytes"
	"slices"
	"strings"
)

// startsFormula reports whether a spreadsheet might run a CSV cell as a formula. Such a cell begins
// with = + - or @, also in full width, or with a tab or line end (OWASP, CSV Injection).
func startsFormula(cell []byte) bool {
	if len(cell) == 0 {
		return false
	}
	if strings.IndexByte("=+-@\t\r\n", cell[0]) >= 0 {
		return true
	}
	return len(cell) >= 3 && slices.Contains([]string{"＝", "＋", "－", "＠"}, string(cell[:3]))
}

// AppendRow appends a CSV row of texts (RFC 4180). Unlike encoding/csv it does not alter line
// breaks. It prefixes a single quote to a text that spreadsheets would run.
func AppendRow(line []byte, cells ...string) []byte {
	for i, cell := range cells {
		if i > 0 {
			line = append(line, ',')
		}
		line = AppendCell(line, []byte(cell), true)
	}
	return append(line, "\r\n"...)
}

// AppendCell appends one cell. If text is true, it protects the cell from spreadsheets, like
// AppendRow; numbers need no protection.
func AppendCell(line, cell []byte, text bool) []byte {
	quoted := bytes.ContainsAny(cell, ",\"\r\n")
	if quoted {
		line = append(line, '"')
	}
	if text && startsFormula(cell) {
		line = append(line, '\'')
	}
	if !quoted {
		return append(line, cell...)
	}
	return append(append(line, bytes.ReplaceAll(cell, []byte{'"'}, []byte{'"', '"'})...), '"')
}
