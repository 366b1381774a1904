package minutes

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// A bend prints a text in another way, and changes nothing that it says.
type bend func(text string) string

// exactBends leave every vote as it is.
var exactBends = map[string]bend{
	"a blank line below each line": func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n") },
	"indented":                     eachLine(func(s string) string { return strings.Repeat(" ", 12) + s }),
	"blanks at the ends of lines":  eachLine(func(s string) string { return s + "   " }),
	"line ends of Windows":         eachLine(func(s string) string { return s + "\r" }),
	"blanks that do not break":     func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") },
	"blanks without width":         func(s string) string { return strings.ReplaceAll(s, " ", " \u200b") },
	"soft hyphens":                 func(s string) string { return longWord.ReplaceAllString(s, "$1\u00ad$2") },
	"tabs for gaps":                func(s string) string { return gap.ReplaceAllString(s, "$1\t$2") },
	"ligatures":                    func(s string) string { return strings.ReplaceAll(s, "fi", "\ufb01") },
	"accents apart":                norm.NFD.String,
	"typographic quotes":           func(s string) string { return strings.ReplaceAll(s, "'", "’") },
	"en dashes in tallies":         func(s string) string { return figures.ReplaceAllString(s, "$1–$2") },
	"signs of minus in tallies":    func(s string) string { return figures.ReplaceAllString(s, "$1−$2") },
	"hyphens that do not break":    func(s string) string { return strings.ReplaceAll(s, "-", "\u2011") },
	"quotation of Markdown":        eachLine(func(s string) string { return "> " + s }),
	"bold outcomes":                func(s string) string { return fates.ReplaceAllString(s, "**$0**") },
	"outcomes in capitals":         func(s string) string { return fates.ReplaceAllStringFunc(s, strings.ToUpper) },
	"line breaks of Markdown":      eachLine(func(s string) string { return s + `\` }),
}

var (
	longWord = regexp.MustCompile(`([a-z]{3})([a-z]{3})`)
	gap      = regexp.MustCompile(`(\S) {2,}(\S)`)
	figures  = regexp.MustCompile(`\b(\d)-(\d)\b`)
	fates    = regexp.MustCompile(`(?i)\bmotion (?:carried|passed|failed)\b`)
)

func eachLine(of func(line string) string) bend {
	return func(text string) string {
		all := strings.Split(text, "\n")
		for i, line := range all {
			if line != "" {
				all[i] = of(line)
			}
		}
		return strings.Join(all, "\n")
	}
}

// clerks returns the texts of testdata/forms/clerks.txt by name, each as minutes.
func clerks(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/forms/clerks.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for section := range strings.SplitSeq("\n"+string(data), "\n### ") {
		name, rest, found := strings.Cut(section, "\n")
		if at := strings.LastIndex(rest, "\n---"); found && at >= 0 {
			out[name] = kindsHeads["English"] + rest[:at] + "\n\n2. Reports\n\nThe clerk reported.\n"
		}
	}
	return out
}

// fixtures returns the made-up minutes of testdata.
func fixtures(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	out := clerks(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[file] = string(text)
	}
	return out
}

// The same minutes in another print have the same votes.
func TestBentMinutesHaveTheSameVotes(t *testing.T) {
	t.Parallel()
	for name, text := range fixtures(t) {
		want := strings.ReplaceAll(votesIn(text), "’", "'")
		for how, of := range exactBends {
			if got := strings.ReplaceAll(votesIn(of(text)), "’", "'"); got != want {
				t.Errorf("%s, %s:\n got %q\nwant %q", name, how, got, want)
			}
		}
	}
}

// otherNames are names in place of Doe, Roe, Poe, Moe and Coe. Some are words of minutes, too.
var otherNames = [][]string{
	{"Noe", "Justice", "O'Dell-Marsh", "de la Cruz", "St. John"},
	{"Moore", "Price", "Day", "Law", "Grant"},
	{"May", "Rose", "Young", "Church", "Hall"},
	{"Nguyen", "Ng", "McAdoo", "van Buren", "Li"},
	{"Abbott", "King", "Noble", "Banks", "Major"},
}

// ofInitials matches members who are printed with the initials of their names.
var ofInitials = regexp.MustCompile(`\b(?:AD|BR|CP|DM|EC)\b`)

// The same votes of members with other names are the same votes.
func TestVotesOfMembersWithOtherNames(t *testing.T) {
	t.Parallel()
	for name, text := range clerks(t) {
		if ofInitials.MatchString(text) {
			continue
		}
		want := votesIn(text)
		for _, names := range otherNames {
			rename := strings.NewReplacer("Doe", names[0], "Roe", names[1], "Poe", names[2], "Moe", names[3], "Coe", names[4],
				"DOE", strings.ToUpper(names[0]), "ROE", strings.ToUpper(names[1]))
			if got := votesIn(rename.Replace(text)); got != rename.Replace(want) {
				t.Errorf("%s, %s:\n got %q\nwant %q", name, names, got, rename.Replace(want))
			}
		}
	}
}

// otherOffices are offices in place of those of the texts.
var otherOffices = []string{"Alderman", "Selectman", "Trustee", "Commissioner", "Supervisor", "Cllr", "Cr", "Member",
	"Director", "Freeholder", "Regent", "Jurat", "Burgess", "Deputy", "Mr."}

// The same votes of members with another office are the same votes.
func TestVotesOfMembersWithOtherOffices(t *testing.T) {
	t.Parallel()
	office := regexp.MustCompile(`\b(?:Trustee|Commissioner|Councill?or|Council ?[Mm]ember|Director|Cllr|Cr|Alderman|` +
		`Supervisor)\b`)
	for name, text := range clerks(t) {
		want := votesIn(text)
		for _, other := range otherOffices {
			if got := votesIn(office.ReplaceAllString(text, other)); got != want {
				t.Errorf("%s, %s:\n got %q\nwant %q", name, other, got, want)
			}
		}
	}
}

// The end of a line does not cut a name behind its initial.
func TestANameGoesOnBelowItsInitial(t *testing.T) {
	t.Parallel()
	got := votesIn("TOWN OF ALDERBAY\nTOWN COUNCIL\nMarch 3, 2026\n\nPresent: Ann A. Doe, Bob B. Roe, Cal C. Poe\n\n" +
		"1. Fees\n\nMotion by Ann A. Doe, second by Bob B. Roe, to set the fees.\nAyes: Ann A. Doe, Bob B.\nRoe. Nays: Cal C. Poe\n" +
		"Motion carried.\n")
	if want := "adopted 2-1 Ann A. Doe/Bob B. Roe aye Ann A. Doe, Bob B. Roe nay Cal C. Poe"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The numbers of lines are no part of them, even if they stand next to the text.
func TestNumbersOfLinesNextToTheText(t *testing.T) {
	t.Parallel()
	text := clerks(t)["names below each other"] + strings.Repeat("The clerk read a letter about the bridge.\n", 40)
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%d %s\n", i%45+1, line)
	}
	if got, want := votesIn(b.String()), votesIn(text); got != want || got == "" {
		t.Errorf("got %q, want %q", got, want)
	}
}
