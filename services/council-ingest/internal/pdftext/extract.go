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
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/page"
)

// ErrNoChild means that the child did not answer, most likely because main does not begin with
// [RunChild].
var ErrNoChild = errors.New("the child did not answer: does main begin with pdftext.RunChild?")

// Extract extracts the text of a PDF in a child process. The Verdict reports problems of the
// document. An error means that the context ended, or that the child could not start.
func Extract(ctx context.Context, pdf []byte, limits Limits) (Extraction, error) {
	limits = limits.or(int64(len(pdf)))
	if int64(len(pdf)) > limits.Bytes {
		return failed(council.VerdictTooLarge, page.NoteTooBig, fmt.Sprintf("the file has %d bytes, more than %d", len(pdf),
			limits.Bytes)), nil
	}
	limits.Bytes = int64(len(pdf))
	if os.Getenv(childEnv) != "" {
		return Extraction{}, ErrNoChild // this process is a child whose main lacks RunChild
	}
	exe, err := os.Executable()
	if err != nil {
		return Extraction{}, fmt.Errorf("extract text: find own binary: %w", err)
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
		return Extraction{}, fmt.Errorf("extract text: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return Extraction{}, fmt.Errorf("extract text: start child: %w", err)
	}
	// JSON may need six bytes for each byte of text.
	doc, err := collect(bufio.NewReaderSize(io.LimitReader(stdout, 6*limits.Output+1<<20), 64<<10))
	if err != nil && !errors.Is(err, errUnfinished) {
		cancel() // the process is not our child
	}
	_ = cmd.Wait() // its output and the time show the cause
	switch {
	case ctx.Err() != nil:
		return Extraction{}, fmt.Errorf("extract text: %w", ctx.Err())
	case errors.Is(err, ErrNoChild):
		return Extraction{}, fmt.Errorf("extract text: %w: %s", err, firstLine(stderr.String()))
	case errors.Is(err, errUnfinished):
		return doc.cutOff(cmd, timed.Err() != nil, stderr.String(), limits), nil
	}
	return doc, nil
}

var errUnfinished = errors.New("unfinished")

func collect(r *bufio.Reader) (doc Extraction, err error) {
	if line, _ := r.ReadSlice('\n'); string(line) != greeting+"\n" {
		return doc, ErrNoChild
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return Extraction{}, errUnfinished
	}
	return doc, nil
}

func (d Extraction) cutOff(cmd *exec.Cmd, late bool, stderr string, limits Limits) Extraction {
	d.Verdict = council.VerdictPartial
	note := Note{Code: page.NoteDamaged, Message: "the reader failed: " + firstLine(stderr)}
	signalled, spent := false, time.Duration(0)
	if p := cmd.ProcessState; p != nil {
		signalled, spent = !p.Exited(), p.UserTime()+p.SystemTime()
	}
	switch {
	case late, signalled && spent >= limits.Time: // our timeout, or the kernel's CPU limit
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

// tail keeps the first bytes that are written to it, because a Go program prints the reason for its
// death first.
type tail struct{ b bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if room := 4096 - t.b.Len(); room > 0 {
		t.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (t *tail) String() string { return t.b.String() }

// The argument is for lists of processes. The variable has the limits. It also prevents a binary
// without RunChild from starting itself forever.
const (
	childArg = "pdftext-child"
	childEnv = "TOWNLINE_PDFTEXT_CHILD"
	greeting = "pdftext 1"
)

// Exit codes of the child.
const (
	exitFailed  = 1
	exitRuntime = 2 // of the Go runtime: out of memory, or stack overflow
)

// childEnviron is the whole environment of a child. It has no secrets.
func childEnviron(l Limits) []string {
	return []string{
		fmt.Sprintf("%s=%d,%d,%d,%d,%d", childEnv, l.Bytes, l.Pages, l.Output, l.Memory, l.Time),
		"GOMAXPROCS=2",
		"GOTRACEBACK=none",
		"GORACE=atexit_sleep_ms=0", // otherwise a race build would wait a second for each document
	}
}

// RunChild must be the first call in every main that extracts text. If [Extract] started this
// process, RunChild reads the PDF and exits. Otherwise it does nothing.
func RunChild() {
	spec := os.Getenv(childEnv)
	if spec == "" || len(os.Args) != 2 || os.Args[1] != childArg {
		return
	}
	var l Limits
	var nanos int64
	if _, err := fmt.Sscanf(spec, "%d,%d,%d,%d,%d", &l.Bytes, &l.Pages, &l.Output, &l.Memory, &nanos); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: bad limits: "+strconv.Quote(spec))
		os.Exit(exitFailed)
	}
	l.Time = time.Duration(nanos)
	// The greeting comes before the limits, because they may leave too little memory to continue.
	if _, err := os.Stdout.WriteString(greeting + "\n"); err != nil {
		os.Exit(exitFailed)
	}
	debug.SetMemoryLimit(l.Memory * 3 / 4)
	if err := confine(l); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: set limits: "+err.Error())
		os.Exit(exitFailed)
	}
	if err := serve(os.Stdin, os.Stdout, l); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: "+err.Error())
		os.Exit(exitFailed)
	}
	os.Exit(0)
}

func serve(in io.Reader, out io.Writer, l Limits) error {
	data := make([]byte, l.Bytes) // allocated at once, because growing it would need half as much memory again
	if _, err := io.ReadFull(in, data); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(read(data, l))
}
