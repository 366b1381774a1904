package minutes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/townline/townline/pkg/council"
)

func TestLabel(t *testing.T) {
	t.Parallel()
	d := newDialect()
	type answer struct {
		kind  rowKind
		value string
		ok    bool
	}
	for _, c := range []struct {
		text   string
		inside bool
		want   answer
	}{
		{"AYES: Doe, Roe", false, answer{rowAye, "Doe, Roe", true}},
		{"YEAS:  Doe", false, answer{rowAye, "Doe", true}},
		{"NOES : Doe", false, answer{rowNay, "Doe", true}},
		{"SECONDED BY: Doe", false, answer{rowSeconder, "Doe", true}},
		{"ABSTAIN", true, answer{rowAbstain, "", true}},
		{"ABSTAIN", false, answer{}},
		{"ABSTAIN   Doe", true, answer{rowAbstain, "Doe", true}},
		{"Result: Adopted", false, answer{rowResult, "Adopted", true}},
		{"Ayes: Doe", true, answer{rowAye, "Doe", true}},
		{"Ayes: Doe", false, answer{}},
		{"NOT VOTING: Doe", true, answer{rowUnknown, "Doe", true}},
		{"NOT VOTING: Doe", false, answer{}},
		{"EXCUSED: Doe", true, answer{rowAway, "Doe", true}},
		{"NO: Doe", false, answer{rowNay, "Doe", true}},
		{"No: that is wrong", false, answer{}},
		{"RESULTS OF THE ELECTION", true, answer{}},
		{"Anderson, Doe", true, answer{}},
		{"", true, answer{}},
	} {
		kind, value, ok := d.label(c.text, c.inside)
		if got := (answer{kind, value, ok}); got != c.want {
			t.Errorf("%q, inside %v: %+v, want %+v", c.text, c.inside, got, c.want)
		}
	}
}

func TestSplitNames(t *testing.T) {
	t.Parallel()
	d := newDialect()
	plain := func(names ...string) (out []printedName) {
		for _, n := range names {
			out = append(out, printedName{text: n})
		}
		return out
	}
	for value, want := range map[string][]printedName{
		"Odile Brandt, Teodor Vance":                   plain("Odile Brandt", "Teodor Vance"),
		"Brandt; Vance and Ruiz-Santos":                plain("Brandt", "Vance", "Ruiz-Santos"),
		"Brandt, Vance, and Arano":                     plain("Brandt", "Vance", "Arano"),
		"Odile Brandt, Mayor":                          plain("Odile Brandt"),
		"Odile Brandt, Board Chair & Director, Ward C": plain("Odile Brandt"),
		"Vice Mayor Vance, COUNCILMEMBER ARANO":        plain("Vance", "ARANO"),
		"Walter Finch, Jr., Suki Arano":                plain("Walter Finch, Jr.", "Suki Arano"),
		"None":                                         {},
		"None.":                                        {},
		"N/A":                                          {},
		"":                                             {},
		"Brandt,, Vance,":                              plain("Brandt", "Vance"),
		"MAYOR PRO TEM VANCE (recusal), Arano (remote)": {{text: "VANCE", note: "recusal"}, {text: "Arano", note: "remote"}},
		"Roberta “Bobbie” Tull":                         plain("Roberta “Bobbie” Tull"),
	} {
		if diff := cmp.Diff(want, d.splitNames(value), cmp.AllowUnexported(printedName{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", value, diff)
		}
	}
}

func TestNamesWithoutCommas(t *testing.T) {
	t.Parallel()
	p := &people{dialect: newDialect()}
	for _, name := range []string{"Odile Brandt", "Teodor Vance", "Jan van der Meer", "Agnes Marlow", "Bertram Marlow"} {
		p.roster.Add(name)
	}
	for text, want := range map[string][]string{
		"Brandt Vance van der Meer":   {"Odile Brandt", "Teodor Vance", "Jan van der Meer"},
		"Odile Brandt Teodor Vance":   {"Odile Brandt", "Teodor Vance"},
		"Agnes Marlow Bertram Marlow": {"Agnes Marlow", "Bertram Marlow"},
		"Brandt Marlow":               nil, // which Marlow?
		"Brandt Quist":                nil,
		"Odile Brandt":                nil, // one member, not two
		"Brandt":                      nil,
		"":                            nil,
	} {
		if diff := cmp.Diff(want, p.splitUnparted(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// The attendance list decides; full names that stand elsewhere in the votes
// only help where it says nothing.
func TestPeopleResolve(t *testing.T) {
	t.Parallel()
	p := &people{dialect: newDialect()}
	p.roster.Add("Odile Brandt")
	p.learn("Suki Arano")
	p.learn("O. Brandt")
	for printed, want := range map[string]resolved{
		"Brandt":       {"Odile Brandt", council.MatchLast, false},
		"Odile Brandt": {"Odile Brandt", council.MatchFull, false},
		"Arano":        {"Suki Arano", council.MatchLast, true},
		"Odile Brnadt": {"Odile Brandt", council.MatchMisspelt, false},
		"Quist":        {"Quist", council.MatchNone, true},
	} {
		if got := p.resolve(printed); got != want {
			t.Errorf("%q: %+v, want %+v", printed, got, want)
		}
	}
	p.roster.Add("Solveig Brandt")
	p.cache = nil
	if got := p.resolve("Brandt"); got.match != council.MatchAmbiguous || got.name != "Brandt" {
		t.Errorf("two Brandts: %+v", got)
	}
}

func TestPeopleAreBounded(t *testing.T) {
	t.Parallel()
	p := &people{dialect: newDialect()}
	for i := range 2 * maxPeople {
		p.learn("Citizen " + string(rune('A'+i%26)) + string(rune('a'+i/26)) + "xyz")
	}
	if p.seen.Len() != maxPeople {
		t.Errorf("%d people are known, the bound is %d", p.seen.Len(), maxPeople)
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
		if got := joinNames(parts); got != want {
			t.Errorf("%q: %q", parts, got)
		}
	}
}

// An office that nothing makes known as one is told of.
func TestAnUnknownOfficeIsToldOf(t *testing.T) {
	t.Parallel()
	const head = "Town Board\nMay 5, 2026\n\nI. Call to Order\nII. Business\n1. Sets Fees\n"
	roll := func(office string) string {
		return strings.ReplaceAll("RESULT: ADOPTED [UNANIMOUS]\nMOVER: #Nadia Frost\nSECONDER: #Oscar Pell\nAYES: #Percy Lamb, #Nadia Frost, #Oscar Pell\n", "#", office)
	}
	for office, want := range map[string]string{"Jurat ": "member-unknown", "Trustee ": "", "": ""} {
		if got := codesOf(Parse(head+roll(office)+"III. Adjournment\n", Options{})); got != want {
			t.Errorf("%q: %s", office, got)
		}
	}
}
