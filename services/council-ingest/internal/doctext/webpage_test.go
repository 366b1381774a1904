package doctext_test

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
)

var (
	gap     = regexp.MustCompile(`[ \t]{2,}|\t`)
	between = regexp.MustCompile(`[ \t\f]*\n[ \t\f\n]*`)
	leading = regexp.MustCompile(`(?m)^[ \t]+|[ \t]+$`)
)

// asPage prints each line of a text between two tags.
func asPage(text, open, end string) string {
	var b strings.Builder
	b.WriteString("<html><body>\n")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(open + html.EscapeString(line) + end + "\n")
		}
	}
	return b.String() + "</body></html>\n"
}

// pagesOf are the ways in which towns put minutes on a web page.
var pagesOf = map[string]func(text string) string{
	"paragraphs": func(text string) string { return asPage(text, "<p>", "</p>") },
	"divisions":  func(text string) string { return asPage(text, "<div>", "</div>") },
	"breaks":     func(text string) string { return asPage(text, "", "<br>") },
	"a table": func(text string) string {
		rows := asPage(gap.ReplaceAllString(leading.ReplaceAllString(text, ""), "\x01"), "<tr><td>", "</td></tr>")
		return strings.NewReplacer("\x01", "</td><td>", "<body>", "<body><table>", "</body>", "</table></body>").Replace(rows)
	},
}

func votesOf(text string) string {
	var b strings.Builder
	for _, it := range minutes.NewParser(minutes.Options{}).Parse(text).Items {
		for _, v := range it.Votes {
			fmt.Fprintf(&b, "%s %d-%d, %s/%s %v\n", v.Result, v.AyesCount, v.NaysCount, council.Text(v.Mover),
				council.Text(v.Seconder), v.Roll)
		}
	}
	return b.String()
}

// textsOfMinutes returns the made-up minutes by name.
func textsOfMinutes(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../minutes/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	texts := map[string]string{}
	for _, file := range append(files, "../minutes/testdata/forms/clerks.txt") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(file); name != "clerks.txt" {
			texts[name] = string(data)
			continue
		}
		for section := range strings.SplitSeq("\n"+string(data), "\n### ") {
			name, rest, found := strings.Cut(section, "\n")
			if at := strings.LastIndex(rest, "\n---"); found && at >= 0 {
				texts[name] = "TOWN OF ALDER\nTOWN COUNCIL\nMarch 3, 2026\n\nPresent: Ann Doe, Bob Roe, Cy Poe, " +
					"Dee Moe, Eve Coe\n\n" +
					"1. Elm Street\n\n" + rest[:at] + "\n\n2. Reports\n\nThe clerk reported.\n"
			}
		}
	}
	return texts
}

// Minutes on a web page have the votes of their text, if the text has them without its blank lines and
// indents, too: a page of its lines does not have those.
func TestWebPagesHaveTheVotesOfTheirText(t *testing.T) {
	t.Parallel()
	texts := textsOfMinutes(t)
	compared := 0
	for name, text := range texts {
		want := votesOf(text)
		tight := strings.Trim(between.ReplaceAllString(text, "\n"), "\n") + "\n"
		same := map[bool]bool{
			false: votesOf(gap.ReplaceAllString(tight, " ")) == want,
			true:  votesOf(gap.ReplaceAllString(tight, "   ")) == want,
		}
		for how, of := range pagesOf {
			read, err := doctext.Read(t.Context(), []byte(of(text)))
			switch {
			case err != nil || read.Text == nil:
				t.Errorf("%s as %s: %s %s, %v", name, how, read.Verdict, read.Error, err)
			case !same[how == "a table"]:
			case votesOf(*read.Text) != want:
				t.Errorf("%s as %s:\n got %s\nwant %s", name, how, votesOf(*read.Text), want)
			default:
				compared++
			}
		}
	}
	if all := len(texts) * len(pagesOf); compared*5 < all*4 {
		t.Errorf("only %d of %d pages could be compared", compared, all)
	}
}

// A mark behind empty cells belongs to its own column, on web pages and in Word documents.
func TestMarksKeepTheirColumns(t *testing.T) {
	t.Parallel()
	above := []string{"TOWN COUNCIL", "March 3, 2026", "Present: Ann Doe, Bob Roe, Cy Poe", "1. Elm Street",
		"Doe moved to pave Elm Street, seconded by Roe."}
	rows := [][]string{{"Member", "Yes", "No", "Absent"}, {"Doe", "X", "", ""}, {"Roe", "", "X", ""}, {"Poe", "X", "", ""}}
	page, word := "<html><body><p>"+strings.Join(above, "</p><p>")+"</p><table>", ""
	paragraph := func(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }
	for _, line := range above {
		word += paragraph(line)
	}
	word += "<w:tbl>"
	for _, row := range rows {
		page, word = page+"<tr>", word+"<w:tr>"
		for _, cell := range row {
			page += "\n<td> " + cell + " </td>"
			word += "<w:tc>" + paragraph(cell) + "</w:tc>"
		}
		page, word = page+"</tr>", word+"</w:tr>"
	}
	page += "</table><p>Motion carried.</p></body></html>"
	word += "</w:tbl>" + paragraph("Motion carried.")
	want := votesOf(strings.Join(above, "\n\n") + "\n\nAYES: Doe, Poe\nNOES: Roe\n\nMotion carried.\n")
	if want == "" {
		t.Fatal("the text has no vote")
	}
	for kind, data := range map[string][]byte{"HTML": []byte(page), "DOCX": docx(t, word)} {
		read, err := doctext.Read(t.Context(), data)
		if err != nil || read.Text == nil || votesOf(*read.Text) != want {
			t.Errorf("%s: %s %v\n got %s\nwant %s", kind, read.Verdict, err, votesOf(council.Text(read.Text)), want)
		}
	}
}

// A page is refused if it has nothing of minutes: an agenda, a list of meetings, a form, an error.
func TestWebPagesWithoutMinutes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Please sign in\nUser name:\nPassword:\nYour account has to be approved by an administrator.\n",
		"Server Error in '/' Application.\nThe request failed.\n",
		"City Council\nMarch 3, 2026 Regular Meeting Agenda Minutes Video\nMarch 17, 2026 Special Meeting Cancelled\n" +
			"Minutes: Approved\n",
		"BOARD OF SUPERVISORS\nMay 5, 2026\nAgenda\n1. Roll Call\n2. Approve the amendment that has been " +
			"reviewed and approved by County Counsel as to form and legality.\n3. Approve the minutes of April 7.\n",
		"CITY COUNCIL AGENDA\nMayor Ann Doe\nCouncilmember Bob Roe\n1. Call to Order\n2. Motion to approve " +
			"the minutes\n3. Adjourn\n",
	} {
		for how, of := range pagesOf {
			if read, err := doctext.Read(t.Context(), []byte(of(text))); err != nil || read.Text != nil {
				t.Errorf("%q as %s: %s, %v", text, how, read.Verdict, err)
			}
		}
	}
}
