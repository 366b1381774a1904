package gtfs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A form is the way in which GTFS writes the values of a type. Spreadsheets and data frames write
// some values in another way. If that way has only one meaning, such as 10.0 for 10 or 2026-11-01
// for 20261101, the Reader yields the value in its form, and reports the column once. All else, such
// as 8:05 PM, which is 8:05 or 20:05 of the next day for a night line, or 11/01/2026, stays as it
// is, and the type does not allow it.
type form uint8

const (
	anyForm form = iota
	wholeForm
	yesNoForm
	decimalForm
	degreeForm
	timeForm
	dateForm
	colorForm
)

// isMet reports whether a cell that is not empty has the form, or cannot be brought into it. It only
// looks at the shape of the cell: it runs for each cell of a feed.
func (f form) isMet(cell []byte) bool {
	n := len(cell)
	switch f {
	case wholeForm, yesNoForm:
		if n == 1 {
			return f == wholeForm || cell[0] <= '9'
		}
		for _, c := range cell {
			if c-'0' > 9 {
				return false
			}
		}
	case decimalForm, degreeForm:
		return bytes.IndexByte(cell, ',') < 0
	case timeForm:
		return n >= 7 && n <= 9 && cell[n-3] == ':' && cell[n-6] == ':'
	case dateForm:
		return n == 8 && cell[4]-'0' <= 9
	case colorForm:
		return n == 6
	}
	return true
}

// appendTo appends a cell in its form to dst. It returns false if the cell has no or several
// meanings.
func (f form) appendTo(dst, cell []byte) ([]byte, bool) {
	text, ok := "", false
	switch f {
	case wholeForm:
		text, ok = wholeText(string(cell))
	case yesNoForm:
		if text, ok = wholeText(string(cell)); !ok {
			text, ok = yesNoText(string(cell))
		}
	case decimalForm, degreeForm:
		text, ok = decimalText(string(cell), f == degreeForm)
	case timeForm:
		text, ok = timeText(string(cell))
	case dateForm:
		text, ok = dateText(string(cell))
	case colorForm:
		text, ok = strings.CutPrefix(string(cell), "#")
		ok = ok && IsColor([]byte(text))
	}
	return append(dst, text...), ok
}

// wholeText reads 10.0 and 10,00 as 10. 10.000 may also be ten thousand.
func wholeText(cell string) (string, bool) {
	i := strings.IndexAny(cell, ".,")
	if i < 0 || len(cell)-i-1 == 3 || strings.Trim(cell[i+1:], "0") != "" {
		return "", false
	}
	return cell[:i], isDigits(strings.TrimPrefix(cell[:i], "-"))
}

func isDigits(text string) bool {
	return text != "" && len(text) <= 20 && strings.Trim(text, "0123456789") == ""
}

func yesNoText(cell string) (string, bool) {
	switch strings.ToLower(cell) {
	case "true", "t", "yes":
		return "1", true
	case "false", "f", "no":
		return "0", true
	}
	return "", false
}

// decimalText reads a comma as the decimal point. 1,234 may also be a thousand, except in degrees.
func decimalText(cell string, degrees bool) (string, bool) {
	whole, fraction, _ := strings.Cut(cell, ",")
	if !isDigits(strings.TrimPrefix(whole, "-")) || !isDigits(fraction) || len(fraction) == 3 && !degrees {
		return "", false
	}
	return whole + "." + fraction, true
}

// timeText reads 8:05 as 8:05:00, and 8:05:00.000 likewise.
func timeText(cell string) (string, bool) {
	whole, fraction, found := strings.Cut(cell, ".")
	switch {
	case found && (fraction == "" || strings.Trim(fraction, "0") != ""):
		return "", false
	case !found && strings.Count(cell, ":") == 1:
		whole += ":00"
	}
	_, ok := ParseTime([]byte(whole))
	return whole, ok
}

// dateText reads 2026-11-01, 2026/11/1, 20261101.0 and 2026-11-01T00:00:00Z as 20261101. It does not
// read days that do not begin with the year: 11/01/2026 is in January or in November.
func dateText(cell string) (string, bool) {
	if text, ok := wholeText(cell); ok {
		_, ok = ParseDate([]byte(text))
		return text, ok
	}
	cell = strings.TrimSuffix(cell, "Z")
	if i := strings.IndexAny(cell, "T "); i >= 0 {
		if strings.Trim(cell[i+1:], "0:.") != "" || !strings.HasPrefix(cell[i+1:], "00:00") {
			return "", false
		}
		cell = cell[:i]
	}
	if len(cell) < 8 || !strings.Contains("-/.", cell[4:5]) {
		return "", false
	}
	parts := strings.Split(cell, cell[4:5])
	if len(parts) != 3 || len(parts[1]) > 2 || len(parts[2]) > 2 || slices.Contains(parts, "") {
		return "", false
	}
	text := fmt.Sprintf("%4s%02s%02s", parts[0], parts[1], parts[2])
	_, ok := ParseDate([]byte(text))
	return text, ok
}

// formed is a column of a file whose type has a form.
type formed struct {
	column int
	ColumnType
	form
	// needsComma says that only cells with a comma are changed. If commas separate cells, such a cell
	// is in quotes.
	needsComma bool
	// changed counts the cells that were brought into the form; line and value are those of the first.
	changed, line int
	value         string
}

func (r *Reader) addFormed(column int, kind ColumnType) {
	f := columnTypes[kind].form
	if f != anyForm {
		r.formed = append(r.formed, formed{column: column, ColumnType: kind, form: f,
			needsComma: r.separator == ',' && (f == decimalForm || f == degreeForm)})
	}
}

// inForm brings the cells of the current row into their form.
func (r *Reader) inForm() {
	for n := range r.formed {
		f := &r.formed[n]
		if f.column >= len(r.cells) {
			continue
		}
		c := &r.cells[f.column]
		width := c.end - c.start
		// The two most frequent kinds of cells, for speed: digits, and HH:MM:SS.
		if width == 0 || width == 1 && f.form == wholeForm || width == 8 && f.form == timeForm && r.data[c.end-3] == ':' {
			continue
		}
		if f.needsComma && !r.hasQuotes {
			continue
		}
		if !f.form.isMet(r.data[c.start:c.end]) {
			r.change(f)
		}
	}
}

func (r *Reader) change(f *formed) {
	cell := string(r.Cell(f.column))
	if !r.isCopied {
		r.copyRow()
	}
	start := len(r.scratch)
	text, ok := f.appendTo(r.scratch, []byte(cell))
	if !ok {
		return
	}
	r.scratch, r.data = text, text
	if f.changed == 0 {
		f.line, f.value = r.line, fmt.Sprintf("%.40s, read as %s", cell, text[start:])
	}
	f.changed++
	r.cells[f.column] = span{start: int32(start), end: int32(len(text)), padded: r.cells[f.column].padded}
}

// copyRow copies the cells of a row that needed no cleaning to scratch.
func (r *Reader) copyRow() {
	r.scratch = r.scratch[:0]
	for i, c := range r.cells {
		start := len(r.scratch)
		r.scratch = append(r.scratch, r.data[c.start:c.end]...)
		r.cells[i] = span{start: int32(start), end: int32(len(r.scratch)), padded: c.padded}
	}
	r.data, r.isCopied = r.scratch, true
}

// noteForms reports the columns with cells in another form, at the end of the file.
func (r *Reader) noteForms() {
	for _, f := range r.formed {
		if f.changed > 0 {
			r.note(Finding{Code: columnTypes[f.ColumnType].code, Effect: CellChanged, File: r.file, Line: f.line,
				Field: r.header[f.column], Value: []byte(f.value), Count: f.changed})
		}
	}
}
