package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

func pages(p ...string) string { return strings.Join(p, "\n\f") }

func TestDropFurniture(t *testing.T) {
	t.Parallel()
	long := func(header, footer string, n int) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf("%s\n\nText of leaf %s here\nand more of it\n\n%s", header, string(rune('A'+i)),
				strings.ReplaceAll(footer, "#", fmt.Sprint(i+1))))
		}
		return out
	}
	for name, c := range map[string]struct {
		text string
		own  []string
		want string
	}{
		"page numbers":        {pages("One\nPage 1 of 2", "two\n\nPage 2 of 2"), nil, "One|two"},
		"packet numbers":      {pages("One\nPacket Pg. 21", "two\nPacket Pg. 22 7.B"), nil, "One|two"},
		"numbers with dashes": {pages("One\n- 1 -", "two\n- 2 -"), nil, "One|two"},
		"a repeated header and footer": {pages(long("Town of Thistledown   Minutes of May 5", "printed 5/7, leaf #", 3)...),
			nil,
			"Text of leaf A here|and more of it|Text of leaf B here|and more of it|Text of leaf C here|and more of it"},
		"a two-line footer": {pages(long("", "Town Hall\n12 Quay Street, leaf #", 4)...), nil,
			"Text of leaf A here|and more of it|Text of leaf B here|and more of it|Text of leaf C here|and more of it|Text of " +
				"leaf D here|and more of it"},
		"the deployment's own": {"One\nCrier copy 5\ntwo", []string{"Crier copy", ""}, "One|two"},
		"an address that repeats without page breaks": {"One\nsee www.t.example\ntwo\nsee www.t.example\nthree\nsee " +
			"www.t.example\n", nil, "One|two|three"},
		"an address that does not repeat": {"One\nsee www.t.example\ntwo", nil, "One|see www.t.example|two"},
		"rows of votes at the foot of every page": {pages("One\nABSENT: None", "two\nABSENT: None", "three\nABSENT: None"),
			nil,
			"One|ABSENT: None|two|ABSENT: None|three|ABSENT: None"},
		"the end of a wrapped roll": {pages("AYES: Doe,\nJoan Roe", "AYES: Doe,\nJoan Roe", "x\ny"), nil,
			"AYES: Doe,|Joan Roe|AYES: Doe,|Joan Roe|x|y"},
		"a heading's number at the foot of pages": {pages("One\n3.", "Title\n\nx", "y\n4.", "Title Two"), nil,
			"One|3.|Title||x|y|4.|Title Two"},
		"text around a break is whole": {pages("A title that goes\n\n\n", "\n\non here"), nil,
			"A title that goes|on here"},
	} {
		var got []string
		for _, ln := range signal.Read(c.text, lexicon.New(lexicon.Words{}, nil), c.own, false).Lines {
			got = append(got, ln.Text)
		}
		if diff := cmp.Diff(c.want, strings.Trim(strings.Join(got, "|"), "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSplitLines(t *testing.T) {
	t.Parallel()
	if got, _ := lines.Split(strings.Repeat("é", 8_000), false); len(got[0].Text) > 4_004 {
		t.Errorf("a line has %d bytes", len(got[0].Text))
	}
	got, whole := lines.Split("a\tb\u00a0c  \n   ﬁne \u200bprint\u00ad\r\n\f\uf0b7 x\n\xff", false)
	want := []lines.Line{
		{Text: "a    b c", Page: 1, NewPage: true, No: 1},
		{Text: "fine print", Indent: 3, Page: 1, No: 2},
		{Text: "• x", Page: 2, NewPage: true, No: 3},
		{Text: "\uFFFD", Page: 2, No: 4},
	}
	if diff := cmp.Diff(want, got); diff != "" || !whole {
		t.Errorf("whole %v (-want +got):\n%s", whole, diff)
	}
	if got, _ := lines.Split("a\nb", false); got[1].Page != 0 {
		t.Errorf("a text without pages is on page %d", got[1].Page)
	}
	if got, _ := lines.Split("a\nb", true); got[1].Page != 1 {
		t.Errorf("a paged document without form feed is on page %d", got[1].Page)
	}
}

// The cells of hostile tables are aligned within a bound of the size of the text.
func TestTabsOfHostileTablesTakeBoundedSpace(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat(strings.Repeat("w", 80)+"\t", 15) + "w\n"
	for _, text := range []string{strings.Repeat("a\t\tb\n", 10_000) + wide, strings.Repeat(wide+strings.Repeat("a\t\tb\n", 200), 50)} {
		all, _ := lines.Split(text, false)
		size := 0
		for _, ln := range all {
			size += len(ln.Text)
		}
		if size > 20*len(text) {
			t.Errorf("%d bytes of %d", size, len(text))
		}
	}
}
