package doctext_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
)

const (
	layoutHead  = "TOWN OF ALDER|TOWN COUNCIL|March 3, 2026|Present: Ann Doe, Bob Roe, Cy Poe"
	layoutMoved = "Motion by Doe, seconded by Roe, to pave Elm Street."
	layoutSplit = "adopted 2-1, Ann Doe/Bob Roe [{Ann Doe aye} {Bob Roe aye} {Cy Poe nay}]\n"
)

// layouts are the ways in which editors lay out minutes on a web page, with the votes that they print.
var layouts = map[string]struct{ body, want string }{
	"a deleted vote": {"<p>1. Elm Street</p><p>" + layoutMoved + " Motion carried 2-1.<br>Ayes: Doe, Roe<br>Nays: Poe</p>" +
		"<p><del>Motion by Roe, seconded by Poe, to adjourn. Carried 3-0.</del></p>", layoutSplit},
	"a name struck through": {"<p>1. Elm Street</p><p>" + layoutMoved + " Motion carried 2-1.</p><p>Ayes: Doe, " +
		"<s>Poe,</s> Roe</p><p>Nays: Poe</p>", layoutSplit},
	"a hidden vote": {"<p>1. Elm Street</p><p>" + layoutMoved + " Motion carried 2-1.<br>Ayes: Doe, Roe<br>Nays: Poe</p>" +
		"<p style='display: none'>Motion by Roe, seconded by Poe, to adjourn. Carried 3-0.</p>", layoutSplit},
	"paragraphs in cells": {"<p>1. Elm Street</p><p>" + layoutMoved + "</p><table><tr><td><p>Ayes:</p></td><td><p>Doe, Roe</p>" +
		"</td></tr><tr><td><p>Nays:</p></td><td><p>Poe</p></td></tr></table><p>Motion carried 2-1.</p>", layoutSplit},
	"breaks in both cells": {"<p>1. Elm Street</p><p>" + layoutMoved + " Motion carried 2-1.</p><table><tr><td>Ayes:<br>Nays:</td>" +
		"<td>Doe, Roe<br>Poe</td></tr></table>", layoutSplit},
	"paragraphs in both cells": {"<p>1. Elm Street</p><p>" + layoutMoved + " Motion carried 2-1.</p><table><tr><td><p>Doe</p>" +
		"<p>Roe</p><p>Poe</p></td><td><p>Yes</p><p>Yes</p><p>No</p></td></tr></table>", layoutSplit},
	"a label before lines": {"<p>1. Elm Street</p><p>" + layoutMoved + " Motion carried 2-1.</p><table><tr><td>Ayes:</td>" +
		"<td>Doe<br>Roe</td></tr><tr><td>Nays:</td><td>Poe</td></tr></table>", layoutSplit},
	"a table of marks": {"<p>1. Elm Street</p><p>" + layoutMoved + "</p><table><tr><th>Member</th><th>Yes</th><th>No</th></tr>" +
		"<tr><td><p>Doe</p></td><td><p>X</p></td><td><p></p></td></tr><tr><td><p>Roe</p></td><td><p>X</p></td><td></td></tr>" +
		"<tr><td><p>Poe</p></td><td></td><td><p>X</p></td></tr></table><p>Motion carried.</p>", layoutSplit},
	"a table in a table": {"<table><tr><td><p>1. Elm Street</p><p>" + layoutMoved + "</p><table><tr><td>Ayes:</td><td>Doe, Roe" +
		"</td></tr><tr><td>Nays:</td><td>Poe</td></tr></table><p>Motion carried 2-1.</p></td></tr></table>", layoutSplit},
	"columns of prose": {"<p>1. Elm Street</p><table><tr><td><p>Elm Street is to be paved, as the engineer proposed in June.</p>" +
		"<p>The bids were higher than the estimate.</p></td><td><p>" + layoutMoved + "</p><p>Motion carried 2-1.</p>" +
		"<p>Ayes: Doe, Roe</p><p>Nays: Poe</p></td></tr></table>", layoutSplit},
	"the number of a footnote": {"<p>1. Elm Street</p><p>" + layoutMoved + " Motion carried 2-1.</p><p>Ayes: Doe, Roe<sup>1</sup>" +
		"</p><p>Nays: Poe<sup>2</sup></p>", layoutSplit},
	"a list of terms": {"<p>1. Elm Street</p><p>" + layoutMoved + " Motion carried 2-1.</p><dl><dt>Ayes:</dt><dd>Doe, Roe</dd>" +
		"<dt>Nays:</dt><dd>Poe</dd></dl>", layoutSplit},
	"a list": {"<p>1. Elm Street</p><ul><li>" + layoutMoved + "</li><li>Ayes: Doe, Roe</li><li>Nays: Poe</li><li>Motion carried " +
		"2-1.</li></ul>", layoutSplit},
}

func layoutPage(body string) []byte {
	return []byte("<html><body><p>" + strings.ReplaceAll(layoutHead, "|", "</p><p>") + "</p>" + body + "</body></html>")
}

func votesRead(t *testing.T, data []byte) (votes, text string) {
	t.Helper()
	read, err := doctext.Read(t.Context(), data)
	if err != nil || read.Text == nil {
		t.Fatalf("%s %s, %v", read.Verdict, read.Error, err)
	}
	return votesOf(*read.Text), *read.Text
}

// Votes keep their rows and columns, and what a page does not show is not read.
func TestLayoutsOfWebPages(t *testing.T) {
	t.Parallel()
	for name, c := range layouts {
		if got, text := votesRead(t, layoutPage(c.body)); got != c.want {
			t.Errorf("%s:\n got %swant %s%s", name, got, c.want, text)
		}
	}
}

// The numbers of lists are not in the text of a page or a document of Word, but both show them.
func TestNumbersOfLists(t *testing.T) {
	t.Parallel()
	vote := " Motion by Doe, seconded by Roe, to approve. Carried 3-0."
	for name, data := range map[string][]byte{
		"HTML": layoutPage("<ol start=4><li>Elm Street<br>" + vote + "</li><li>Oak Street<br>" + vote + "</li></ol>"),
		"DOCX": docxWith(t, map[string]string{"word/numbering.xml": `<w:numbering xmlns:w="x"><w:abstractNum w:abstractNumId="7">` +
			`<w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>` +
			`<w:num w:numId="2"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
			"word/styles.xml": `<w:styles xmlns:w="x"><w:style w:styleId="Item"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr>` +
				`</w:pPr></w:style></w:styles>`}, wordOf(layoutHead)+
			`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr></w:pPr><w:r><w:t>Elm Street</w:t></w:r></w:p>`+
			wordOf(vote)+`<w:p><w:pPr><w:pStyle w:val="Item"/></w:pPr><w:r><w:t>Oak Street</w:t></w:r></w:p>`+wordOf(vote)),
	} {
		_, text := votesRead(t, data)
		var got []string
		for _, it := range minutes.NewParser(minutes.Options{}).Parse(text).Items {
			got = append(got, strings.TrimRight(council.Text(it.ItemNumber), ".")+". "+it.Title)
		}
		if want := "4. Elm Street|5. Oak Street"; strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %q in\n%s", name, got, want, text)
		}
	}
}

// wordOf returns paragraphs of Word.
func wordOf(lines string) (out string) {
	for line := range strings.SplitSeq(lines, "|") {
		out += `<w:p><w:r><w:t xml:space="preserve">` + line + "</w:t></w:r></w:p>"
	}
	return out
}

func wordRow(cells ...string) string {
	out := "<w:tr>"
	for _, cell := range cells {
		if !strings.HasPrefix(cell, "<") {
			cell = wordOf(cell)
		}
		out += "<w:tc>" + cell + "</w:tc>"
	}
	return out + "</w:tr>"
}

func docxWith(t *testing.T, parts map[string]string, body string) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	write := func(name, text string) {
		w, err := zw.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range parts {
		write(name, text)
	}
	write("word/document.xml", docxHead+body+`</w:body></w:document>`)
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Votes of Word keep their rows and columns, and what Word does not show is not read.
func TestLayoutsOfWord(t *testing.T) {
	t.Parallel()
	const (
		carried = "Motion carried 2-1."
		ayes    = "Ayes: Doe, Roe"
		nays    = "Nays: Poe"
	)
	other := "Motion by Roe, seconded by Poe, to adjourn. Carried 3-0."
	run := func(properties, text string) string {
		return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
	}
	full := wordOf("1. Elm Street|" + layoutMoved + "|" + carried + "|" + ayes + "|" + nays)
	top := wordOf("1. Elm Street|" + layoutMoved)
	for name, body := range map[string]string{
		"text struck through": full + "<w:p>" + run(`<w:strike/>`, other) + "</w:p>",
		"text not struck through": wordOf("1. Elm Street") + "<w:p>" + run(`<w:strike w:val="0"/>`, layoutMoved) + "</w:p>" +
			wordOf(carried+"|"+ayes+"|"+nays),
		"hidden text":   full + "<w:p>" + run(`<w:vanish/>`, other) + "</w:p>",
		"moved text":    full + "<w:p><w:moveFrom><w:r><w:t>" + other + "</w:t></w:r></w:moveFrom></w:p>",
		"a deleted row": full + `<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>` + wordOf(other) + `</w:tc></w:tr></w:tbl>`,
		"a deleted end of a paragraph": top + wordOf(carried) + `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r>` +
			`<w:t xml:space="preserve">Ayes: Doe, </w:t></w:r></w:p>` + wordOf("Roe|"+nays),
		"a text box": top + `<w:p><w:r><w:t>` + carried + `</w:t></w:r><w:r><w:pict><w:txbxContent>` + wordOf("DRAFT") +
			`</w:txbxContent></w:pict></w:r></w:p>` + wordOf(ayes+"|"+nays),
		"a content control": top + wordOf(carried) + `<w:sdt><w:sdtContent>` + wordOf(ayes) + `</w:sdtContent></w:sdt>` + wordOf(nays),
		"tab stops": top + wordOf(carried) + `<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr><w:r>` +
			`<w:t>` + ayes + `</w:t></w:r></w:p>` + wordOf(nays),
		"a table of marks": top + "<w:tbl>" + wordRow("Member", "Yes", "No") + wordRow("Doe", "X", "") + wordRow("Roe", "X", "") +
			wordRow("Poe", "", "X") + "</w:tbl>" + wordOf("Motion carried."),
		"ticks of a font of symbols": top + "<w:tbl>" + wordRow("Member", "Yes", "No") +
			wordRow("Doe", wordTick, wordBox) + wordRow("Roe", wordTick, wordBox) + wordRow("Poe", wordBox, wordTick) +
			"</w:tbl>" + wordOf("Motion carried."),
		"a cell over two columns": top + `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>` + wordOf("Member") + `</w:tc>` +
			`<w:tc>` + wordOf("Yes") + `</w:tc><w:tc>` + wordOf("No") + `</w:tc></w:tr>` + wordRow("Doe", "", "X", "") +
			wordRow("Roe", "", "X", "") + wordRow("Poe", "", "", "X") + "</w:tbl>" + wordOf("Motion carried."),
		"a table in a table": "<w:tbl>" + wordRow(top+"<w:tbl>"+wordRow("Ayes:", "Doe, Roe")+wordRow("Nays:", "Poe")+"</w:tbl>"+
			wordOf(carried)) + "</w:tbl>",
		"columns of prose": "<w:tbl>" + wordRow("Elm Street is to be paved, as the engineer proposed in June.|The bids were "+
			"higher than the estimate, he said, because of the price of oil.", layoutMoved+"|"+carried+"|"+ayes+"|"+nays) + "</w:tbl>",
	} {
		if got, text := votesRead(t, docxWith(t, nil, wordOf(layoutHead)+body)); got != layoutSplit {
			t.Errorf("%s:\n got %swant %s%s", name, got, layoutSplit, text)
		}
	}
}

const (
	wordTick = `<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>`
	wordBox  = `<w:p><w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r></w:p>`
)
