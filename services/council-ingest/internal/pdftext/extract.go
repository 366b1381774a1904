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
	"github.com/townline/townline/services/council-ingest/internal/pdftext/page"
)

// ErrNoChild says that the child did not answer, most likely because the running
// binary does not begin with [RunChild].
var ErrNoChild = errors.New("the child did not answer: does main begin with pdftext.RunChild?")

// Extract makes the text of a PDF in a child process. What is wrong with the
// document is its Verdict; an error is only what is wrong with us: the context
// ended, or the child could not be started.
func Extract(ctx context.Context, pdf []byte, limits Limits) (Document, error) {
	limits = limits.or(int64(len(pdf)))
	if int64(len(pdf)) > limits.Bytes {
		return failed(council.VerdictTooLarge, page.NoteTooBig, fmt.Sprintf("the file has %d bytes, more than %d", len(pdf), limits.Bytes)), nil
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
	note := Note{Code: page.NoteDamaged, Message: "the reader failed: " + firstLine(stderr)}
	signalled, spent := false, time.Duration(0)
	if p := cmd.ProcessState; p != nil {
		signalled, spent = !p.Exited(), p.UserTime()+p.SystemTime()
	}
	switch {
	case late, signalled && spent >= limits.Time: // the clock, or the kernel's
		d.Verdict = council.VerdictTooLarge
		note = Note{Code: page.NoteTooBig, Message: "the file took more time than allowed"}
	case signalled, cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == exitRuntime:
		d.Verdict = council.VerdictTooLarge
		note = Note{Code: page.NoteTooBig, Message: "the file took more memory than allowed"}
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
