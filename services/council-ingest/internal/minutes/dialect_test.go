package minutes_test

import (
	"strings"
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

func TestLabel(t *testing.T) {
	t.Parallel()
	d := lexicon.New(lexicon.Words{}, nil)
	type answer struct {
		kind  lexicon.Sense
		value string
		ok    bool
	}
	for _, c := range []struct {
		text   string
		inside bool
		want   answer
	}{
		{"AYES: Doe, Roe", false, answer{lexicon.Aye, "Doe, Roe", true}},
		{"YEAS:  Doe", false, answer{lexicon.Aye, "Doe", true}},
		{"NOES : Doe", false, answer{lexicon.Nay, "Doe", true}},
		{"SECONDED BY: Doe", false, answer{lexicon.Seconder, "Doe", true}},
		{"ABSTAIN", true, answer{lexicon.Abstain, "", true}},
		{"ABSTAIN", false, answer{}},
		{"ABSTAIN   Doe", true, answer{lexicon.Abstain, "Doe", true}},
		{"Result: Adopted", false, answer{lexicon.Result, "Adopted", true}},
		{"Ayes: Doe", true, answer{lexicon.Aye, "Doe", true}},
		{"Ayes: Doe", false, answer{}},
		{"NOT VOTING: Doe", true, answer{lexicon.Absent, "Doe", true}},
		{"NOT VOTING: Doe", false, answer{lexicon.Absent, "Doe", true}},
		{"STOOD ASIDE: Doe", true, answer{lexicon.Unknown, "Doe", true}},
		{"STOOD ASIDE: Doe", false, answer{}},
		{"EXCUSED: Doe", true, answer{lexicon.Away, "Doe", true}},
		{"NO: Doe", false, answer{lexicon.Nay, "Doe", true}},
		{"No: that is wrong", false, answer{}},
		{"RESULTS OF THE ELECTION", true, answer{}},
		{"Anderson, Doe", true, answer{}},
		{"", true, answer{}},
	} {
		kind, value, ok := d.Label(c.text, c.inside)
		if got := (answer{kind, value, ok}); got != c.want {
			t.Errorf("%q, inside %v: %+v, want %+v", c.text, c.inside, got, c.want)
		}
	}
}

func TestSplitNames(t *testing.T) {
	t.Parallel()
	p := person.NewPeople(person.NewWords())
	for value, want := range map[string]string{
		"Odile Brandt, Teodor Vance":                   "Odile Brandt|Teodor Vance",
		"Brandt; Vance and Ruiz-Santos":                "Brandt|Vance|Ruiz-Santos",
		"Brandt, Vance, and Arano":                     "Brandt|Vance|Arano",
		"Odile Brandt, Mayor":                          "Odile Brandt",
		"Odile Brandt, Board Chair & Director, Ward C": "Odile Brandt",
		"Vice Mayor Vance, COUNCILMEMBER ARANO":        "Vance|ARANO",
		"Walter Finch, Jr., Suki Arano":                "Walter Finch, Jr.|Suki Arano",
		"None":                                         "",
		"None.":                                        "",
		"N/A":                                          "",
		"":                                             "",
		"Brandt,, Vance,":                              "Brandt|Vance",
		"MAYOR PRO TEM VANCE (recusal), Arano (remote)": "VANCE (recusal)|Arano (remote)",
		"Roberta “Bobbie” Tull":                         "Roberta “Bobbie” Tull",
	} {
		var got []string
		for _, n := range p.Split(value) {
			name := n.Text
			if n.Note != "" {
				name += " (" + n.Note + ")"
			}
			got = append(got, name)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q is %q, want %s", value, got, want)
		}
	}
}

func TestLooksLikeResult(t *testing.T) {
	t.Parallel()
	d := lexicon.New(lexicon.Words{}, nil)
	for text, want := range map[string]bool{
		"ADOPTED [4 TO 1]":                   true,
		"[UNANIMOUS]":                        true,
		"Placed on File [9-0-0]":             true,
		"PASSED [9 TO 2] WITH 1 ABSTENTION":  true,
		"FAILED OF ADOPTION":                 true,
		"Tabled":                             true,
		"VV9":                                true,
		"The motion passed [4 TO 1] we hope": false,
		"The motion was adopted.":            false,
		"Jane Roe, Councilmember":            false,
		"see [1]":                            false,
		"":                                   false,
	} {
		if got := d.LooksLikeResult(text); got != want {
			t.Errorf("LooksLikeResult(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestItemsThatAMotionNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"to approve items A – D":                    "A B C D",
		"to approve items A-D of the calendar":      "A B C D",
		"to approve items A through C and F":        "A B C F",
		"to approve items B, D and E, as read":      "B D E",
		"to approve item C":                         "C",
		"to approve Items 2 to 4 & 7":               "2 3 4 7",
		"to approve items D – A":                    "A D",
		"to approve the items on the calendar":      "",
		"to approve the calendar":                   "",
		"to approve items 1 - 999 of the long list": "1 999",
	} {
		if got := strings.Join(lexicon.Range(text), " "); got != want {
			t.Errorf("Range(%q) = %q, want %q", text, got, want)
		}
	}
}

// Each dialect names its source, and recognises the labels of its sample. Every label has a word.
func TestKnownDialects(t *testing.T) {
	t.Parallel()
	d := lexicon.New(lexicon.Words{}, nil)
	labels := map[lexicon.Sense]bool{}
	for _, w := range lexicon.Known() {
		if w.Name == "" || w.Source == "" || w.Validate() != nil {
			t.Errorf("the dialect %+v is invalid: %v", w, w.Validate())
		}
		for line := range strings.Lines(w.Sample) {
			if row, _, ok := d.Label(strings.TrimSpace(line), true); ok &&
				(row == lexicon.Unknown || d.From(strings.TrimSpace(line)) == "") {
				t.Errorf("%s: the label of the line %q is unknown", w.Name, line)
			}
		}
		for name, words := range w.Labels {
			for _, word := range words {
				row, value, ok := d.Label(word+": Roe", true)
				labels[row] = true
				if !ok || row.String() != name || value != "Roe" {
					t.Errorf("%s: the label %s is read as %s, with the value %q", w.Name, word, row, value)
				}
			}
		}
	}
	for _, word := range []string{"SECONDER", "AYES", "NAYS", "ABSTAIN", "ABSENT", "RECUSED"} {
		row, _, _ := d.Label(word+": Roe", true)
		labels[row] = true
	}
	if len(labels) != int(lexicon.Labels)-1 {
		t.Errorf("only the rows %v have words", labels)
	}
	for _, w := range []lexicon.Words{{Labels: map[string][]string{"ayes": nil}},
		{Status: map[string]string{"here": "Here"}}} {
		if w.Validate() == nil {
			t.Errorf("%+v is accepted", w)
		}
	}
}
