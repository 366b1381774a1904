package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// What anomalies of a hostile text may cost.
const (
	maxAlike     = 500   // of one code on one page; more are summed up
	maxAnomalies = 4_000 // after which they are summed up without regard to pages
)

// Writer adds anomalies to a record.
type Writer struct {
	*Record
	alike map[alike]int
}

// NewWriter begins a record.
func NewWriter() *Writer {
	return &Writer{Record: &Record{Attendance: []Attendee{}, Items: []Item{}, Anomalies: []Anomaly{}}, alike: map[alike]int{}}
}

// alike is what anomalies have in common of which a page has only so many.
type alike struct {
	code council.AnomalyCode
	page int
}

// Report adds an anomaly; item is an index into the record's items, or -1. What
// a page has too many of is counted only.
func (w *Writer) Report(code council.AnomalyCode, item int, motionSeq *int, page int, message string) {
	key := alike{code, page}
	if len(w.Anomalies) >= maxAnomalies {
		key.page = everyPage
	}
	if w.alike[key]++; w.alike[key] > maxAlike || key.page == everyPage {
		return
	}
	a := Anomaly{Kind: council.KindOf(code), Code: code, MotionSeq: motionSeq, Page: Page(page), Message: shape.Fold(message), item: item}
	if item >= 0 {
		a.ItemNumber = w.Items[item].ItemNumber
	}
	w.Anomalies = append(w.Anomalies, a)
}

// everyPage stands for the page where anomalies are counted without regard to pages.
const everyPage = -1

// Finish adds an anomaly for those that were counted only, and puts all into the
// order of the items.
func (w *Writer) Finish() {
	keys := slices.SortedFunc(maps.Keys(w.alike), func(a, b alike) int {
		return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.code, b.code))
	})
	for _, key := range keys {
		n := w.alike[key]
		more, where := n-maxAlike, "on this page"
		if key.page == everyPage {
			more, where = n, "in the document"
		}
		if more > 0 {
			w.Anomalies = append(w.Anomalies, Anomaly{Kind: council.KindOf(key.code), Code: key.code, Page: Page(max(key.page, 0)),
				Message: fmt.Sprintf("%d more of the same %s", more, where), item: -1})
		}
	}
	slices.SortStableFunc(w.Anomalies, func(a, b Anomaly) int { return a.item - b.item })
}
