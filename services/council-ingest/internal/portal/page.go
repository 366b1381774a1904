package portal

import (
	"bytes"
	"errors"
	"io"
	"runtime/metrics"

	"github.com/PuerkitoBio/goquery"
)

// ErrCostly says that a web page takes more memory to read than any real one does.
var ErrCostly = errors.New("the web page takes more memory to read than any real page")

const (
	// maxGrown is how much memory the reading of one page may take. A calendar of two decades takes some 20 megabytes. The size of a page says
	// little: HTML repeats tags that were left open, so that a hundred kilobytes can become gigabytes.
	maxGrown = 512 << 20
	// maxGulp is how much is read between two looks at the memory: at its worst it becomes some 80 megabytes.
	maxGulp = 4 << 10
)

// ParsePage reads a web page, which can be hostile: it ends with ErrCostly before the page has taken all memory.
func ParsePage(body []byte) (*goquery.Document, error) { return parsePage(body, maxGrown) }

func parsePage(body []byte, most uint64) (*goquery.Document, error) {
	return goquery.NewDocumentFromReader(&frugal{from: bytes.NewReader(body), low: heap(), most: most})
}

// A frugal reader ends when the heap has grown by more than most since it began.
type frugal struct {
	from      io.Reader
	low, most uint64 // low is the least that was seen
}

func (f *frugal) Read(p []byte) (int, error) {
	now := heap()
	f.low = min(f.low, now)
	if now-f.low > f.most {
		return 0, ErrCostly
	}
	return f.from.Read(p[:min(len(p), maxGulp)])
}

// heap is how many bytes there are in use, or not cleared away yet.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
