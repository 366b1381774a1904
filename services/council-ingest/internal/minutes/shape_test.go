package shape

import "testing"

func TestReadMarker(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Marker{
		"XIV.  Ordinances": {Kind: Roman, Value: 14, Label: "XIV.", Text: "Ordinances", Col: 6},
		"C. Sewers":        {Kind: Roman, Value: 100, Also: 3, Label: "C.", Text: "Sewers", Col: 3},
		"B. Sewers":        {Kind: Letter, Value: 2, Label: "B.", Text: "Sewers", Col: 3},
		"BB. Sewers":       {Kind: Letter, Value: 28, Label: "BB.", Text: "Sewers", Col: 4},
		"12.  Pays Bills":  {Kind: Number, Value: 12, Label: "12.", Text: "Pays Bills", Col: 5},
		"12.":              {Kind: Number, Value: 12, Label: "12."},
		"7A. Annex":        {Kind: Number, Value: 7, Label: "7A.", Text: "Annex", Col: 4},
		"5.3 Sewers":       {Kind: Dotted, Value: 3, Major: 5, Label: "5.3", Text: "Sewers", Col: 4},
		"5.3. Sewers":      {Kind: Dotted, Value: 3, Major: 5, Label: "5.3.", Text: "Sewers", Col: 5},
		"5.AA. Sewers":     {Kind: Dotted, Value: 27, Major: 5, Label: "5.AA.", Text: "Sewers", Col: 6},
		"B.12 Sewers":      {Kind: Dotted, Value: 12, Major: 2, Label: "B.12", Text: "Sewers", Col: 5},
		"5.C. Sewers":      {Kind: Dotted, Value: 3, Major: 5, Label: "5.C.", Text: "Sewers", Col: 5},
		"A.AMEND THE CODE": {Kind: Letter, Value: 1, Label: "A.", Text: "AMEND THE CODE", Col: 2},
		"XVII.Recommended": {Kind: Roman, Value: 17, Label: "XVII.", Text: "Recommended", Col: 5},
		"• Sewers":         {Kind: Bullet, Text: "Sewers", Col: 2},
		"- Sewers":         {Kind: Bullet, Text: "Sewers", Col: 2},
	} {
		if got, ok := ReadMarker(text); !ok || got != want {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Sewers", "U.S. Mail", "J.P. Roe", "12 Sewers", "2026. The", "1.2.3 z", "IIII. x", "VX. x",
		"MAYOR. x", "-5", "12", "A", "AB. x"} {
		if got, ok := ReadMarker(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestReadStyled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		style Style
		value int
		label string
	}{
		"1) Pays Bills": {figureParen, 1, "1)"}, "(12) Pays Bills": {figureBoth, 12, "(12)"}, "c) Pays Bills": {letterParen, 3, "c)"},
		"(bb) Pays": {letterBoth, 28, "(bb)"}, "C) Pays": {upperParen, 3, "C)"}, "(C)": {upperBoth, 3, "(C)"}, "c. Pays": {lowerDotted, 3, "c."},
		"Item 5: Pays": {itemWord, 5, "Item 5:"}, "ITEM NO. 5. Pays": {itemWord, 5, "ITEM NO. 5."}, "Item #5: Pays": {itemWord, 5, "Item #5:"},
		"1. Pays": {}, "(see below)": {}, "12 Pays": {}, "items: five": {}, "Item five": {}, "a": {}, "": {}, "1)x": {},
	} {
		m, style := ReadStyled(text)
		if style != want.style || style != NoStyle && (m.Value != want.value || m.Label != want.label) {
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
		if file, rest := CutFileNumber(c.text, c.before); file != c.file || rest != c.rest {
			t.Errorf("%q after %q: %q and %q", c.text, c.before, file, rest)
		}
	}
	for text, want := range map[string]bool{"CMA 2026-34": true, "2025-117": true, "RES 26-04A": true, "File #: 2025-117": true, "Quay": false,
		"2025": false, "2025-117 Quay": false, "555-0199": true, "": false} {
		if got := IsFileNumber(text); got != want {
			t.Errorf("IsFileNumber(%q) is %v", text, got)
		}
	}
}
