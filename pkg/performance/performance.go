// Package performance has the figures of what really ran that rt-poller counts by day and
// transit-api adds up: delays, and the accuracy of predictions.
package performance

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// A Horizon is a range of seconds between a prediction and its event, and the errors with which a
// prediction of that range counts as accurate. An error is the actual minus the predicted time;
// both bounds are included.
type Horizon struct{ From, To, Early, Late int64 }

// Horizons are those of Transit's ETA accuracy benchmark.
func Horizons() [4]Horizon {
	return [4]Horizon{{0, 180, -30, 90}, {180, 360, -60, 150}, {360, 600, -60, 210}, {600, MaxHorizon, -90, 270}}
}

// MaxHorizon is the end of the longest horizon in seconds.
const MaxHorizon = 900

// An Accuracy counts the predictions of each horizon.
type Accuracy [4]Predictions

// Predictions counts the predictions of one horizon and their errors in seconds.
type Predictions struct{ Samples, Accurate, Errors, Squares int64 }

// Add counts a prediction by its horizon and its error.
func (a *Accuracy) Add(horizon, off int64) {
	for i, h := range Horizons() {
		if horizon < h.From || horizon >= h.To {
			continue
		}
		a[i].Samples++
		if off >= h.Early && off <= h.Late {
			a[i].Accurate++
		}
		a[i].Errors += off
		a[i].Squares += off * off
	}
}

// Merge adds the counts of another.
func (a *Accuracy) Merge(b *Accuracy) {
	for i := range a {
		a[i].Samples += b[i].Samples
		a[i].Accurate += b[i].Accurate
		a[i].Errors += b[i].Errors
		a[i].Squares += b[i].Squares
	}
}

// Any reports whether anything was counted.
func (a *Accuracy) Any() bool { return *a != Accuracy{} }

// Literal returns the counts as the text of an array of Postgres, in the form in which they are
// stored: four numbers for each horizon.
func (a *Accuracy) Literal() string {
	b := []byte{'{'}
	for i, p := range a {
		for k, n := range [...]int64{p.Samples, p.Accurate, p.Errors, p.Squares} {
			if i+k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, n, 10)
		}
	}
	return string(append(b, '}'))
}

// ReadAccuracy reads stored counts; an empty array has none.
func ReadAccuracy(all []int64) (a Accuracy, err error) {
	if len(all) == 0 {
		return a, nil
	}
	if len(all) != 4*len(a) {
		return a, fmt.Errorf("accuracy has %d numbers instead of %d", len(all), 4*len(a))
	}
	for i := range a {
		a[i] = Predictions{Samples: all[4*i], Accurate: all[4*i+1], Errors: all[4*i+2], Squares: all[4*i+3]}
	}
	return a, nil
}

// Delays counts visits by their delay in seconds; early ones are negative.
type Delays map[int32]int64

// Encode returns the delays in a compact form: the difference to the delay before, and the count.
func (d Delays) Encode() []byte {
	b := []byte{}
	before := int32(0)
	for _, delay := range slices.Sorted(maps.Keys(d)) {
		b = binary.AppendVarint(b, int64(delay)-int64(before))
		b = binary.AppendUvarint(b, uint64(d[delay]))
		before = delay
	}
	return b
}
