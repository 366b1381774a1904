package pdftext

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"time"
)

// How parent and child know each other. The argument is for people who list
// processes; the variable carries the limits, and keeps a binary that forgot
// RunChild from starting itself for ever.
const (
	childArg = "pdftext-child"
	childEnv = "TOWNLINE_PDFTEXT_CHILD"
	greeting = "pdftext 1"
)

// How a child ends. Its own failures and panics differ from the end that
// the runtime makes of a program that gets no memory, or that calls itself too deeply.
const (
	exitFailed  = 1
	exitRuntime = 2 // what the runtime chooses
)

// childEnviron is all the environment a child has: no secret of ours is in it.
func childEnviron(l Limits) []string {
	return []string{
		fmt.Sprintf("%s=%d,%d,%d,%d,%d", childEnv, l.Bytes, l.Pages, l.Output, l.Memory, l.Time),
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
	if _, err := fmt.Sscanf(spec, "%d,%d,%d,%d,%d", &l.Bytes, &l.Pages, &l.Output, &l.Memory, &nanos); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: bad limits: "+strconv.Quote(spec))
		os.Exit(exitFailed)
	}
	l.Time = time.Duration(nanos)
	// Said before the limits are set: a child with too little memory to go on is still a child.
	if _, err := os.Stdout.WriteString(greeting + "\n"); err != nil {
		os.Exit(exitFailed)
	}
	debug.SetMemoryLimit(l.Memory * 3 / 4)
	if err := confine(l); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: setting limits: "+err.Error())
		os.Exit(exitFailed)
	}
	if err := serve(os.Stdin, os.Stdout, l); err != nil {
		fmt.Fprintln(os.Stderr, "pdftext: "+err.Error())
		os.Exit(exitFailed)
	}
	os.Exit(0)
}

// serve is the child's work: a PDF in, a [Document] out as JSON.
func serve(in io.Reader, out io.Writer, l Limits) error {
	data := make([]byte, l.Bytes) // in one piece: growing by steps would take half as much again
	if _, err := io.ReadFull(in, data); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(read(data, l))
}
