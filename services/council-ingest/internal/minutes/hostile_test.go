package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// hostile returns hostile texts of about size bytes.
func hostile(size int) map[string]string {
	head, _, _ := strings.Cut(chamber("  RESULT:   ADOPTED [UNANIMOUS]\n  MOVER:    Odile Brandt, Councilmember\n  "+
		"SECONDER: Teodor Vance, Councilmember\n  AYES:     Odile Brandt, Teodor Vance\n"), "\nII. Adjournment")
	table := "RESULT: ADOPTED [UNANIMOUS]\nMOVER: Odile Brandt\nSECONDER: Teodor Vance\nAYES: Brandt, Vance, Arano\n"
	numbered := func(format string) string {
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)+1) }
	return map[string]string{
		"results":               head + repeat("RESULT: ADOPTED [UNANIMOUS]\n"),
		"results of one letter": head + repeat("RESULT: A\n\n"),
		"tables":                head + repeat(table),
		"tables of one item":    head + "1. 2026-15 Sewer\n" + repeat(table+"\n"),
		"results alone":         repeat("RESULT:\n"),
		"result comes last":     head + repeat("MOVER: Odile Brandt\nAYES: Brandt, Vance\nRESULT: ADOPTED\n\n"),
		"movers alone":          head + repeat("MOVER: Odile Brandt\n"),
		"names":                 head + "AYES: " + numbered("Ada%d Finch,\n"),
		"names of a table":      head + "RESULT: ADOPTED [9 TO 0]\nAYES: " + numbered("Ada Finch%d, "),
		"members": "Attendee Name          Title            Status    Arrived\n" +
			numbered("  Ada Finch%d          Councilmember    Present\n"),
		"movers that differ":   head + numbered("RESULT: ADOPTED\nMOVER: Ada%[1]d Finch%[1]d\n"),
		"headings":             head + numbered("%d. A Heading\n"),
		"headings and letters": head + numbered("%d. A Heading\n  A. An Item\n  B. Another Item\n"),
		"roman headings":       head + repeat("I. Call to Order\nII. Consent Calendar\n"),
		"a consent list": head + "III. Consent Calendar\nRESULT: ADOPTED [UNANIMOUS]\nMOVER: Odile Brandt\nAYES: " +
			"Brandt, Vance\n" + numbered("%d. 2026-%[1]d An Item\n"),
		"file numbers": head + numbered("%d. 2026-%[1]d An Item\n\nRESULT: ADOPTED\nTB Resolution 2026-1\n"),
		"attachments": head + "IV. Adjournment\nRespectfully submitted,\n" +
			repeat("TB Resolution 2026-14\n"+table),
		"bullets": head + repeat("• an item\n"),
		"motions": head + repeat("Councilmember Brandt moved, seconded by Councilmember Vance, to adopt the "+
			"item. The motion passed.\n"),
		"one line":             repeat("Odile Brandt moved; RESULT: ADOPTED "),
		"deep indentation":     head + repeat(strings.Repeat(" ", 3000)+"1. An Item\n"),
		"page breaks":          head + repeat("\f1. An Item\n"),
		"blank lines":          head + repeat("\n"),
		"marks":                head + "Member   YES   NO\n" + repeat("Odile Brandt   X\n"),
		"a spoken roll":        head + repeat("Brandt: Aye\nVance: Nay\n"),
		"broken words":         head + repeat("word-\n"),
		"labels before values": head + repeat("RESULT:\nMOVER:\nSECONDER:\nAYES:\nADOPTED\nBrandt\nVance\nBrandt, Vance\n"),
	}
}

// Records have bounds that real minutes never reach. An anomaly says that parts are omitted.
func TestHostileTextsAreBounded(t *testing.T) {
	t.Parallel()
	for name, text := range hostile(200 << 10) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Parse(text, Options{})
			votes, positions := 0, 0
			for _, it := range r.Items {
				votes += len(it.Votes)
				for _, v := range it.Votes {
					positions += len(v.Roll)
				}
			}
			if votes > 2*signal.MaxTables || positions > votes*500 || len(r.Anomalies) > 4_000+2*len(council.AnomalyCodes()) {
				t.Errorf("the record exceeds a bound: %d votes, %d positions, %d anomalies", votes, positions, len(r.Anomalies))
			}
			if (Refuses(text) != "" || votes >= signal.MaxTables) && !strings.Contains(codesOf(r), string(council.CodeTextCut)) {
				t.Errorf("%d votes without an anomaly about the missing ones", votes)
			}
		})
	}
}

func TestTooManyResultsAreRefused(t *testing.T) {
	t.Parallel()
	if why := Refuses(strings.Repeat("RESULT: ADOPTED\n", signal.MaxTables)); why != "" {
		t.Errorf("Refuses at the limit: %s", why)
	}
	if why := Refuses(strings.Repeat("Result: Adopted\n", signal.MaxTables+1)); !strings.Contains(why,
		"prints 2001 results") {
		t.Errorf("Refuses above the limit: %q", why)
	}
}
