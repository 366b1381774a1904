package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pages joins pages of text with form feeds.
func pages(p ...string) string { return strings.Join(p, "\n\f") }

func TestDropFurniture(t *testing.T) {
	t.Parallel()
	long := func(header, footer string, n int) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf("%s\n\nText of leaf %s here\nand more of it\n\n%s", header, string(rune('A'+i)), strings.ReplaceAll(footer, "#", fmt.Sprint(i+1))))
		}
		return out
	}
	for name, c := range map[string]struct {
		text string
		opt  Options
		want string
	}{
		"page numbers":        {pages("One\nPage 1 of 2", "two\n\nPage 2 of 2"), Options{}, "One|two"},
		"packet numbers":      {pages("One\nPacket Pg. 21", "two\nPacket Pg. 22 7.B"), Options{}, "One|two"},
		"numbers with dashes": {pages("One\n- 1 -", "two\n- 2 -"), Options{}, "One|two"},
		"a repeated header and footer": {pages(long("Town of Thistledown   Minutes of May 5", "printed 5/7, leaf #", 3)...), Options{},
			"Text of leaf A here|and more of it|Text of leaf B here|and more of it|Text of leaf C here|and more of it"},
		"a two-line footer": {pages(long("", "Town Hall\n12 Quay Street, leaf #", 4)...), Options{},
			"Text of leaf A here|and more of it|Text of leaf B here|and more of it|Text of leaf C here|and more of it|Text of leaf D here|and more of it"},
		"the deployment's own":                        {"One\nCrier copy 5\ntwo", Options{Furniture: []string{"Crier copy", ""}}, "One|two"},
		"an address that repeats without page breaks": {"One\nsee www.t.example\ntwo\nsee www.t.example\nthree\nsee www.t.example\n", Options{}, "One|two|three"},
		"an address that does not repeat":             {"One\nsee www.t.example\ntwo", Options{}, "One|see www.t.example|two"},
		"rows of votes at the foot of every page": {pages("One\nABSENT: None", "two\nABSENT: None", "three\nABSENT: None"), Options{},
			"One|ABSENT: None|two|ABSENT: None|three|ABSENT: None"},
		"the end of a wrapped roll":               {pages("AYES: Doe,\nJoan Roe", "AYES: Doe,\nJoan Roe", "x\ny"), Options{}, "AYES: Doe,|Joan Roe|AYES: Doe,|Joan Roe|x|y"},
		"a heading's number at the foot of pages": {pages("One\n3.", "Title\n\nx", "y\n4.", "Title Two"), Options{}, "One|3.|Title||x|y|4.|Title Two"},
		"text around a break is whole":            {pages("A title that goes\n\n\n", "\n\non here"), Options{}, "A title that goes|on here"},
	} {
		p := NewParser(c.opt)
		lines, _ := splitLines(c.text, false)
		var got []string
		for _, ln := range p.dropFurniture(lines) {
			got = append(got, ln.text)
		}
		if diff := cmp.Diff(c.want, strings.Trim(strings.Join(got, "|"), "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Titles that are alike but for their figures are no furniture, wherever on
// their pages they stand; a header that counts its pages is.
func TestTitlesThatDifferInFiguresStay(t *testing.T) {
	t.Parallel()
	const vote = "\nRESULT: ADOPTED [UNANIMOUS]\nMOVER: Odile Brandt, Mayor\nSECONDER: Suki Arano, Councilmember\nAYES: Brandt, Vance, van der Meer, Arano, Ruiz-Santos\nABSENT: Finch\n"
	for title, want := range map[string]string{
		"#. Resolution 2024-3# Sets the Fee of a Harbor Berth": "Resolution 2024-3# Sets the Fee of a Harbor Berth",
		"#. RES-2024-10#":                                        "RES-2024-10#",
		"#. Special Event Permit 2#":                             "Special Event Permit 2#",
		"#. Sets the Fee of a Harbor Berth\nRES-2024-10#":        "Sets the Fee of a Harbor Berth",
		"#. Tax Parcel 1#-4, Easement\nFrom the Harbor Road":     "Tax Parcel 1#-4, Easement From the Harbor Road",
		"#. Ratifies Change Order # of the Contract on the Pier": "Ratifies Change Order # of the Contract on the Pier",
	} {
		numbered := func(text string, n int) string { return strings.ReplaceAll(text, "#", fmt.Sprint(n)) }
		top, foot := []string{tableHead[:strings.Index(tableHead, "1. Contract")]}, []string{""}
		foot[0] = top[0] + "\n" + numbered(title, 1)
		for n := 1; n <= 5; n++ {
			top = append(top, numbered(title, n)+"\n"+vote)
			next := "III. Adjournment\nThe meeting ended."
			if n < 5 {
				next = numbered(title, n+1)
			}
			foot = append(foot, vote+"\n"+next)
		}
		for where, leaves := range map[string][]string{"top": top, "foot": foot} {
			for _, footer := range []string{"Page # of 6", "Harbor Town Minutes #"} {
				text := ""
				for n, leaf := range leaves {
					text += leaf + "\n\n" + numbered(footer, n+1) + "\n\f"
				}
				var got, wanted []string
				for _, it := range Parse(text, Options{}).Items {
					got = append(got, fmt.Sprintf("%s %s %d", *it.ItemNumber, it.Title, len(it.Votes)))
				}
				for n := 1; n <= 5; n++ {
					wanted = append(wanted, numbered("#. "+want+" 1", n))
				}
				if diff := cmp.Diff(wanted, got); diff != "" {
					t.Errorf("%q at the %s of pages, %q below (-want +got):\n%s", title, where, footer, diff)
				}
			}
		}
	}
}

// A packet of minutes printed twice keeps the head of the first.
func TestADoubledPacketKeepsItsHead(t *testing.T) {
	t.Parallel()
	one := tableHead + oneRowALine + "\n\f2. Gift of Books\n" + oneRowALine + "\n\nIII. Adjournment\nThe meeting ended.\n"
	r := Parse(one+"\f"+one, Options{})
	if r.MeetingDate == nil || len(r.Items) != 2 || len(r.Items[0].Votes) != 1 || len(r.Items[1].Votes) != 1 {
		t.Errorf("date %v, items %+v, %s", r.MeetingDate, r.Items, codesOf(r))
	}
}

func TestSplitLines(t *testing.T) {
	t.Parallel()
	lines, whole := splitLines("a\tb\u00a0c  \n   ﬁne \u200bprint\u00ad\r\n\f\uf0b7 x\n\xff", false)
	want := []line{{text: "a b c", page: 1, newPage: true}, {text: "fine print", indent: 3, page: 1}, {text: "• x", page: 2, newPage: true}, {text: "\uFFFD", page: 2}}
	if diff := cmp.Diff(want, lines, cmp.AllowUnexported(line{})); diff != "" || !whole {
		t.Errorf("whole %v (-want +got):\n%s", whole, diff)
	}
	if lines, _ := splitLines("a\nb", false); lines[1].page != 0 {
		t.Errorf("a text without pages is on page %d", lines[1].page)
	}
	if lines, _ := splitLines("a\nb", true); lines[1].page != 1 {
		t.Errorf("a paged document without form feed is on page %d", lines[1].page)
	}
}

func TestATooLongTextIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	text := "City Council\nMay 5, 2026\n" + strings.Repeat("x\n", maxLines)
	if got := codesOf(Parse(text, Options{})); got != "text-cut" {
		t.Errorf("anomalies: %s", got)
	}
	if lines, _ := splitLines(strings.Repeat("é", 2*maxLine), false); len(lines[0].text) > maxLine+4 {
		t.Errorf("a line of %d bytes", len(lines[0].text))
	}
	for _, text := range []string{"", " \n\f\n\t", "Page 1 of 1"} {
		if got := codesOf(Parse(text, Options{})); got != "no-text" {
			t.Errorf("%q: %s", text, got)
		}
	}
}
