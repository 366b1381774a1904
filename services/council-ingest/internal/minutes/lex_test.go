package minutes

import (
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

func TestReadMarker(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]lexicon.Marker{
		"XIV.  Ordinances": {Kind: lexicon.Roman, Value: 14, Label: "XIV.", Text: "Ordinances", Col: 6},
		"C. Sewers":        {Kind: lexicon.Roman, Value: 100, Also: 3, Label: "C.", Text: "Sewers", Col: 3},
		"B. Sewers":        {Kind: lexicon.Letter, Value: 2, Label: "B.", Text: "Sewers", Col: 3},
		"BB. Sewers":       {Kind: lexicon.Letter, Value: 28, Label: "BB.", Text: "Sewers", Col: 4},
		"12.  Pays Bills":  {Kind: lexicon.Number, Value: 12, Label: "12.", Text: "Pays Bills", Col: 5},
		"12.":              {Kind: lexicon.Number, Value: 12, Label: "12."},
		"7A. Annex":        {Kind: lexicon.Number, Value: 7, Label: "7A.", Text: "Annex", Col: 4},
		"5.3 Sewers":       {Kind: lexicon.Dotted, Value: 3, Major: 5, Label: "5.3", Text: "Sewers", Col: 4},
		"5.3. Sewers":      {Kind: lexicon.Dotted, Value: 3, Major: 5, Label: "5.3.", Text: "Sewers", Col: 5},
		"5.AA. Sewers":     {Kind: lexicon.Dotted, Value: 27, Major: 5, Label: "5.AA.", Text: "Sewers", Col: 6},
		"B.12 Sewers":      {Kind: lexicon.Dotted, Value: 12, Major: 2, Label: "B.12", Text: "Sewers", Col: 5},
		"5.C. Sewers":      {Kind: lexicon.Dotted, Value: 3, Major: 5, Label: "5.C.", Text: "Sewers", Col: 5},
		"A.AMEND THE CODE": {Kind: lexicon.Letter, Value: 1, Label: "A.", Text: "AMEND THE CODE", Col: 2},
		"XVII.Recommended": {Kind: lexicon.Roman, Value: 17, Label: "XVII.", Text: "Recommended", Col: 5},
		"• Sewers":         {Kind: lexicon.Bullet, Text: "Sewers", Col: 2},
		"- Sewers":         {Kind: lexicon.Bullet, Text: "Sewers", Col: 2},
	} {
		if got, ok := lexicon.ReadMarker(text); !ok || got != want {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Sewers", "U.S. Mail", "J.P. Roe", "12 Sewers", "2026. The", "1.2.3 z", "IIII. x",
		"VX. x",
		"MAYOR. x", "-5", "12", "A", "AB. x"} {
		if got, ok := lexicon.ReadMarker(text); ok {
			t.Errorf("ReadMarker(%q) = %+v", text, got)
		}
	}
}

func TestReadStyled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		style lexicon.Style
		value int
		label string
	}{
		"1) Pays Bills": {1, 1, "1)"}, "(12) Pays Bills": {2, 12, "(12)"}, "c) Pays Bills": {3, 3, "c)"},
		"(bb) Pays": {4, 28, "(bb)"}, "C) Pays": {5, 3, "C)"}, "(C)": {6, 3, "(C)"}, "c. Pays": {7, 3, "c."},
		"Item 5: Pays": {8, 5, "Item 5:"}, "ITEM NO. 5. Pays": {8, 5, "ITEM NO. 5."}, "Item #5: Pays": {8, 5, "Item #5:"},
		"1. Pays": {}, "(see below)": {}, "12 Pays": {}, "items: five": {}, "Item five": {}, "a": {}, "": {}, "1)x": {},
	} {
		m, style := lexicon.ReadStyled(text)
		if style != want.style || style != lexicon.NoStyle && (m.Value != want.value || m.Label != want.label) {
			t.Errorf("%q: style %d, %+v; want %+v", text, style, m, want)
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
		if file, rest := lexicon.CutFileNumber(c.text, c.before); file != c.file || rest != c.rest {
			t.Errorf("CutFileNumber(%q, %q) = %q, %q", c.text, c.before, file, rest)
		}
	}
	for text, want := range map[string]bool{"CMA 2026-34": true, "2025-117": true, "RES 26-04A": true,
		"File #: 2025-117": true, "Quay": false,
		"2025": false, "2025-117 Quay": false, "555-0199": true, "": false} {
		if got := lexicon.IsFileNumber(text); got != want {
			t.Errorf("IsFileNumber(%q) is %v", text, got)
		}
	}
}

func TestReadTally(t *testing.T) {
	t.Parallel()
	words := lexicon.New(lexicon.Words{}, nil).English()
	counted := func(ayes, nays, others int) lexicon.Tally {
		return lexicon.Tally{Ayes: ayes, Nays: nays, Others: others, Counted: true, BothSides: true}
	}
	for raw, want := range map[string]lexicon.Tally{
		"ADOPTED [4 TO 1]":            counted(4, 1, 0),
		"[13 to 2]":                   counted(13, 2, 0),
		"[4 - 1]":                     counted(4, 1, 0),
		"[4–1]":                       counted(4, 1, 0),
		"Adopted [8-0-1-0]":           counted(8, 0, 1),
		"Adopted [4-1- 0-2]":          counted(4, 1, 0),
		"Adopted 7-2":                 counted(7, 2, 0),
		"PASSED [9 TO 2] WITH 1 AWAY": counted(9, 2, 0),
		"PASSED [9 TO 2 WITH 3 ABSTENTIONS AND 1 AWAY]": counted(9, 2, 3),
		"PASSED [9 TO 2] WITH 1 ABSENTION":              counted(9, 2, 1),
		"Filed [VV9]":                                   {Ayes: 9, Counted: true, Voice: true},
		"VV9":                                           {Ayes: 9, Counted: true, Voice: true},
		"ADOPTED [UNANIMOUS]":                           {Unanimous: true},
		"ADOPTED [UNANIMOUSLY]":                         {Unanimous: true},
		"ADOPTED UNANIMOUS":                             {Unanimous: true},
		"ADOPTED":                                       {},
		"ADOPTED [as read]":                             {},
		"ADOPTED [4]":                                   {},
		"ADOPTED [FOUR TO ONE]":                         counted(4, 1, 0),
		"ADOPTED (4-1)":                                 counted(4, 1, 0),
		"CARRIED 4 TO 1":                                counted(4, 1, 0),
		"CARRIED BY A VOTE OF 4-1":                      counted(4, 1, 0),
		"ADOPTED [4 AYES, 1 NAY]":                       counted(4, 1, 0),
		"ADOPTED [UNANIMOUS 7-0]":                       {Ayes: 7, Counted: true, BothSides: true, Unanimous: true},
		"CONTINUED TO 5-19":                             {},
		"CONTINUED TO 5-19-2026":                        {},
		"CONTINUED [5/19/2026]":                         {},
		"CONTINUED [5/19/26]":                           {},
		"ADOPTED (as read)":                             {},
		"APPROVED BY VOICE VOTE":                        {Voice: true},
		"Referred to the 2-4-6 Club":                    {},
		"ADOPTED [99999 TO 1]":                          {},
		"[":                                             {},
		"":                                              {},
	} {
		if got := words.ReadTally(raw); got != want {
			t.Errorf("ReadTally(%q) = %+v, want %+v", raw, got, want)
		}
	}
}

func TestJoinNames(t *testing.T) {
	t.Parallel()
	for want, parts := range map[string][]string{
		"Joan Waters, Abe Lott": {"Joan", "Waters, Abe Lott"},
		"Ruiz-Santos, Lott":     {"Ruiz-", "Santos, Lott"},
		"Doe - Roe":             {"Doe -", "Roe"},
		"":                      nil,
	} {
		if got := person.Join(parts); got != want {
			t.Errorf("Join(%q) = %q", parts, got)
		}
	}
}
