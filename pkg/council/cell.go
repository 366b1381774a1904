package council

import "strings"

// StartsFormula reports whether spreadsheets may take the text of a CSV cell for
// a formula and run it: it begins with one of = + - @, also in full width, or
// with a tab or line end (OWASP, CSV Injection). Writers of CSV put a single
// quote before such a text; before a number they do not.
func StartsFormula[T ~string | ~[]byte](cell T) bool {
	if len(cell) == 0 {
		return false
	}
	if strings.IndexByte("=+-@\t\r\n", cell[0]) >= 0 {
		return true
	}
	if cell[0] != 0xEF || len(cell) < 3 {
		return false
	}
	switch string(cell[:3]) {
	case "＝", "＋", "－", "＠":
		return true
	}
	return false
}
