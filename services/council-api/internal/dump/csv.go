package dump

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"

	"github.com/townline/townline/pkg/council"
)

// A csvFile is a table with a header row, in the format of [council.AppendRow]. Null is an empty
// cell; an empty text is "".
type csvFile struct {
	table *table
	file  *os.File
	out   *bufio.Writer
	sum   hash.Hash
	size  int64
	most  int64
	line  []byte
}

func createCSV(path string, t *table, most int64) (*csvFile, error) {
	file, err := createUnlinked(path)
	if err != nil {
		return nil, err
	}
	c := &csvFile{table: t, file: file, sum: sha256.New(), most: most}
	c.out = bufio.NewWriterSize(io.MultiWriter(file, c.sum), 64<<10)
	header := make([][]byte, len(t.columns))
	for i, col := range t.columns {
		header[i] = []byte(col.name)
	}
	return c, c.row(header)
}

func createUnlinked(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return file, os.Remove(path)
}

func (c *csvFile) row(cells [][]byte) error {
	b := c.line[:0]
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		if cell != nil && len(cell) == 0 {
			b = append(b, `""`...)
		}
		k := c.table.columns[i].kind
		b = council.AppendCell(b, cell, k == kindText || k == kindURL)
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

func (c *csvFile) finish() (*File, error) {
	if err := c.out.Flush(); err != nil {
		c.discard()
		return nil, err
	}
	return &File{Name: c.table.name + ".csv", MediaType: "text/csv", Doc: c.table.doc, Size: c.size,
		SHA256: hex.EncodeToString(c.sum.Sum(nil)), content: c.file}, nil
}

func (c *csvFile) discard() { _ = c.file.Close() } // errors do not matter, because the file is incomplete
