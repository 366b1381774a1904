package pdftext

import (
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/page"
	"time"
)

// A Document is the text of a PDF.
type Document struct {
	Verdict council.Verdict
	Text    string // of the pages read, a form feed between them
	Pages   int    // pages read
	Notes   []Note
}

// A Note is something a reader of the document should know of one page.
type Note = page.Note

// NoteDamaged is the code of a note on what is damaged.
const NoteDamaged = page.NoteDamaged

func failed(v council.Verdict, code page.NoteCode, message string) Document {
	return Document{Verdict: v, Notes: []Note{{Code: code, Message: message}}}
}

// Limits bound what one document may cost. The zero value of a field is its default.
type Limits struct {
	Bytes  int64         // of the file; default 256 MiB
	Pages  int           // default 2,000
	Output int64         // bytes of text; default 64 MiB
	Memory int64         // bytes the child may use; default Memory
	Time   time.Duration // of the processor, and by the clock patience times as long; default 3 to 30 seconds by size
}

// Memory is what the child may use beside its parent. It stands in one machine's or container's memory with it, and the
// shipped limits (deploy) leave room for both.
const Memory = 256 << 20

// patience is how many times longer than its processor time a document may take by the clock. Where much else runs,
// a good document waits for its turn; that is no fault of it.
const patience = 5

// or fills the defaults in for a file of n bytes.
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
