package councilingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

// ErrFiles reports that some files could not be parsed; stderr has the reasons.
var ErrFiles = errors.New("not every file could be parsed")

// maxFile bounds a file of minutes; packets of hundreds of pages have less than a tenth of it.
const maxFile = 256 << 20

// Parse parses files of minutes, PDF or text, with the words of the council and writes each record
// as a JSON document. It stores nothing. It reports an unreadable file on stderr, parses the
// others, and returns ErrFiles. set may be nil.
func Parse(ctx context.Context, set *Settings, files []string, stdout, stderr io.Writer) error {
	if set == nil {
		set = &Settings{}
	}
	out := json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	ofText, ofPDF := minutes.NewParser(set.Minutes(false)), minutes.NewParser(set.Minutes(true))
	failed := false
	for _, file := range files {
		text, isPDF, notes, err := readText(ctx, file)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = true
			if _, err := fmt.Fprintf(stderr, "%s: %v\n", file, err); err != nil {
				return fmt.Errorf("write to stderr: %w", err)
			}
			continue
		}
		parser := ofText
		if isPDF {
			parser = ofPDF
		}
		record := parser.Parse(text)
		for _, n := range notes {
			if code, is := n.Anomaly(); is {
				record.Note(code, n.Page, n.Message)
			}
		}
		record.File = file
		if err := out.Encode(record); err != nil {
			return fmt.Errorf("write the record of %s: %w", file, err)
		}
	}
	if failed {
		return ErrFiles
	}
	return nil
}

// Explain writes the classification of each line of minutes, with reasons: one line each for
// people, or one JSON document.
func Explain(ctx context.Context, set *Settings, file string, stdout io.Writer, asJSON bool) error {
	text, isPDF, _, err := readText(ctx, file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	lines := minutes.NewParser(set.Minutes(isPDF)).Explain(text)
	if asJSON {
		out := json.NewEncoder(stdout)
		out.SetEscapeHTML(false)
		return out.Encode(map[string]any{"file": file, "lines": lines})
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, ln := range lines {
		fmt.Fprintf(table, "%d:%d\t%s %s\t%s\t%s\n", ln.Page, ln.Line, ln.Kind, ln.Row, ln.Why, ln.Text)
	}
	return table.Flush()
}

// readText returns the text of a file of minutes; notes are those of a PDF.
func readText(ctx context.Context, file string) (text string, isPDF bool, notes []pdftext.Note, err error) {
	data, err := readFile(file)
	if err != nil {
		return "", false, nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return "", false, nil, errors.New("the file is empty")
	}
	switch doctext.MediaType(data) {
	case "text/plain":
		return string(data), false, nil, nil
	case "application/pdf":
		doc, err := pdftext.Extract(ctx, data, pdftext.Limits{})
		if err == nil && !doc.Verdict.Readable() {
			err = fmt.Errorf("the PDF cannot be parsed: %s%s", doc.Verdict, firstNote(doc.Notes))
		}
		return doc.Text, true, doc.Notes, err
	}
	return "", false, nil, errors.New("the file is neither a PDF nor text")
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

func readFile(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a directory")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxFile>>20)
	}
	return data, nil
}

// withoutPath removes the file's name from an error, because the caller prints it.
func withoutPath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
