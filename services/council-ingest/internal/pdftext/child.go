package pdftext

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"time"
)

// How parent and child know each other. The argument is for whoever lists
// processes; the variable carries the limits, and keeps a binary that forgot
// RunChild from starting itself for ever.
const (
	childArg = "pdftext-child"
	childEnv = "TOWNLINE_PDFTEXT_CHILD"
	greeting = "pdftext 1"
)

// A message is one line from the child: a page, or the end.
type message struct {
	Page *pageText `json:"page,omitempty"`
	End  *end      `json:"end,omitempty"`
}

type end struct {
	Status Status `json:"status"`
	Notes  []Note `json:"notes,omitempty"`
}

// childEnviron is all the environment a child has: no secret of ours is in it.
func childEnviron(l Limits) []string {
	return []string{
		fmt.Sprintf("%s=%d,%d,%d,%d", childEnv, l.Pages, l.Output, l.Memory, l.Time),
		"GOMAXPROCS=2",
		"GOTRACEBACK=none",
		"GORACE=atexit_sleep_ms=0", // test builds would wait a second for each document
	}
}

// RunChild belongs at the top of every main that extracts text, before
// anything else is done. It does nothing, unless [Extract] started this
// process as its child; then it reads the PDF and ends the process.
func RunChild() {
	spec := os.Getenv(childEnv)
	if spec == "" || len(os.Args) != 2 || os.Args[1] != childArg {
		return
	}
	var l Limits
	var nanos int64
	if _, err := fmt.Sscanf(spec, "%d,%d,%d,%d", &l.Pages, &l.Output, &l.Memory, &nanos); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: bad limits: "+strconv.Quote(spec))
		os.Exit(2)
	}
	l.Time = time.Duration(nanos)
	debug.SetMemoryLimit(l.Memory * 3 / 4)
	if err := confine(l); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: setting limits: "+err.Error())
		os.Exit(2)
	}
	if err := serve(os.Stdin, os.Stdout, l); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: "+err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// serve is the child's work: a PDF in, lines of JSON out.
func serve(in io.Reader, out io.Writer, l Limits) error {
	w := bufio.NewWriterSize(out, 64<<10)
	if _, err := w.WriteString(greeting + "\n"); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	last, err := read(data, l, func(p pageText) error {
		return errors.Join(enc.Encode(message{Page: &p}), w.Flush())
	})
	if err != nil {
		return err
	}
	return errors.Join(enc.Encode(message{End: &last}), w.Flush())
}
