package pdftext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// read is the whole extraction, in process: it gives each page to emit as it
// is done and says in the end what became of the document. It is what the
// child runs, and what tests and the fuzzer call. An error comes from emit.
func read(data []byte, l Limits, emit func(pageText) error) (end, error) {
	clean, err := pdffile.Clean(data, l.Pages)
	switch {
	case errors.Is(err, pdffile.ErrEncrypted):
		return end{council.VerdictEncrypted, []Note{{Code: NoteEncrypted, Message: err.Error()}}}, nil
	case errors.Is(err, pdffile.ErrTooLarge):
		return end{council.VerdictTooLarge, []Note{{Code: NoteTooBig, Message: err.Error()}}}, nil
	case err != nil:
		return end{council.VerdictUnreadable, []Note{{Code: NoteDamaged, Message: err.Error()}}}, nil
	}
	f, err := pdf.NewReader(bytes.NewReader(clean.PDF), int64(len(clean.PDF)))
	if err != nil {
		return end{}, fmt.Errorf("opening the plain file: %w", err)
	}
	pages := f.Trailer().Key("Root").Key("Pages").Key("Kids")
	var v verdict
	for _, flaw := range clean.Flaws {
		code := NoteRepaired
		if flaw.Lost {
			code = NoteDamaged
			v.damaged = true
		}
		v.repaired = true
		v.notes = append(v.notes, Note{Page: flaw.Page, Code: code, Message: flaw.Message})
	}
	fonts := fontCache{byNumber: map[int64]*font{}, mistakes: strings.Contains(clean.Producer, "Ghostscript 10.00")}
	for i := range pages.Len() {
		t := readPage(fonts, pages.Index(i), i+1)
		if t.Letters == 0 && (t.Images > 0 || t.Shapes > outlined) {
			t.Notes = append(t.Notes, Note{Page: t.Page, Code: NoteImagePage, Message: "a picture without text"})
		}
		v.add(t)
		if err := emit(t); err != nil {
			return end{}, err
		}
	}
	if clean.More {
		v.note(NoteTooBig, fmt.Sprintf("the file has more than %d pages", l.Pages))
	}
	return end{v.judge(clean.More), v.notes}, nil
}

// outlined is how many curves a page without text must have to count as
// drawn text: letters turned into outlines, as some plotters do.
const outlined = 500

// A verdict gathers what the pages of a document gave.
type verdict struct {
	pages, letters, unknown, pictures, lost, tooBig int
	damaged, repaired                               bool // something about the file
	notes                                           []Note
}

func (v *verdict) note(code NoteCode, message string) {
	v.notes = append(v.notes, Note{Code: code, Message: message})
}

func (v *verdict) add(p pageText) {
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
		v.note(NoteImagePage, fmt.Sprintf("%d of %d pages show pictures, and there are only %d letters", v.pictures, v.pages, v.letters))
		return council.VerdictNoText
	case v.unknown*4 > v.letters:
		v.note(NoteUnknownGlyphs, fmt.Sprintf("%d of %d characters have no text in their fonts", v.unknown, v.letters))
		return council.VerdictUnreadable
	}
	if v.repaired {
		return council.VerdictRepaired
	}
	return council.VerdictWhole
}
