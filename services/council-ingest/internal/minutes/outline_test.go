package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const simpleVote = "RESULT: ADOPTED [UNANIMOUS]\nMOVER: Nadia Frost, Trustee\nSECONDER: Oscar Pell, Trustee\nAYES: " +
	"Percy Lamb, Nadia Frost, Oscar Pell\n"

// outlineOf lists the voted items of a text: section, number, file number and title, then C for an
// item adopted by consent, and V for each vote.
func outlineOf(text string) string {
	r := Parse("Town Board\nMay 5, 2026\n"+strings.ReplaceAll(text, "V!\n", simpleVote), Options{})
	var out []string
	text = ""
	for _, it := range r.Items {
		for _, s := range []*string{it.Section, it.ItemNumber, it.FileNumber, &it.Title} {
			if s != nil {
				text += *s
			}
			text += "|"
		}
		if it.IsConsent {
			text += "C"
		}
		if len(it.Votes) > 1 {
			text += fmt.Sprint(len(it.Votes))
		}
		out = append(out, text)
		text = ""
	}
	return strings.Join(out, "\n")
}

func TestOutline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"roman sections, numbered items": {"I. Call to Order\nII. Old Business\n1. Pays Bills\nV!\n2. Sets Fees\nV!\nIII. " +
			"New Business\n1. Buys a Pump\nV!\nIV. Adjournment\n",
			"Old Business|1.||Pays Bills|\nOld Business|2.||Sets Fees|\nNew Business|1.||Buys a Pump|"},
		"lettered sections, bulleted items": {"A. Call to Order\nB. Business\n• Pays Bills\nV!\n• Sets Fees\nV!\nC. " +
			"Adjournment\n",
			"Business|||Pays Bills|\nBusiness|||Sets Fees|"},
		"numbered sections, dotted items": {"1. Call to Order\n2. Business\n2.1 Pays Bills\nV!\n2.2 Sets Fees\nV!\n3. " +
			"Adjournment\n",
			"Business|2.1||Pays Bills|\nBusiness|2.2||Sets Fees|"},
		"a roman section with lettered items up to I": {"I. Call to Order\nII. Business\n" + lettered("A", "B", "C", "D", "E",
			"F", "G", "H", "I", "J") + "III. Adjournment\n",
			"Business|A.||Item A|\nBusiness|B.||Item B|\nBusiness|C.||Item C|\nBusiness|D.||Item D|\nBusiness|E.||Item " +
				"E|\nBusiness|F.||Item F|\nBusiness|G.||Item G|\nBusiness|H.||Item H|\nBusiness|I.||Item I|\nBusiness|J.||Item J|"},
		"a section that is voted on itself": {"I. Call to Order\nII. Approval of Minutes\nV!\nIII. Adjournment\n",
			"|II.||Approval of Minutes|"},
		"headings without numbers": {"Old Business\n1. Pays Bills\nV!\n2. Sets Fees\nV!\nNew Business\n1. Buys a Pump\nV!\n",
			"Old Business|1.||Pays Bills|\nOld Business|2.||Sets Fees|\nNew Business|1.||Buys a Pump|"},
		"a figure that begins the last line of a sentence": {"I. Call to Order\nII. Business\n1. Pays Bills\nV!\nIII. " +
			"Reports\n" +
			"   The Supervisor reported on the Harbor Commission, whose vote on dredging had been 4 to\n   1.\n" +
			"IV. Adjournment\n   The Supervisor adjourned the meeting.\n   Philippa Quayle, Town Clerk\n\n" +
			"Resolution No. 26-2\n\nPays Bills\nTHE VOTE\nV!\n",
			"Business|1.||Pays Bills|"},
		"names that begin a line with an initial": {"I. Call to Order\nII. Business\n" +
			strings.Repeat("1) Pays Bills\n\nTrustee Frost moved to approve the request, seconded by Trustee\nO. Pell.\n\nV!\n",
				2) + "2) Sets Fees\n\nV!\n3) Buys a Pump\n\nV!\nIII. Adjournment\n",
			"Business|1)||Pays Bills|2\nBusiness|2)||Sets Fees|\nBusiness|3)||Buys a Pump|"},
		"file numbers": {"I. Call to Order\nII. Resolutions\n1. 2026-11 Pays Bills\nV!\n2. Sets Fees for the Year\n   RES " +
			"26-12\n\nV!\nIII. Adjournment\n",
			"Resolutions|1.|2026-11|Pays Bills|\nResolutions|2.|RES 26-12|Sets Fees for the Year|"},
		"titles that wrap": {"I. Call to Order\nII. Resolutions\n   1.    Pays Bills, Buys a Pump for the Tide Gate and " +
			"the Parts Needed to Keep it Going for\n         Ten Years\nV!\n   2.    Sets Fees\nV!\nIII. Adjournment\n",
			"Resolutions|1.||Pays Bills, Buys a Pump for the Tide Gate and the Parts Needed to Keep it Going for Ten " +
				"Years|\nResolutions|2.||Sets Fees|"},
		"a list in the text of an item": {"I. Call to Order\nII. Resolutions\n1. Buys Pumps\nThe pumps are for:\n\na " +
			"house, and\n\n  • the tide gate\n  • the mill\n\nV!\n2. Sets Fees\nV!\nIII. Adjournment\n",
			"Resolutions|1.||Buys Pumps|\nResolutions|2.||Sets Fees|"},
		"several votes on one item": {"I. Call to Order\nII. Resolutions\n1. Buys Pumps\nV!\nThe Mayor asked " +
			"again.\n\nV!\nIII. Adjournment\n",
			"Resolutions|1.||Buys Pumps|2"},
		"the number and the title on two lines": {"I. Call to Order\nII. Resolutions\n1.\nBuys Pumps\nV!\n2.\nSets " +
			"Fees\nV!\nIII. Adjournment\n",
			"Resolutions|1.||Buys Pumps|\nResolutions|2.||Sets Fees|"},
		"numbers left out": {"I. Call to Order\nII. Resolutions\n\n5. Buys Pumps\nV!\n\n9. Sets Fees\nV!\nIII. Adjournment\n",
			"Resolutions|5.||Buys Pumps|\nResolutions|9.||Sets Fees|"},
		"a title that fills its line": {"I. Call to Order\nII. Resolutions\n\n1. Authorizes the Purchase of Software and " +
			"the Upkeep of the Pump\n2. 2016 Salaries and Benefit Plans of the Harbor Department\n\nV!\nIII. Adjournment\n",
			"Resolutions|2.||2016 Salaries and Benefit Plans of the Harbor Department|"},
		"a result above its label, over a page's end": {"Call to Order\n\n1. Pays Bills\n\nV!\n\n2. Sets Fees\n\n     " +
			"ADOPTED [UNANIMOUS]\n\n\fRESULT:\nMOVER: Nadia Frost, Trustee\nSECONDER: Oscar Pell, Trustee\nAYES: Percy Lamb, " +
			"Nadia Frost, Oscar Pell\n\n3. Buys a Pump\n\nV!\n",
			"Call to Order|1.||Pays Bills|\nCall to Order|2.||Sets Fees|\nCall to Order|3.||Buys a Pump|"},
		"a letter behind a bullet": {"I. Call to Order\nII. Business\nC. Pays Bills\n• of the harbor fund\nV!\nD. Buys a " +
			"Pump\nV!\nIII. Adjournment\n",
			"Business|C.||Pays Bills|\nBusiness|D.||Buys a Pump|"},
		"two sections of one number": {"I. Call to Order\nII. Flag\nIII. Minutes\nIV. Letters\nV. Reports\nVI. " +
			"Hearings\nVII. Old Business\n1. Pays Bills\nV!\nVII. New Business\n1. Buys a Pump\nV!\nVIII. Adjournment\n",
			"Old Business|1.||Pays Bills|\nNew Business|1.||Buys a Pump|"},
		"no outline at all": {"V!\n", "||||"},
	} {
		if diff := cmp.Diff(c.want, outlineOf(c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func lettered(letters ...string) string {
	var b strings.Builder
	for _, l := range letters {
		b.WriteString(l + ". Item " + l + "\nV!\n")
	}
	return b.String()
}

func TestConsent(t *testing.T) {
	t.Parallel()
	const end = "III. Adjournment\n"
	const start = "I. Call to Order\nII. Consent Calendar\n"
	for name, c := range map[string]struct{ text, want string }{
		"one table, then the list": {start + "V!\nA. Pays Bills\nB. Sets Fees\nC. Buys a Pump\n" + end,
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|B.||Sets Fees|C\nConsent Calendar|C.||Buys a Pump|C"},
		"the list, then one table": {start + "A. Pays Bills\nB. Sets Fees\n\nV!\n" + end,
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|B.||Sets Fees|C"},
		"the table under each": {start + "A. Pays Bills\nV!\nB. Sets Fees\nV!\n" + end,
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|B.||Sets Fees|C"},
		"one pulled, with a stub": {start + "V!\nA. Pays Bills\nB. Item B moved to New Business\nC. Buys a Pump\nIII. New " +
			"Business\nB. Sets Fees\nV!\nIV. Adjournment\n",
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|C.||Buys a Pump|C\nNew Business|B.||Sets Fees|"},
		"one voted on by itself": {start + "A. Pays Bills\nV!\nB. Sets Fees\n" +
			strings.ReplaceAll(simpleVote, "Nadia Frost, Trustee", "Percy Lamb, Mayor") + "C. Buys a Pump\nV!\n" + end,
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|B.||Sets Fees|\nConsent Calendar|C.||Buys a Pump|C"},
		"one pulled, as the text says, and voted on later": {start +
			"Trustee Frost asked that item B be removed from the calendar.\n\nV!\nA. Pays Bills\nB. Sets Fees\nC. Buys a " +
			"Pump\n" +
			"III. Items Removed from the Consent Calendar\nB. Sets Fees\nV!\nIV. Adjournment\n",
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|C.||Buys a Pump|C\nItems Removed from the Consent " +
				"Calendar|B.||Sets Fees|"},
		"one pulled, as only its second place shows": {start +
			"V!\nA. Pays Bills\nB. Sets Fees for the Year\nC. Buys a Pump\nIII. New Business\nB. Sets Fees for the " +
			"Year\nV!\nIV. Adjournment\n",
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|C.||Buys a Pump|C\nNew Business|B.||Sets Fees for the Year|"},
		"two of one title": {start + "1. Approval of Minutes\nV!\n2. Approval of Minutes\nV!\nIII. New Business\n9. " +
			"Approval of Minutes\nV!\nIV. Adjournment\n",
			"Consent Calendar|1.||Approval of Minutes|C\nConsent Calendar|2.||Approval of Minutes|C\nNew " +
				"Business|9.||Approval of Minutes|"},
		"one vote above the parts of the list": {start + "V!\n\n                              MINUTES\n\n1. Minutes of " +
			"May\n\n2. Minutes of June\n\n                              FEES\n\n3. Sets Fees\n\n" + end,
			"MINUTES|1.||Minutes of May|C\nMINUTES|2.||Minutes of June|C\nFEES|3.||Sets Fees|C"},
		"all but two": {start + "Trustee Frost moved approval of all items except B and C, seconded by Trustee " +
			"Pell.\nV!\nA. Pays Bills\nB. Sets Fees\nC. Buys a Pump\nD. Sells a Pump\n" + end,
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|D.||Sells a Pump|C"},
		"pulled items with the numbers of their list": {"1. Call to Order\n2. Consent Calendar\nV!\n2.1 Pays Bills\n2.2 " +
			"Sets Fees\n2.3 Buys a Pump\n3. Items Pulled From Consent\n2.3 Buys a Pump\nV!\n4. Adjournment\n",
			"Consent Calendar|2.1||Pays Bills|C\nConsent Calendar|2.2||Sets Fees|C\nItems Pulled From Consent|2.3||Buys a " +
				"Pump|"},
		"a question about an item pulls none": {start + "The mayor asked whether an item a member had asked about may be " +
			"removed. Item A was not removed.\n\nV!\nA. Pays Bills\nB. Sets Fees\n" + end,
			"Consent Calendar|A.||Pays Bills|C\nConsent Calendar|B.||Sets Fees|C"},
		"no list": {start + "V!\n" + end, "|II.||Consent Calendar|C"},
		"no vote": {start + "A. Pays Bills\nB. Sets Fees\n" + end, ""},
	} {
		if diff := cmp.Diff(c.want, outlineOf(c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestConsentRange(t *testing.T) {
	t.Parallel()
	for motion, want := range map[string]string{
		"Trustee Frost made the motion to approve items A through B.": "",
		"Trustee Frost made the motion to approve items A through C.": "consent-range",
		"Trustee Frost made the motion to approve the calendar.":      "",
	} {
		r := Parse("Town Board\nMay 5, 2026\nI. Call to Order\nII. Consent Calendar\n"+motion+"\n"+simpleVote+
			"A. Pays Bills\nB. Sets Fees\nIII. Adjournment\n", Options{})
		if got := codesOf(r); got != want {
			t.Errorf("%q: %q, want %q", motion, got, want)
		}
	}
}

// A packet repeats its votes on attached resolutions. These votes are compared with the minutes,
// and never become votes of their own.
func TestPacket(t *testing.T) {
	t.Parallel()
	minutes := "Town Board\nMay 5, 2026\nI. Call to Order\nII. Resolutions\n1. 2026-1 Pays Bills\n" + simpleVote +
		"2. 2026-2 Sets Fees\n" + simpleVote + "III. Adjournment\n"
	other := strings.ReplaceAll(simpleVote, "AYES: Percy Lamb, ", "NAYS: Percy Lamb\nAYES: ")
	for name, c := range map[string]struct {
		text  string
		votes int
		codes string
	}{
		"without attachments": {minutes, 2, ""},
		"the vote to adjourn": {minutes + strings.ReplaceAll(simpleVote, "Nadia Frost, Trustee",
			"Percy Lamb, Mayor"), 3, ""},
		"repeated by number": {minutes + "\nTB Resolution 2026-2\nSETS FEES\n" + simpleVote +
			"\nTB Resolution 2026-1\nPAYS BILLS\n" + simpleVote, 2, ""},
		"repeated in order": {minutes + "\nPAYS BILLS\n" + simpleVote + "\nSETS FEES\n" + simpleVote, 2, ""},
		"one recorded otherwise": {minutes + "\nTB Resolution 2026-1\nPAYS BILLS\n" + simpleVote +
			"\nTB Resolution 2026-2\n" + other, 2, "attachment-differs"},
		"one that the minutes have not": {minutes + "\nTB Resolution 2026-1\n" + simpleVote + "\nTB Resolution 2026-2\n" +
			simpleVote + "\nSOMETHING ELSE\n" + simpleVote, 2, "attachment-differs"},
	} {
		r := Parse(c.text, Options{})
		votes := 0
		for _, it := range r.Items {
			votes += len(it.Votes)
		}
		if votes != c.votes || codesOf(r) != c.codes {
			t.Errorf("%s: %d votes, want %d; anomalies %q, want %q", name, votes, c.votes, codesOf(r), c.codes)
		}
	}
}
