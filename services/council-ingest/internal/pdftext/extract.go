package pdftext

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

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

// A Document is the text of a PDF.
type Document struct {
	Verdict council.Verdict
	Text    string // of the pages read, a form feed between them
	Pages   int    // pages read
	Notes   []Note
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

// ErrNoChild says that the child did not answer, most likely because the running
// binary does not begin with [RunChild].
var ErrNoChild = errors.New("the child did not answer: does main begin with pdftext.RunChild?")

// Extract makes the text of a PDF in a child process. What is wrong with the
// document is its Verdict; an error is only what is wrong with us: the context
// ended, or the child could not be started.
func Extract(ctx context.Context, pdf []byte, limits Limits) (Document, error) {
	limits = limits.or(int64(len(pdf)))
	if int64(len(pdf)) > limits.Bytes {
		return failed(council.VerdictTooLarge, NoteTooBig, fmt.Sprintf("the file has %d bytes, more than %d", len(pdf), limits.Bytes)), nil
	}
	limits.Bytes = int64(len(pdf))
	if os.Getenv(childEnv) != "" {
		return Document{}, ErrNoChild // a child that reached this is no child
	}
	exe, err := os.Executable()
	if err != nil {
		return Document{}, fmt.Errorf("extracting text: finding own binary: %w", err)
	}
	timed, cancel := context.WithTimeout(ctx, patience*limits.Time)
	defer cancel()
	cmd := exec.CommandContext(timed, exe, childArg)
	cmd.Env = childEnviron(limits)
	cmd.Stdin = bytes.NewReader(pdf)
	cmd.WaitDelay = time.Second
	var stderr tail
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return Document{}, fmt.Errorf("extracting text: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return Document{}, fmt.Errorf("extracting text: starting child: %w", err)
	}
	// JSON may need six bytes for one of text.
	doc, err := collect(bufio.NewReaderSize(io.LimitReader(stdout, 6*limits.Output+1<<20), 64<<10))
	if err != nil && !errors.Is(err, errUnfinished) {
		cancel() // it is no child of ours
	}
	_ = cmd.Wait() // how it ended is judged by what it said, and by the clock
	switch {
	case ctx.Err() != nil:
		return Document{}, fmt.Errorf("extracting text: %w", ctx.Err())
	case errors.Is(err, ErrNoChild):
		return Document{}, fmt.Errorf("extracting text: %w: %s", err, firstLine(stderr.String()))
	case errors.Is(err, errUnfinished):
		return doc.cutOff(cmd, timed.Err() != nil, stderr.String(), limits), nil
	}
	return doc, nil
}

func failed(v council.Verdict, code NoteCode, message string) Document {
	return Document{Verdict: v, Notes: []Note{{Code: code, Message: message}}}
}

// errUnfinished: the child ended before it said that it was done.
var errUnfinished = errors.New("unfinished")

// collect reads what the child says: a greeting and the document.
func collect(r *bufio.Reader) (doc Document, err error) {
	if line, _ := r.ReadSlice('\n'); string(line) != greeting+"\n" {
		return doc, ErrNoChild
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return Document{}, errUnfinished
	}
	return doc, nil
}

// cutOff notes why a child ended in the middle.
func (d Document) cutOff(cmd *exec.Cmd, late bool, stderr string, limits Limits) Document {
	d.Verdict = council.VerdictPartial
	note := Note{Code: NoteDamaged, Message: "the reader failed: " + firstLine(stderr)}
	signalled, spent := false, time.Duration(0)
	if p := cmd.ProcessState; p != nil {
		signalled, spent = !p.Exited(), p.UserTime()+p.SystemTime()
	}
	switch {
	case late, signalled && spent >= limits.Time: // the clock, or the kernel's
		d.Verdict = council.VerdictTooLarge
		note = Note{Code: NoteTooBig, Message: "the file took more time than allowed"}
	case signalled, cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == exitRuntime:
		d.Verdict = council.VerdictTooLarge
		note = Note{Code: NoteTooBig, Message: "the file took more memory than allowed"}
	}
	d.Notes = append(d.Notes, note)
	return d
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 200 {
		s = s[:200]
	}
	return s
}

// A tail keeps the first bytes written to it, where a Go program says why it dies.
type tail struct{ b bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if room := 4096 - t.b.Len(); room > 0 {
		t.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (t *tail) String() string { return t.b.String() }
