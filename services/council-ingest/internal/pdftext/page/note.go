package page

import (
	"github.com/townline/townline/pkg/council"
)

// A NoteCode names a kind of [Note].
type NoteCode string

const (
	// NoteDamaged: a page, or the file (page 0), is damaged; Message says where.
	NoteDamaged NoteCode = "damaged"
	// NoteRepaired: something about a page, or the file (page 0), was wrong and could be made good; nothing is missing.
	NoteRepaired NoteCode = "repaired"
	// NoteTooBig: a bound was met.
	NoteTooBig NoteCode = "too_big"
	// NoteHiddenText: the page is an image with an invisible text layer, made by machine reading.
	NoteHiddenText NoteCode = "hidden_text"
	// NoteUnseenText: the page holds text that it does not show; it is not in Text.
	NoteUnseenText NoteCode = "unseen_text"
	// NoteUnknownGlyphs: some characters are U+FFFD because no font says what they are.
	NoteUnknownGlyphs NoteCode = "unknown_glyphs"
	// NoteImagePage: the page shows a picture or drawing and no text.
	NoteImagePage NoteCode = "image_page"
	// NoteEncrypted: why the file cannot be opened.
	NoteEncrypted NoteCode = "encrypted"
)

// A Note is something a reader of the document should know of one page.
type Note struct {
	Page    int      `json:"page"` // from 1; 0 is the whole file
	Code    NoteCode `json:"code"`
	Message string   `json:"message"`
}

// Anomaly is what a note means for minutes whose text could be read: a page that
// may hold more, or other, votes than its text. It is false for what a reader of
// the votes need not know.
func (n Note) Anomaly() (code council.AnomalyCode, is bool) {
	switch n.Code {
	case NoteUnseenText:
		code = council.CodeTextHidden
	case NoteHiddenText:
		code = council.CodePageMachineRead
	case NoteImagePage:
		code = council.CodePagePicture
	case NoteUnknownGlyphs:
		code = council.CodeTextUnknown
	case NoteRepaired:
		code = council.CodeRepaired
	}
	return code, code != ""
}
