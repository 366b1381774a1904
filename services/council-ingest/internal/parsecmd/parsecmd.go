// Package parsecmd is the parse sub-command: files of minutes in, one JSON
// document each out, in the exchange format of parsed minutes. Nothing is
// stored and nothing is fetched. The text of a PDF comes from pdftext, what it
// records from minutes.
package parsecmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

// ErrFiles says that at least one file could not be parsed; what is wrong with
// each has been written to stderr.
var ErrFiles = errors.New("not every file could be parsed")

// maxFile bounds a file of minutes; packets of hundreds of pages stay below a
// tenth of it.
const maxFile = 256 << 20

// Parse reads each file, a PDF or plain text by its content, and writes its
// record as one JSON document with a one-blank indent. A file that cannot be
// read as minutes is named on stderr with the reason, the others are still
// parsed, and the error is ErrFiles.
func Parse(ctx context.Context, files []string, stdout, stderr io.Writer, opts minutes.Options) error {
	out := json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	paged := opts
	paged.Paged = true
	ofText, ofPDF := minutes.NewParser(opts), minutes.NewParser(paged)
	failed := false
	for _, file := range files {
		source, err := Read(ctx, file)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = true
			if _, err := fmt.Fprintf(stderr, "%s: %v\n", file, err); err != nil {
				return fmt.Errorf("writing to stderr: %w", err)
			}
			continue
		}
		parser := ofText
		if source.IsPDF {
			parser = ofPDF
		}
		record := parser.Parse(source.Text)
		for _, n := range source.Notes {
			if code, is := n.Anomaly(); is {
				record.Note(code, n.Page, n.Message)
			}
		}
		record.File = file
		if err := out.Encode(record); err != nil {
			return fmt.Errorf("writing the record of %s: %w", file, err)
		}
	}
	if failed {
		return ErrFiles
	}
	return nil
}

// Explain reads one file and writes how each of its lines was read, and why: one
// line each for people, or one JSON document.
func Explain(ctx context.Context, file string, stdout io.Writer, asJSON bool, opts minutes.Options) error {
	source, err := Read(ctx, file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	opts.Paged = source.IsPDF
	lines := minutes.NewParser(opts).Explain(source.Text)
	if asJSON {
		out := json.NewEncoder(stdout)
		out.SetEscapeHTML(false)
		return out.Encode(map[string]any{"file": file, "lines": lines})
	}
	var b strings.Builder
	for _, ln := range lines {
		fmt.Fprintf(&b, "%d:%d\t%s %s\t%s\t%s\n", ln.Page, ln.Line, ln.Kind, ln.Row, ln.Why, ln.Text)
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	if _, err := table.Write([]byte(b.String())); err != nil {
		return fmt.Errorf("writing the lines of %s: %w", file, err)
	}
	return table.Flush()
}

// An Input is the text of a file of minutes.
type Input struct {
	Text  string
	IsPDF bool
	Notes []pdftext.Note // of a PDF
}

// Read returns the text of a file of minutes, extracted if the content is a PDF.
func Read(ctx context.Context, file string) (Input, error) {
	data, err := read(file)
	if err != nil {
		return Input{}, err
	}
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return Input{}, errors.New("the file is empty")
	case bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")):
		doc, err := pdftext.Extract(ctx, data, pdftext.Limits{})
		if err != nil {
			return Input{}, err
		}
		if !doc.Verdict.Readable() {
			return Input{}, fmt.Errorf("the PDF cannot be parsed: %s%s", doc.Verdict, firstNote(doc.Notes))
		}
		return Input{Text: doc.Text, IsPDF: true, Notes: doc.Notes}, nil
	case !looksLikeText(data):
		return Input{}, errors.New("the file is neither a PDF nor text")
	}
	return Input{Text: string(data)}, nil
}

func firstNote(notes []pdftext.Note) string {
	if len(notes) == 0 {
		return ""
	}
	if notes[0].Page > 0 {
		return fmt.Sprintf(" (page %d: %s)", notes[0].Page, notes[0].Message)
	}
	return " (" + notes[0].Message + ")"
}

func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a directory")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxFile>>20)
	}
	return data, nil
}

// cause takes the file's name out of an error; the caller prints it once.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// looksLikeText reports whether data is printable: no NUL bytes, and markup or
// binary formats ruled out by their first characters.
func looksLikeText(data []byte) bool {
	head := data[:min(len(data), 4096)]
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	start := strings.ToLower(strings.TrimSpace(string(head[:min(len(head), 64)])))
	if strings.HasPrefix(start, "<!doctype") || strings.HasPrefix(start, "<html") || strings.HasPrefix(start, "<?xml") {
		return false
	}
	odd := 0
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n <= 1 && i+4 < len(head) || r < ' ' && !strings.ContainsRune("\t\n\r\f\v", r) {
			odd++
		}
		i += n
	}
	return odd*20 < len(head)
}
