package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

// Titles that differ only in numbers are not furniture, but a header with a page number is.
func TestTitlesThatDifferInFiguresStay(t *testing.T) {
	t.Parallel()
	const vote = "\nRESULT: ADOPTED [UNANIMOUS]\nMOVER: Odile Brandt, Mayor\nSECONDER: Suki Arano, Councilmember\nAYES: " +
		"Brandt, Vance, van der Meer, Arano, Ruiz-Santos\nABSENT: Finch\n"
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
					t.Errorf("%q at the %s of pages, with the footer %q (-want +got):\n%s", title, where, footer, diff)
				}
			}
		}
	}
}

func TestRepeatedPacketKeepsItsHead(t *testing.T) {
	t.Parallel()
	one := tableHead + oneRowALine + "\n\f2. Gift of Books\n" + oneRowALine + "\n\nIII. Adjournment\nThe meeting ended.\n"
	r := Parse(one+"\f"+one, Options{})
	if r.MeetingDate == nil || len(r.Items) != 2 || len(r.Items[0].Votes) != 1 || len(r.Items[1].Votes) != 1 {
		t.Errorf("date %v, items %+v, %s", r.MeetingDate, r.Items, codesOf(r))
	}
}

func TestATooLongTextIsCutWithAnAnomaly(t *testing.T) {
	t.Parallel()
	text := "City Council\nMay 5, 2026\n" + strings.Repeat("x\n", lines.MaxLines)
	if got := codesOf(Parse(text, Options{})); got != "text-cut" {
		t.Errorf("anomalies: %s", got)
	}
	for _, text := range []string{"", " \n\f\n\t", "Page 1 of 1"} {
		if got := codesOf(Parse(text, Options{})); got != "no-text" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// Repeated lines below the heading of two pages may belong to a vote. They are the sentence before
// a roll call, or the rest of a roll call, and not part of the heading.
func TestARunningHeadingEndsAtAVote(t *testing.T) {
	t.Parallel()
	cover := "ALDERBAY PLANNING COMMISSION\nMarch 5, 2026\n\nCommission Members Present:\nOdile Brandt\nTeodor Vance\n" +
		"Suki Arano\n\n"
	const head = "\fPUBLIC HEARING\n\nCASE NO. 26-ZONE-0042\n\n"
	const sentence = "The vote was as follows:\n\n"
	for name, c := range map[string]struct{ text, want string }{
		"a sentence": {head + sentence + "YES: Brandt, Vance and Arano\n" + head + sentence + "NO: Brandt, Vance and Arano\n",
			"3-0 0-3"},
		"the last name": {head + sentence + "YES: Brandt, Vance and\n" + head + "Arano\n\n" + sentence +
			"YES: Brandt, Vance and\n" + head + "Arano\n\n" + sentence + "YES: Vance\n", "3-0 3-0 1-0"},
	} {
		var got []string
		for _, it := range Parse(cover+c.text, Options{}).Items {
			for _, v := range it.Votes {
				got = append(got, fmt.Sprintf("%d-%d", v.AyesCount, v.NaysCount))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: votes %v, want %s", name, got, c.want)
		}
	}
}

// A converter writes a line between pages. It begins a page, within a roll, too, and each line keeps its number.
func TestPageMarksOfConverters(t *testing.T) {
	t.Parallel()
	const text = "TOWN OF ELM\nTOWN COUNCIL\nMarch 14, 2024\n--- PAGE 1 ---\nPresent: Ann Doe, Bob Roe, Cal Poe\n" +
		"--- PAGE 2 ---\nMotion by Doe, seconded by Roe to pay. The motion carried, 2-1, by the following roll call vote:\n" +
		"TOWN COUNCIL 2 MARCH 14, 2024\n\n--- PAGE 3 ---\nAYES: DOE,\nROE\nNAYS: POE\nTOWN COUNCIL 3 MARCH 14, 2024\n"
	for name, marked := range map[string]string{
		"dashes":  text,
		"comment": strings.NewReplacer("--- PAGE", "<!-- Page", " ---", " -->").Replace(text),
	} {
		r := Parse(marked, Options{})
		if len(r.Items) != 1 || len(r.Items[0].Votes) != 1 {
			t.Fatalf("%s: items %+v, want one vote", name, r.Items)
		}
		v := r.Items[0].Votes[0]
		if got := fmt.Sprint(*v.Page, rollOf(&v)); got != "2 aye Ann Doe, Bob Roe nay Cal Poe" {
			t.Errorf("%s: page and roll %s", name, got)
		}
		for _, ln := range NewParser(Options{}).Explain(marked) {
			if ln.Kind == "roll" && strings.HasPrefix(ln.Text, "NAYS") && (ln.Line != 13 || ln.Page != 3) {
				t.Errorf("%s: NAYS on page %d, line %d, want 3 and 13", name, ln.Page, ln.Line)
			}
		}
	}
}

// The letters of a word across the page stand on lines of their own, also within a roll.
func TestLettersOfAWatermark(t *testing.T) {
	t.Parallel()
	const item = "Motion:   Commissioner Roe\n\nSecond:   Commissioner Poe\n\nVote:     Commissioner Doe – Aye;\nD\n\n" +
		"          Commissioner Roe – Aye;\nR\n          Commissioner Poe – Nay.\n\n          The motion passed.\n\n"
	want := "adopted 2-1 Roe/Poe aye Doe, Roe nay Poe"
	if got := fullNames.Replace(votesIn(formsHead + item + "2. Fees\n\n" + item)); got != want+"; "+want {
		t.Errorf("votes %s, want %s twice", got, want)
	}
}
