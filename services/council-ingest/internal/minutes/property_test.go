package minutes

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// printed is a made-up vote.
type printed struct {
	title    string
	result   string
	roll     [5][]string // in the order ayes, nays, abstain, absent, recused
	mover    string
	seconder string
}

// form is the layout of a printed vote.
type form struct {
	labels   [7]string // labels of RESULT, MOVER, SECONDER and the five rows
	order    string    // position of values: "beside", "below" or "columns"
	width    int       // largest width of values
	column   int       // column of values
	surnames bool      // rolls print last names
	none     bool      // empty rows have the word None
	counts   bool      // labels have the number of names
	colon    string
	apart    bool   // there are blank lines between the rows
	title    string // place of the title: before or after the name
	pageEnd  int    // lines on a page
	office   string
}

var (
	surnames = []string{"Abernathy", "van der Meer", "O’Mara", "Ruiz-Santos", "Finch Jr.", "St. Clair", "Quist", "Ekström",
		"Delacroix", "Nakagawa-Pell", "Yu", "De Luca"}
	given = []string{"Agnes", "Bertram", "Cora", "Desmond", "Edith", "Farid", "Greta", "Hollis", "Ines", "Jan",
		"Kasimir", "Lou"}
	subjects = []string{"Pays Bills", "Buys Two Pumps for the Tide Gate", "Sets the Salary of the Clerk for 2027",
		"Lease of the Boathouse at 12 Quay Street",
		"Rezoning of the Mill, Continued From May, and Read Again at the Request of the Owner and of His Neighbours",
		"Thanks the Lamplighters"}
)

func drawVote(t *rapid.T, members []string) printed {
	v := printed{title: rapid.SampledFrom(subjects).Draw(t, "title")}
	for _, m := range members {
		row := rapid.SampledFrom([]int{0, 0, 0, 0, 1, 1, 2, 3, 4}).Draw(t, "row")
		v.roll[row] = append(v.roll[row], m)
	}
	if len(v.roll[0]) == 0 { // the mover must be an aye
		v.roll = [5][]string{members}
	}
	v.mover = rapid.SampledFrom(v.roll[0]).Draw(t, "mover")
	v.seconder = rapid.SampledFrom(slices.DeleteFunc(slices.Clone(members), func(m string) bool {
		return slices.Contains(v.roll[3], m)
	})).Draw(t, "seconder")
	word := "ADOPTED"
	if len(v.roll[0]) <= len(v.roll[1]) {
		word = rapid.SampledFrom([]string{"FAILED", "NOT ADOPTED", "DEFEATED"}).Draw(t, "word")
	}
	figures := []string{"ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "ELEVEN",
		"TWELVE", "THIRTEEN"}
	v.result = fmt.Sprintf(rapid.SampledFrom([]string{"%s [%d TO %d]", "%s [%d-%d]", "%s [%d - %d]", "%s (%d-%d)",
		"%s %d TO %d", "%s [%d to %d]", "%s [%[4]s TO %[5]s]", "%s [%d AYES, %d NAYS]",
		"%s %d-%d", "%s [%d–%d]"}).Draw(t, "tally"), word, len(v.roll[0]), len(v.roll[1]), figures[len(v.roll[0])],
		figures[len(v.roll[1])])
	if i := strings.Index(v.result, "%!"); i > 0 {
		v.result = v.result[:i] // the form does not use it
	}
	if len(v.roll[1])+len(v.roll[2]) == 0 && len(v.roll[3])*3 < len(members) && rapid.Bool().Draw(t, "unanimous") {
		v.result = word + rapid.SampledFrom([]string{" [UNANIMOUS]", " [UNANIMOUS]", " UNANIMOUS"}).Draw(t, "unanimous")
	} else if n := len(v.roll[2]); n > 0 && strings.HasSuffix(v.result, "]") && rapid.Bool().Draw(t, "tail") {
		v.result += fmt.Sprintf(" WITH %d ABSTENTION", n)
		if n > 1 {
			v.result += "S"
		}
	}
	return v
}

func drawLayout(t *rapid.T) form {
	l := form{
		labels: rapid.SampledFrom([][7]string{
			{"MOVER", "SECONDER", "AYES", "NAYS", "ABSTAIN", "ABSENT", "RECUSED"},
			{"MOVED BY", "SECONDED BY", "YEAS", "NOES", "ABSTENTIONS", "EXCUSED", "RECUSED"},
			{"MOVER", "SECONDER", "YES", "NO", "ABSTAINED", "AWAY", "RECUSE"},
			{"MOVER", "SECONDER", "AYE", "NAY", "ABSTAIN", "ABSENT", "RECUSED"},
			{"Mover", "Seconder", "Ayes", "Noes", "Abstain", "Absent", "Recused"},
		}).Draw(t, "labels"),
		office:   "Trustee",
		order:    rapid.SampledFrom([]string{"beside", "beside", "below", "columns"}).Draw(t, "order"),
		width:    rapid.IntRange(24, 80).Draw(t, "width"),
		column:   rapid.SampledFrom([]int{0, 0, 16, 22}).Draw(t, "column"),
		surnames: rapid.Bool().Draw(t, "surnames"),
		none:     rapid.Bool().Draw(t, "none"),
		counts:   rapid.IntRange(0, 5).Draw(t, "counts") == 0,
		colon:    rapid.SampledFrom([]string{":", ":", ":", " :"}).Draw(t, "colon"),
		apart:    rapid.IntRange(0, 5).Draw(t, "apart") == 0,
		title:    rapid.SampledFrom([]string{"before", "after"}).Draw(t, "office"),
		pageEnd:  rapid.IntRange(12, 60).Draw(t, "page"),
	}
	if l.order == "columns" {
		l.pageEnd = 1000 // bare names at the edges of pages could be headers
	}
	return l
}

// wrap breaks text at blanks into lines with at most width characters.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for w := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(w) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+w, " ")
	}
	return append(lines, line)
}

func (l form) person(name string) string {
	if l.title == "before" {
		return l.office + " " + name
	}
	return name + ", " + l.office
}

func (l form) names(list []string, members []string) string {
	out := slices.Clone(list)
	if l.surnames {
		for i, m := range out {
			out[i] = surnames[slices.Index(members, m)]
		}
	}
	return strings.Join(out, ", ")
}

// table prints a vote.
func (l form) table(v printed, members []string) []string {
	return l.tableOf(v, func(list []string) string { return l.names(list, members) })
}

// tableOf prints a vote with the caller's lists of names.
func (l form) tableOf(v printed, names func(list []string) string) []string {
	rows := [][2]string{{"RESULT", v.result}, {l.labels[0], l.person(v.mover)}, {l.labels[1], l.person(v.seconder)}}
	for i, list := range v.roll {
		switch {
		case len(list) > 0:
			label := l.labels[2+i]
			if l.counts {
				label += fmt.Sprintf(" (%d)", len(list))
			}
			rows = append(rows, [2]string{label, names(list)})
		case l.none && i < 2:
			rows = append(rows, [2]string{l.labels[2+i], "None"})
		}
	}
	var lines, values []string
	for _, r := range rows {
		label, value := r[0]+l.colon, wrap(r[1], l.width)
		if l.apart && len(lines) > 0 && l.order == "beside" {
			lines = append(lines, "")
		}
		switch {
		case l.order == "below":
			lines = append(append(lines, label), value...)
		case l.order == "columns":
			lines = append(lines, label)
			values = append(values, value...)
		default:
			for n, part := range value {
				head := ""
				if n == 0 {
					head = label + " "
				}
				lines = append(lines, fmt.Sprintf("%-*s%s", l.column, head, part))
			}
		}
	}
	return append(lines, values...)
}

// sheet is a document with a list of votes.
type sheet struct {
	text  string
	votes []printed
}

// sheets draws made-up votes in made-up layouts.
var sheets = rapid.Custom(func(t *rapid.T) sheet {
	var members []string
	for i := range rapid.IntRange(3, len(surnames)).Draw(t, "members") {
		members = append(members, given[i]+" "+surnames[i])
	}
	l := drawLayout(t)
	lines := []string{"Village of Ostrander", "Village Board", "Monday, February 9, 2026", "", "I. Call to Order",
		"Attendee Name Title Status Arrived"}
	for _, m := range members {
		lines = append(lines, m+" Trustee Present")
	}
	lines = append(lines, "II. Business")
	var out sheet
	for n := range rapid.IntRange(1, 5).Draw(t, "votes") {
		v := drawVote(t, members)
		out.votes = append(out.votes, v)
		lines = append(append(lines, fmt.Sprintf("%d. 2026-%d %s", n+1, n+40, v.title)), l.table(v, members)...)
	}
	lines = append(lines, "III. Adjournment")
	var text strings.Builder
	for i, line := range lines {
		text.WriteString(line + "\n")
		if (i+1)%l.pageEnd == 0 {
			fmt.Fprintf(&text, "\nPage %d of 9\n\f", (i+1)/l.pageEnd)
		}
	}
	out.text = text.String()
	return out
})

// TestPrintedVotesAreReadBack prints made-up votes in made-up layouts. The record must have each
// vote with every member, but no anomaly.
func TestPrintedVotesAreReadBack(t *testing.T) {
	t.Parallel()
	parser := NewParser(Options{})
	eachDrawn(t, sheets, func(fail func(format string, args ...any), doc sheet) {
		r := parser.Parse(doc.text)
		if len(r.Items) != len(doc.votes) {
			fail("%d items of %d\n%s", len(r.Items), len(doc.votes), doc.text)
		}
		for n, v := range doc.votes {
			got := r.Items[n]
			want := record.Vote{MotionSeq: 1, ResultRaw: v.result, Result: council.NewResultWords(nil).Classify(v.result),
				AyesCount: len(v.roll[0]), NaysCount: len(v.roll[1]),
				Unanimous: len(v.roll[1])+len(v.roll[2]) == 0, Mover: &v.mover, Seconder: &v.seconder,
				Roll: council.NewRoll(v.roll[:]...)}
			if diff := cmp.Diff([]record.Vote{want}, got.Votes, cmpopts.IgnoreUnexported(record.Vote{}),
				cmpopts.IgnoreFields(record.Vote{}, "Page"), cmpopts.EquateEmpty()); diff != "" || got.Title != v.title {
				fail("vote %d, title %q (-want +got):\n%s\n%s", n+1, got.Title, diff, doc.text)
			}
		}
		for _, a := range r.Anomalies {
			fail("anomaly %s: %s\n%s", a.Code, a.Message, doc.text)
		}
	})
}

// FuzzParse requires that the record is well-formed, and that a second parse gives an equal record.
func FuzzParse(f *testing.F) {
	texts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(texts) == 0 {
		f.Fatalf("no seed texts: %v", err)
	}
	for _, file := range texts {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("RESULT:\nAYES:\n\f1.\n\xff•\nItem A moved to\nCONSENT\n[")
	parser := NewParser(Options{})
	codes := council.AnomalyCodes()
	f.Fuzz(func(t *testing.T, text string) {
		r := parser.Parse(text)
		pages := strings.Count(text, "\f") + 1
		for _, it := range r.Items {
			if len(it.Votes) == 0 {
				t.Errorf("item %q has no vote", it.Title)
			}
			for k, v := range it.Votes {
				if v.MotionSeq != k+1 || v.AyesCount < 0 || v.NaysCount < 0 || !slices.Contains(council.Results(), v.Result) {
					t.Errorf("invalid vote %+v", v)
				}
				if v.Page != nil && (*v.Page < 1 || *v.Page > pages) {
					t.Errorf("a vote is on page %d of %d", *v.Page, pages)
				}
			}
		}
		for _, a := range r.Anomalies {
			if !slices.Contains(codes, a.Code) || a.Kind != council.KindOf(a.Code) || a.Message == "" || a.Item >= len(r.Items) {
				t.Errorf("invalid anomaly %+v", a)
			}
		}
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if again := encode(t, parser.Parse(text)); string(again) != string(encode(t, r)) {
			t.Errorf("two parses differ:\n%s\n%s", first, again)
		}
	})
}

func TestParserIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	texts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(texts) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	parser := NewParser(Options{})
	var wg sync.WaitGroup
	for _, file := range slices.Concat(texts, texts, texts) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".txt") + ".json")
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if got := encode(t, parser.Parse(string(text))); string(got) != string(want) {
				t.Errorf("%s has another record in a concurrent parse", file)
			}
		})
	}
	wg.Wait()
}
