package publish

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
	"os"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/dataset"
)

// A csvFile is a table with a header row, in the format of [council.AppendRow]. Null is an empty
// cell; an empty text is "", but not in a flat table.
type csvFile struct {
	table *dataset.Table
	file  *os.File
	out   *bufio.Writer
	sum   hash.Hash
	size  int64
	most  int64
	line  []byte
}

func createCSV(path string, t *dataset.Table, most int64) (*csvFile, error) {
	f, err := createUnlinked(path)
	if err != nil {
		return nil, err
	}
	c := &csvFile{table: t, file: f, sum: sha256.New(), most: most}
	c.out = bufio.NewWriterSize(io.MultiWriter(f, c.sum), 64<<10)
	header := make([][]byte, len(t.Columns))
	for i, col := range t.Columns {
		header[i] = []byte(col.Name)
	}
	if err := c.row(header); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// createUnlinked creates a file without a name, so that a crash leaves none.
func createUnlinked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return f, os.Remove(path)
}

func (c *csvFile) row(cells [][]byte) error {
	b := c.line[:0]
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		if cell != nil && len(cell) == 0 && !c.table.Flat {
			b = append(b, `""`...)
		}
		k := c.table.Columns[i].Kind
		b = council.AppendCell(b, cell, k == dataset.Text || k == dataset.URL)
	}
	b = append(b, "\r\n"...)
	c.line = b
	c.size += int64(len(b))
	if c.size > c.most {
		return ErrTooLarge
	}
	_, err := c.out.Write(b)
	return err
}

func (c *csvFile) finish() (*file, error) {
	if err := c.out.Flush(); err != nil {
		return nil, err
	}
	return &file{name: c.table.File(), mediaType: "text/csv", size: c.size, sum: c.sum.Sum(nil), content: c.file}, nil
}

func (c *csvFile) close() { _ = c.file.Close() } // the file is stored, or not wanted

func textFile(name, mediaType string, text []byte) *file {
	sum := sha256.Sum256(text)
	return &file{name: name, mediaType: mediaType, size: int64(len(text)), sum: sum[:], content: bytes.NewReader(text)}
}
