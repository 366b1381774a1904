package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/services/gtfs-import/internal/groupby"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

const (
	hasStep = 1 << iota
	hasText
)

func (t *calls) store(g *groupby.Group) {
	n := g.Key
	t.buf = t.buf[:0]
	seq, text := int32(0), []byte(nil)
	for i := range g.Rows {
		c := &g.Rows[i]
		head := uint64(c.C+1) << 2
		step := c.Seq - seq
		other := g.Text(c)
		if step != 1 {
			head |= hasStep
		}
		if !bytes.Equal(text, other) {
			head |= hasText
		}
		t.buf = binary.AppendUvarint(t.buf, head)
		if head&hasStep != 0 {
			t.buf = binary.AppendUvarint(t.buf, uint64(step))
		}
		if head&hasText != 0 {
			t.buf = binary.AppendUvarint(t.buf, uint64(len(other)))
			t.buf = append(t.buf, other...)
		}
		seq, text = c.Seq, other
	}
	p, added := t.patterns.Add(t.buf)
	if added {
		t.patternTrips = append(t.patternTrips, 0)
	}
	t.patternTrips[p]++
	t.pattern[n] = p

	t.buf = t.buf[:0]
	last := int32(noTime)
	for i := range g.Rows {
		c := &g.Rows[i]
		if last == noTime {
			// The trip starts at its first departure or, without departures, at the first arrival.
			last = c.B
			if last == noTime {
				last = c.A
			}
			t.start[n] = last
		}
		for _, at := range [...]int32{c.A, c.B} {
			if at == noTime {
				t.buf = append(t.buf, 0)
				continue
			}
			d := at - last
			last = at
			t.buf = binary.AppendUvarint(t.buf, uint64(uint32(d<<1)^uint32(d>>31))+1)
		}
	}
	t.profile[n] = -1
	if last == noTime {
		return
	}
	t.profile[n], _ = t.profiles.Add(t.buf)
}

func (t *calls) eachCall(pattern int32, yield func(stop, seq int32, text []byte)) {
	key := t.patterns.Get(pattern)
	next := func() int {
		v, n := binary.Uvarint(key)
		key = key[n:]
		return int(v)
	}
	seq, text := int32(0), []byte(nil)
	for len(key) > 0 {
		head, step := next(), 1
		if head&hasStep != 0 {
			step = next()
		}
		if head&hasText != 0 {
			n := next()
			text, key = key[:n], key[n:]
		}
		seq += int32(step)
		yield(int32(head>>2)-1, seq, text)
	}
}

// eachTime yields arrival and departure of each stop time of a profile, in seconds from the start.
func (t *calls) eachTime(profile int32, yield func(arrival, departure int32)) {
	key := t.profiles.Get(profile)
	last := int32(0)
	next := func() int32 {
		v, n := binary.Uvarint(key)
		key = key[n:]
		if v == 0 {
			return noTime
		}
		u := uint32(v - 1)
		last += int32(u>>1) ^ -int32(u&1)
		return last
	}
	for len(key) > 0 {
		arrival := next()
		yield(arrival, next())
	}
}

func (t *calls) eachCallOf(trip int32, yield func(row groupby.Row, text []byte)) {
	if t.pattern[trip] < 0 {
		return
	}
	times := t.pairs[:0]
	if f := t.profile[trip]; f >= 0 {
		t.eachTime(f, func(a, d int32) {
			times = append(times, [2]int32{add(t.start[trip], a), add(t.start[trip], d)})
		})
	}
	i := 0
	t.eachCall(t.pattern[trip], func(stop, seq int32, text []byte) {
		row := groupby.Row{Seq: seq, A: noTime, B: noTime, C: stop}
		if i < len(times) {
			row.A, row.B = times[i][0], times[i][1]
		}
		i++
		yield(row, text)
	})
	t.pairs = times
}

func add(start, seconds int32) int32 {
	if seconds == noTime {
		return noTime
	}
	return start + seconds
}

// numbered numbers patterns or profiles in order of their first trips. byNumber is the inverse.
func numbered(of []int32, table *compact.Strings) (numbers, byNumber []int32) {
	numbers = slices.Repeat([]int32{-1}, table.Len())
	for _, n := range of {
		if n >= 0 && numbers[n] < 0 {
			numbers[n] = int32(len(byNumber))
			byNumber = append(byNumber, n)
		}
	}
	table.Freeze()
	return numbers, byNumber
}

// stopsOf returns the stops of the pattern with a number. It omits stop times without a stop.
func (t *calls) stopsOf(number int32) []int32 {
	var stops []int32
	t.eachCall(t.byNumber[number], func(stop, _ int32, _ []byte) {
		if stop >= 0 {
			stops = append(stops, stop)
		}
	})
	return stops
}

// rowsOf returns the row of each stop time; -1 if it has no stop. at has the rows of stopsOf.
func (t *calls) rowsOf(number int32, at []int32) []int32 {
	var rows []int32
	t.eachCall(t.byNumber[number], func(stop, _ int32, _ []byte) {
		if stop < 0 {
			rows = append(rows, -1)
			return
		}
		rows = append(rows, at[0])
		at = at[1:]
	})
	return rows
}

func (l *loader) copyPatterns(ctx context.Context) error {
	t := &l.trips
	columns := "pattern, trip_count, stop_sequence, stop_id, " + strings.Join(stage.PatternColumns(), ", ") + ", digest"
	return l.fill(ctx, "pattern", columns, func(w *stage.Writer) error {
		var seqs []int32
		var ids [][]byte
		row, cells := t.newCells(), make([][][]byte, len(t.columns))
		for number, p := range t.byNumber {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			seqs, ids = seqs[:0], ids[:0]
			for i := range cells {
				cells[i] = cells[i][:0]
			}
			t.eachCall(p, func(stop, seq int32, text []byte) {
				seqs = append(seqs, seq)
				if stop >= 0 {
					ids = append(ids, l.stops.ids.Get(stop))
				} else {
					ids = append(ids, nil)
				}
				for i, cell := range row.split(text) {
					cells[i] = append(cells[i], cell)
				}
			})
			w.Nums(int32(number), t.patternTrips[p])
			w.Ints(seqs)
			w.Texts(ids)
			for _, c := range cells {
				writeCells(w, c)
			}
			w.Bytes(t.digest(seqs, ids, cells))
			if err := w.End(); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeCells writes a column of a pattern: NULL if all cells are empty, one element if they are all
// equal.
func writeCells(w *stage.Writer, cells [][]byte) {
	same := !slices.ContainsFunc(cells, func(c []byte) bool { return !bytes.Equal(c, cells[0]) })
	switch {
	case same && len(cells[0]) == 0:
		w.Null()
	case same:
		w.Texts(cells[:1])
	default:
		w.Texts(cells)
	}
}

// digest returns a hash of a pattern. Equal patterns have equal hashes in all versions.
func (t *calls) digest(seqs []int32, ids [][]byte, cells [][][]byte) []byte {
	t.buf = t.buf[:0]
	for i, seq := range seqs {
		t.buf = binary.AppendVarint(t.buf, int64(seq))
		t.buf = append(append(t.buf, ids[i]...), cellEnd)
		for _, column := range cells {
			t.buf = append(append(t.buf, column[i]...), cellEnd)
		}
	}
	sum := sha256.Sum256(t.buf)
	return sum[:16]
}

func (l *loader) copyProfiles(ctx context.Context) error {
	t := &l.trips
	return l.fill(ctx, "profile", "profile, departures, arrivals, digest", func(w *stage.Writer) error {
		var arrivals, departures []int32
		for number, f := range t.profilesByNumber {
			arrivals, departures = arrivals[:0], departures[:0]
			t.eachTime(f, func(a, d int32) { arrivals, departures = append(arrivals, a), append(departures, d) })
			w.Int(number)
			w.NullInts(departures, noTime)
			if slices.Equal(arrivals, departures) {
				w.Null()
			} else {
				w.NullInts(arrivals, noTime)
			}
			sum := sha256.Sum256(t.profiles.Get(f))
			w.Bytes(sum[:16])
			if err := w.End(); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// copyStopIndex stores for each stop the patterns and directions that serve it. The patterns of its
// platforms serve a station.
func (l *loader) copyStopIndex(ctx context.Context) error {
	t, parent := &l.trips, l.stops.parent
	type visit struct{ pattern, position int32 }
	visits := groupByKey(l.stops.ids.Len(), func(add func(int32, visit)) {
		for number, p := range t.byNumber {
			position := int32(0)
			t.eachCall(p, func(stop, _ int32, _ []byte) {
				position++
				for level := 0; stop >= 0 && level < 3; level++ { // boarding area, platform, station
					add(stop, visit{int32(number), position})
					stop = parent[stop] // terminates because cutParents has removed loops
				}
			})
		}
	})
	directionsOf := groupByKey(len(t.byNumber), func(add func(int32, int32)) {
		for _, u := range t.uses {
			add(u.pattern, u.direction)
		}
	})
	return l.fill(ctx, "stop_index", "stop_id, directions, patterns, positions, trips, trip_count, call_count",
		func(w *stage.Writer) error {
			var directions, patterns, positions, trips []int32
			for s, here := range visits {
				if len(here) == 0 {
					continue
				}
				directions = directions[:0]
				patterns = patterns[:0]
				positions = positions[:0]
				trips = trips[:0]
				tripCount, callCount := int32(0), int32(0)
				for i, v := range here {
					n := t.patternTrips[t.byNumber[v.pattern]]
					patterns = append(patterns, v.pattern)
					positions = append(positions, v.position)
					trips = append(trips, n)
					callCount += n
					if i == 0 || here[i-1].pattern != v.pattern {
						tripCount += n
						directions = append(directions, directionsOf[v.pattern]...)
					}
				}
				slices.Sort(directions)
				w.Text(l.stops.ids.Get(int32(s)))
				w.Ints(slices.Compact(directions), patterns, positions, trips)
				w.Nums(tripCount, callCount)
				if err := w.End(); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
}
