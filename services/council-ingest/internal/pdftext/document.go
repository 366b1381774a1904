package pdftext

import (
	"errors"
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/page"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// read is the whole extraction, in process. It is what the child runs, and what tests and the fuzzer call.
func read(data []byte, l Limits) Document {
	f, err := pdffile.Open(data)
	switch {
	case errors.Is(err, pdffile.ErrEncrypted):
		return failed(council.VerdictEncrypted, page.NoteEncrypted, err.Error())
	case err != nil:
		return failed(council.VerdictUnreadable, page.NoteDamaged, err.Error())
	}
	doc := readFile(f, l)
	if f.Lost() { // its own table may lead astray; a search may find what it misses
		if again := f.Search(); again != nil {
			if found := readFile(again, l); !again.Lost() {
				return found
			}
		}
	}
	return doc
}

// readFile reads all pages of an opened file.
func readFile(f *pdffile.File, l Limits) Document {
	d := page.New(f)
	pages, more := f.Pages(l.Pages)
	var v verdict
	var doc Document
	var text strings.Builder
	drawn := map[int]shown{}
	for i, p := range pages {
		f.Begin(i + 1)
		t := d.Read(p, i+1)
		if t.Letters == 0 && (t.Images > 0 || t.Shapes > outlined) {
			t.Notes = append(t.Notes, Note{Page: t.Page, Code: page.NoteImagePage, Message: "a picture without text"})
		}
		v.add(t)
		if n := p.Drawn(); n > 0 && t.Letters > fewLetters {
			if before := drawn[n]; before.text == t.Text {
				f.Flaw(false, "the page shows what page %d shows: it is printed twice, or one of them stands for another", before.page)
			}
			drawn[n] = shown{i + 1, t.Text}
		}
		if int64(text.Len()+len(t.Text)) > l.Output {
			v.tooBig++
			v.note(page.NoteTooBig, fmt.Sprintf("the text has more than %d bytes", l.Output))
			break
		}
		if i > 0 {
			text.WriteByte('\f')
		}
		text.WriteString(t.Text)
		doc.Pages++
		doc.Notes = append(doc.Notes, t.Notes...)
	}
	for _, flaw := range f.Flaws() {
		code := page.NoteRepaired
		if flaw.Lost {
			code = page.NoteDamaged
			v.damaged = true
		}
		v.repaired = true
		doc.Notes = append(doc.Notes, Note{Page: flaw.Page, Code: code, Message: flaw.Message})
	}
	if more {
		v.note(page.NoteTooBig, fmt.Sprintf("the file has more than %d pages", l.Pages))
	}
	doc.Verdict = v.judge(more)
	doc.Notes = append(doc.Notes, v.notes...)
	doc.Text = text.String()
	return doc
}

// A shown is a page and its text.
type shown struct {
	page int
	text string
}

// fewLetters is up to how many letters two pages may share their content, as those that say that they were left blank.
const fewLetters = 80

// outlined is how many curves a page without text must have to count as
// drawn text: letters turned into outlines, as some plotters do.
const outlined = 500

// A verdict gathers what the pages of a document gave.
type verdict struct {
	pages, letters, unknown, pictures, lost, tooBig int
	damaged, repaired                               bool // something about the file
	notes                                           []Note
}

func (v *verdict) note(code page.NoteCode, message string) {
	v.notes = append(v.notes, Note{Code: code, Message: message})
}

func (v *verdict) add(p page.Sheet) {
	v.pages++
	v.letters += p.Letters
	v.unknown += p.Unknown
	if p.Images > 0 || p.Shapes > outlined {
		v.pictures++
	}
	if p.Lost {
		v.lost++
	}
	if p.TooBig {
		v.tooBig++
	}
}

// judge judges the document. Scans carry a few letters: a stamp, a page number.
func (v *verdict) judge(more bool) council.Verdict {
	switch {
	case more, v.tooBig > 0:
		return council.VerdictTooLarge
	case v.pages == 0:
		return council.VerdictUnreadable
	case v.damaged, v.lost > 0:
		return council.VerdictPartial
	case v.letters < 30*v.pages && v.pictures*2 >= v.pages:
		v.note(page.NoteImagePage, fmt.Sprintf("%d of %d pages show pictures, and there are only %d letters", v.pictures, v.pages, v.letters))
		return council.VerdictNoText
	case v.unknown*4 > v.letters:
		v.note(page.NoteUnknownGlyphs, fmt.Sprintf("%d of %d characters have no text in their fonts", v.unknown, v.letters))
		return council.VerdictUnreadable
	}
	if v.repaired {
		return council.VerdictRepaired
	}
	return council.VerdictWhole
}
