package minutes

import "testing"

func TestReadMarker(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]marker{
		"XIV.  Ordinances": {kind: markRoman, value: 14, label: "XIV.", text: "Ordinances", col: 6},
		"C. Sewers":        {kind: markRoman, value: 100, also: 3, label: "C.", text: "Sewers", col: 3},
		"B. Sewers":        {kind: markLetter, value: 2, label: "B.", text: "Sewers", col: 3},
		"BB. Sewers":       {kind: markLetter, value: 28, label: "BB.", text: "Sewers", col: 4},
		"12.  Pays Bills":  {kind: markNumber, value: 12, label: "12.", text: "Pays Bills", col: 5},
		"12.":              {kind: markNumber, value: 12, label: "12."},
		"7A. Annex":        {kind: markNumber, value: 7, label: "7A.", text: "Annex", col: 4},
		"5.3 Sewers":       {kind: markDotted, value: 3, major: 5, label: "5.3", text: "Sewers", col: 4},
		"5.3. Sewers":      {kind: markDotted, value: 3, major: 5, label: "5.3.", text: "Sewers", col: 5},
		"5.AA. Sewers":     {kind: markDotted, value: 27, major: 5, label: "5.AA.", text: "Sewers", col: 6},
		"B.12 Sewers":      {kind: markDotted, value: 12, major: 2, label: "B.12", text: "Sewers", col: 5},
		"5.C. Sewers":      {kind: markDotted, value: 3, major: 5, label: "5.C.", text: "Sewers", col: 5},
		"A.AMEND THE CODE": {kind: markLetter, value: 1, label: "A.", text: "AMEND THE CODE", col: 2},
		"XVII.Recommended": {kind: markRoman, value: 17, label: "XVII.", text: "Recommended", col: 5},
		"• Sewers":         {kind: markBullet, text: "Sewers", col: 2},
		"- Sewers":         {kind: markBullet, text: "Sewers", col: 2},
	} {
		if got, ok := readMarker(text); !ok || got != want {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Sewers", "U.S. Mail", "J.P. Roe", "12 Sewers", "2026. The", "1.2.3 z", "IIII. x", "VX. x",
		"MAYOR. x", "-5", "12", "A", "AB. x"} {
		if got, ok := readMarker(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestReadStyled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		style markStyle
		value int
		label string
	}{
		"1) Pays Bills": {figureParen, 1, "1)"}, "(12) Pays Bills": {figureBoth, 12, "(12)"}, "c) Pays Bills": {letterParen, 3, "c)"},
		"(bb) Pays": {letterBoth, 28, "(bb)"}, "C) Pays": {upperParen, 3, "C)"}, "(C)": {upperBoth, 3, "(C)"}, "c. Pays": {lowerDotted, 3, "c."},
		"Item 5: Pays": {itemWord, 5, "Item 5:"}, "ITEM NO. 5. Pays": {itemWord, 5, "ITEM NO. 5."}, "Item #5: Pays": {itemWord, 5, "Item #5:"},
		"1. Pays": {}, "(see below)": {}, "12 Pays": {}, "items: five": {}, "Item five": {}, "a": {}, "": {}, "1)x": {},
	} {
		m, style := readStyled(text)
		if style != want.style || style != noStyle && (m.value != want.value || m.label != want.label) {
			t.Errorf("%q: style %d, %+v; want %+v", text, style, m, want)
		}
	}
}

func TestRomanValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"I": 1, "IV": 4, "VIII": 8, "IX": 9, "XIX": 19, "XL": 40, "LXXXVIII": 88, "XC": 90, "CXIV": 114,
		"IIII": 0, "VV": 0, "IXIX": 0, "IC": 0, "VX": 0, "A": 0, "": 0} {
		if got := romanValue(text); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestCutFileNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, before, file, rest string }{
		{"2026-11 Appoints a Marshal", "", "2026-11", "Appoints a Marshal"},
		{"26-04A: Appoints a Marshal", "", "26-04A", "Appoints a Marshal"},
		{"2026-11 - Appoints a Marshal", "", "2026-11", "Appoints a Marshal"},
		{"CMA 2026-34: A report", "", "CMA 2026-34", "A report"},
		{"2026-2027 Fee Schedule", "", "", "2026-2027 Fee Schedule"},
		{"2026-27 Budget", "", "", "2026-27 Budget"},
		{"2026-27 Pays Bills", "2026-26", "2026-27", "Pays Bills"},
		{"2026-2 Sets Fees", "", "2026-2", "Sets Fees"},
		{"2026-11", "", "", "2026-11"},
		{"4-H Club", "", "", "4-H Club"},
		{"Pays Bills", "", "", "Pays Bills"},
		{"", "", "", ""},
	} {
		if file, rest := cutFileNumber(c.text, c.before); file != c.file || rest != c.rest {
			t.Errorf("%q after %q: %q and %q", c.text, c.before, file, rest)
		}
	}
	for text, want := range map[string]bool{"CMA 2026-34": true, "2025-117": true, "RES 26-04A": true, "File #: 2025-117": true, "Quay": false,
		"2025": false, "2025-117 Quay": false, "555-0199": true, "": false} {
		if got := isFileNumber(text); got != want {
			t.Errorf("isFileNumber(%q) is %v", text, got)
		}
	}
}
