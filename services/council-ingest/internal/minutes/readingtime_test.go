package minutes

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nearMatches are pieces of lines that look like the beginning of something that is read: a motion, a
// row, an outcome, a heading, a list of members. A reader that searches on from each of them takes a time
// that grows with the square of the text.
var nearMatches = []string{
	"Motion by Ann Doe, ", "Moved by Doe. ", "Doe moved to pave ", "On motion of Doe, ", "Doe made a motion to ",
	"M/S/C (Doe/Roe) ",
	"seconded by ", "seconded by Roe. ", "Roe seconded. ", "supported by Doe, ", "Motion: ", "Second: ", "MOVER: Doe ",
	"Motion carried. ", "Motion carried 4-1 ", "The motion ", "Carried ", "carried unanimously, ", "failed 2-3 (",
	"RESULT: ",
	"VOTE: 4-1 ", "BOARD VOTE: 3 In Favor 2 Opposed ", "resolved that ", "it was resolved ", "VOTED: ", "(Y-5) ",
	"So ordered. ",
	"The motion died for lack of a second. ", "Doe withdrew the motion. ", "tabled ", "All in favor. ", "unanimous ",
	"Ayes: ", "Ayes: Doe, Roe, ", "NOES: None ", "Ayes – 4; ", "4 ayes, ", "ABSENT: Doe ", "abstaining, ", "Recused: ",
	"Doe – aye; ", "Doe: Yes ", "Doe, yes; ", "Mr. Doe (Y), ", "Doe aye Roe nay ", "Those voting yes: Doe, ",
	"with Doe voting no, ",
	"Doe opposed. ", "Doe, Roe, Poe ", "Ann Doe, ", "Councilmember ", "and ", "Mayor Doe, Councilmembers ", "Jr., ",
	"voted in favor, ", "the following vote: ", "roll call vote ", "Roll Call: ", "In Favour (3) ", "For   Against ",
	"| Doe | X | ", "X   ", "Present: ", "Present: Ann Doe, Bob Roe, ", "Members absent: ", "Attendee Name   " +
		"Title   Status ",
	"il est proposé par ", "Il est proposé par Mme Doe, appuyé par M. Roe, ", "et résolu que ", "adopté à l’unanimité ",
	"par 3 voix pour et ", "Pour : 2 ", "Contre : ", "le conseil, ", "décide de ",
	"propuesto por ", "secundado por la regidora Roe ", "se somete a votación ", "por unanimidad, ", "votos a favor: ",
	"tres votos a favor y ", "el Pleno acuerda ",
	"1. ", "5.1. ", "A. ", "IV. ", "2026-15 ", "Resolution 2026-15 ", "Ordinance No. ", "R2026-063 S. Doe, J. Roe: ",
	"NEW BUSINESS ",
	"Consent Agenda ", "items 1, 2, 3 and ", "items A to K ", "except item ", "Page 3 of 10 ", "March 3, 2026 ",
	"7:15 p.m. ",
	"(", ")", "((", "()", "[", "“", "\"", "- ", "– ", "; ", ": ", ", ", ". ", "/", "_", "a", "A", "É", "9", "9-",
	"4-1 ", "word-",
	"\u00ad", "\ufb01", "  ", "\t", " \u00a0",
}

// repeated puts a piece on one line, on a line each, in paragraphs, and on lines of the usual width.
var repeated = map[string]func(piece string) string{
	"on one line":    func(piece string) string { return piece },
	"on lines":       func(piece string) string { return piece + "\n" },
	"in paragraphs":  func(piece string) string { return piece + "\n\n" },
	"on whole lines": func(piece string) string { return strings.Repeat(piece, 80/len(piece)+1) + "\n" },
}

// The time to read a text grows with its length: a text of four times the length takes about four times as long,
// not sixteen times. The processor time of this process does not depend on other programs. This test is
// serial: it would measure tests in parallel, too.
func TestReadingTimeGrowsWithTheText(t *testing.T) {
	const most, total = 11, 4 * time.Minute
	// Of many short lines, a search in all items or paragraphs shows only in a long text.
	sizes := map[string]int{"on one line": 8 << 10, "on lines": 8 << 10}
	long := []string{"VOTED: ", "Pour : 2 ", "1. "}
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		long = nearMatches
		for layout := range repeated {
			sizes[layout] = 24 << 10
		}
	}
	parser := NewParser(Options{})
	timed := func(text string) time.Duration {
		from := processorTime(t)
		parser.Parse(text)
		return max(processorTime(t)-from, 2*time.Millisecond)
	}
	began := processorTime(t)
	check := func(layout, piece string, size int) {
		text := repeated[layout](piece)
		short := formsHead + strings.Repeat(text, size/len(text)+1)
		long := formsHead + strings.Repeat(text, 4*size/len(text)+4)
		one := timed(short)
		four := timed(long)
		// The garbage of an earlier run makes a run slower: the least of several runs is the reader's own time.
		for run := 0; four > most*one && run < 6; run++ {
			one = min(one, timed(short))
			four = min(four, timed(long))
		}
		if four > most*one {
			t.Errorf("%q %s: %v for %d kB, %v for %d kB", piece, layout, one, len(short)>>10, four, len(long)>>10)
		}
		if all := processorTime(t) - began; all > total {
			t.Fatalf("%q %s: %v for all texts until here", piece, layout, all)
		}
	}
	for layout, size := range sizes {
		for _, piece := range nearMatches {
			check(layout, piece, size)
		}
	}
	for _, piece := range long {
		check("on lines", piece, 100<<10)
	}
	t.Logf("%d pieces in %v", len(nearMatches), processorTime(t)-began)
}

// processorTime returns the time that the processors have worked for this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
