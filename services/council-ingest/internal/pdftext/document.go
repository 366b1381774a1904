package pdftext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/page"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// read extracts the text in this process. Only the child and the tests call it.
func read(data []byte, l Limits) (doc Extraction) {
	defer func() { // because the library panics on malformed objects
		if r := recover(); r != nil {
			doc = failed(council.VerdictUnreadable, page.NoteDamaged, fmt.Sprintf("malformed pdf: %v", r))
		}
	}()
	f, err := pdffile.Open(data)
	switch {
	case errors.Is(err, pdffile.ErrEncrypted):
		return failed(council.VerdictEncrypted, page.NoteEncrypted, err.Error())
	case err != nil:
		return failed(council.VerdictUnreadable, page.NoteDamaged, err.Error())
	}
	return readFile(f, l)
}

func readFile(f *pdffile.File, l Limits) Extraction {
	d := page.New(f)
	pages, more, missing := f.Pages(l.Pages)
	var v verdict
	var doc Extraction
	var text strings.Builder
	for i, p := range pages {
		t := d.Read(p, i+1)
		if t.Letters == 0 && (t.Images > 0 || t.Shapes > outlined) {
			t.Notes = append(t.Notes, Note{Page: t.Page, Code: page.NoteImagePage, Message: "a picture without text"})
		}
		v.add(t)
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
	if f.Rebuilt {
		v.repaired = true
		v.note(page.NoteRepaired, "the file's table of objects led to no page; it was made again from the objects")
	}
	if missing != nil {
		v.lost++
		v.note(page.NoteDamaged, missing.Error())
	}
	if more {
		v.note(page.NoteTooBig, fmt.Sprintf("the file has more than %d pages", l.Pages))
	}
	doc.Verdict = v.judge(more)
	doc.Notes = append(doc.Notes, v.notes...)
	doc.Text = text.String()
	return doc
}

// outlined is the number of curves from which a page without text counts as a picture, because some
// plotters draw letters as outlines.
const outlined = 500

type verdict struct {
	pages, letters, unknown, pictures, lost, tooBig int
	repaired                                        bool
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
	v.repaired = v.repaired || slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Code == page.NoteRepaired })
}

// judge decides the verdict. A scan may have a few letters of text, such as a stamp or a page
// number.
func (v *verdict) judge(more bool) council.Verdict {
	switch {
	case more, v.tooBig > 0:
		return council.VerdictTooLarge
	case v.pages == 0:
		return council.VerdictUnreadable
	case v.lost > 0:
		return council.VerdictPartial
	case v.letters < 30*v.pages && v.pictures*2 >= v.pages:
		v.note(page.NoteImagePage,
			fmt.Sprintf("%d of %d pages show pictures, and there are only %d letters", v.pictures, v.pages, v.letters))
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

// Extraction is the text of a PDF.
type Extraction struct {
	Verdict council.Verdict
	Text    string // text of the pages that were read, with form feeds between them
	Pages   int
	Notes   []Note
}

// Note is a problem of one page or of the file.
type Note = page.Note

// NoteDamaged is the code of a note about damage.
const NoteDamaged = page.NoteDamaged

func failed(v council.Verdict, code page.NoteCode, message string) Extraction {
	return Extraction{Verdict: v, Notes: []Note{{Code: code, Message: message}}}
}

// Limits bound the cost of one document. A zero field means the default.
type Limits struct {
	Bytes  int64         // size of the file; default 256 MiB
	Pages  int           // number of pages; default 2,000
	Output int64         // size of the text in bytes; default 64 MiB
	Memory int64         // memory of the child in bytes; default Memory
	Time   time.Duration // CPU time; default 3 to 30 seconds by size. See patience
}

// Memory is the default memory limit of the child. The container limits in deploy are large enough
// for the child and its parent.
const Memory = 256 << 20

// patience is the allowed wall clock time divided by CPU time. It is for busy machines.
const patience = 5

func (l Limits) or(n int64) Limits {
	if l.Bytes == 0 {
		l.Bytes = 256 << 20
	}
	if l.Pages == 0 {
		l.Pages = 2000
	}
	if l.Output == 0 {
		l.Output = 64 << 20
	}
	if l.Memory == 0 {
		l.Memory = Memory
	}
	if l.Time == 0 {
		l.Time = min(3*time.Second+time.Duration(n>>17)*time.Second, 30*time.Second)
	}
	return l
}
