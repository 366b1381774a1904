package gtfsimport_test

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/townline/townline/pkg/gtfs"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

type csvFile struct {
	header []string
	rows   [][]string
	lines  []int
}

// parseCSV splits text into rows, character by character.
func parseCSV(data []byte, decode func([]byte) string) csvFile {
	var f csvFile
	var row []string
	var cell []byte
	line, rowLine := 1, 1
	quoted, wasQuoted := false, false
	crOnly := false
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 && data[i] == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
		crOnly = true
	}
	endCell := func() {
		row = append(row, strings.TrimSpace(decode(cell)))
		cell, wasQuoted = cell[:0], false
	}
	endRow := func() {
		endCell()
		if len(row) > 1 || row[0] != "" {
			if f.header == nil {
				f.header = row
			} else {
				f.rows = append(f.rows, row)
				f.lines = append(f.lines, rowLine)
			}
		}
		row = nil
		rowLine = line
	}
	for i := 0; i < len(data); i++ {
		c := data[i]
		if c == '\n' || c == '\r' && crOnly {
			line++
		}
		switch {
		case quoted && c == '"' && i+1 < len(data) && data[i+1] == '"':
			cell = append(cell, '"')
			i++
		case quoted && c == '"':
			quoted = false
		case quoted:
			cell = append(cell, c)
		case c == '"' && !wasQuoted && len(bytes.TrimSpace(cell)) == 0:
			quoted, wasQuoted = true, true
			cell = cell[:0]
		case c == ',':
			endCell()
		case c == '\n' || c == '\r' && crOnly:
			endRow()
		default:
			cell = append(cell, c)
		}
	}
	if len(cell) > 0 || len(row) > 0 {
		endRow()
	}
	return f
}

// zipFiles reads the text files of a feed, by lower-case name.
func zipFiles(t reporter, data []byte, encoding string) map[string]csvFile {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && z == nil {
		t.Fatal(err)
	}
	if encoding == "" {
		encoding = "windows-1252"
	}
	legacy, err := htmlindex.Get(encoding)
	if err != nil {
		t.Fatal(err)
	}
	decode := func(cell []byte) string {
		if !utf8.Valid(cell) {
			cell, _ = legacy.NewDecoder().Bytes(cell)
		}
		return strings.Map(func(r rune) rune {
			if r < ' ' && r != '\n' && r != '\r' && r != '\t' {
				return -1
			}
			return r
		}, string(cell))
	}
	// The feed is in the folder of stop_times.txt; no test feed has two such folders.
	folder := ""
	for _, e := range z.File {
		if dir, name := path.Split(e.Name); strings.EqualFold(name, "stop_times.txt") && !strings.Contains(dir, "__MACOSX") {
			folder = dir
		}
	}
	files := map[string]csvFile{}
	for _, e := range z.File {
		dir, name := path.Split(e.Name)
		name = strings.ToLower(name)
		if _, twice := files[name]; twice || dir != folder || path.Ext(name) != ".txt" {
			continue
		}
		r, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		switch {
		case bytes.HasPrefix(text, []byte("\xEF\xBB\xBF")):
			text = text[3:]
		case bytes.HasPrefix(text, []byte("\xFF\xFE")), bytes.HasPrefix(text, []byte("\xFE\xFF")):
			text, err = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(text)
			if err != nil {
				t.Fatal(err)
			}
		}
		files[name] = parseCSV(text, decode)
	}
	return files
}

// explained has the differences that the audit lists and, by file, the number of those that it only
// counts.
type explained struct {
	rows  map[string]map[int]bool
	cells map[string]map[int]map[string]bool
	spare map[string]int
}

func explain(r *gtfsimport.Report) explained {
	x := explained{map[string]map[int]bool{}, map[string]map[int]map[string]bool{}, map[string]int{}}
	for _, f := range r.Findings {
		if f.Effect != gtfs.Noted {
			x.spare[f.File] += f.Count
		}
	}
	for _, l := range r.Lines {
		if l.Effect == gtfs.Noted {
			continue
		}
		x.spare[l.File]--
		if x.rows[l.File] == nil {
			x.rows[l.File], x.cells[l.File] = map[int]bool{}, map[int]map[string]bool{}
		}
		if l.Effect == gtfs.RowLeftOut {
			x.rows[l.File][l.Line] = true
			continue
		}
		if x.cells[l.File][l.Line] == nil {
			x.cells[l.File][l.Line] = map[string]bool{}
		}
		x.cells[l.File][l.Line][l.Field] = true
	}
	return x
}
