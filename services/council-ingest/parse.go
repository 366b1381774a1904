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

	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// ErrFiles means that some files could not be parsed. The reasons are on stderr.
var ErrFiles = errors.New("not every file could be parsed")

// maxFile bounds the size of a file of minutes. Packets of hundreds of pages have less than a tenth
// of it.
const maxFile = 256 << 20

// Parse parses files of minutes (PDF, DOCX, HTML or text) with the words of the council, and writes each record
// as a JSON document. It stores nothing. It reports an unreadable file on stderr, parses the other
// files, and returns ErrFiles. set may be nil.
func Parse(ctx context.Context, set *settings.Settings, files []string, stdout, stderr io.Writer) error {
	if set == nil {
		set = &settings.Settings{}
	}
	out := json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	ofText, ofPDF := minutes.NewParser(set.Minutes(false)), minutes.NewParser(set.Minutes(true))
	failed := false
	for _, file := range files {
		text, isPDF, err := readText(ctx, file)
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
		record := parser.Parse(*text.Text)
		for _, n := range text.Notes {
			record.Note(n.Code, n.Page, n.Message)
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

// Explain writes the classification of each line of minutes, with reasons. It writes one line of
// text for each, or one JSON document if asJSON is true.
func Explain(ctx context.Context, set *settings.Settings, file string, stdout io.Writer, asJSON bool) error {
	text, isPDF, err := readText(ctx, file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	lines := minutes.NewParser(set.Minutes(isPDF)).Explain(*text.Text)
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

// readText returns the text of a file of minutes as an ingest archives it.
func readText(ctx context.Context, file string) (text archive.Text, isPDF bool, err error) {
	data, err := readFile(file)
	if err != nil {
		return text, false, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return text, false, errors.New("the file is empty")
	}
	isPDF = doctext.MediaType(data) == "application/pdf"
	text, err = doctext.Read(ctx, data)
	if err == nil && text.Text == nil {
		err = fmt.Errorf("the file cannot be parsed: %s", text.Error)
	}
	return text, isPDF, err
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

// withoutPath removes the file's name from an error, because the caller prints the name.
func withoutPath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
