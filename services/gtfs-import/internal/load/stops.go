package load

import (
	"bytes"
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

type stops struct {
	entities
	parent []int32 // by stop; -1 without a parent
	num    []int64 // by stop: the column num of table stop
	// unusable marks stops that have a loop or too many stops among their ancestors.
	unusable []bool
}

func (l *loader) readStops(ctx context.Context) error {
	s := &l.stops
	var parents compact.Strings // ids of parents, which may come later in the file
	var parentOf []int32
	err := l.readEntities(ctx, "stops.txt", &s.entities, func(x *rows, _ int32) bool {
		n := int32(-1)
		if p := x.cell(x.def.Column("parent_station")); len(p) > 0 {
			n, _ = parents.Add(p)
		}
		parentOf = append(parentOf, n)
		return true
	})
	if err != nil {
		return err
	}
	for n, p := range parentOf {
		if p >= 0 {
			p = s.ids.Find(parents.Get(p))
		}
		parentOf[n] = p
	}
	s.parent = parentOf
	s.cutParents()
	s.number()
	return l.requireIDs(&s.ids, "stops", "stops.txt")
}

// maxParents is the maximum number of ancestors of a stop. A boarding area has two: platform and
// station.
const maxParents = 4

// cutParents removes the parents of stops that are their own ancestors, and then of those with too
// many ancestors.
func (s *stops) cutParents() {
	s.unusable = make([]bool, len(s.parent))
	cut := func(n int32) { s.parent[n], s.unusable[n] = -1, true }
	visitedFrom := make([]int32, len(s.parent)) // by stop: start (stop + 1) of the walk that visited it first
	for n := range int32(len(s.parent)) {
		at := n
		for at >= 0 && visitedFrom[at] == 0 {
			visitedFrom[at] = n + 1
			at = s.parent[at]
		}
		if at < 0 || visitedFrom[at] != n+1 {
			continue
		}
		for at >= 0 && !s.unusable[at] { // walk once around the loop
			next := s.parent[at]
			cut(at)
			at = next
		}
	}
	for n := range int32(len(s.parent)) {
		at := n
		for range maxParents {
			at = s.parent[at]
			if at < 0 {
				break
			}
		}
		if at >= 0 && s.parent[at] >= 0 {
			cut(n)
		}
	}
}

// number assigns a number to each stop: its id if that is a number, otherwise a 31-bit hash of the
// id, or the next free number.
func (s *stops) number() {
	type hashed struct {
		num  int64
		stop int32
	}
	s.num = make([]int64, s.ids.Len())
	var others []hashed
	var taken []int64
	for n := range int32(s.ids.Len()) {
		id := s.ids.Get(n)
		if num, ok := plainInteger(id); ok {
			s.num[n] = num
			taken = append(taken, num)
			continue
		}
		h := fnv.New32a()
		_, _ = h.Write(id)
		others = append(others, hashed{int64(h.Sum32() & 0x7fffffff), n})
	}
	slices.Sort(taken)
	// The order must depend on ids only, so that numbers are stable.
	slices.SortFunc(others, func(a, b hashed) int {
		return cmp.Or(cmp.Compare(a.num, b.num), bytes.Compare(s.ids.Get(a.stop), s.ids.Get(b.stop)))
	})
	last := int64(-1)
	for _, o := range others {
		last = max(o.num, last+1)
		for _, found := slices.BinarySearch(taken, last); found; _, found = slices.BinarySearch(taken, last) {
			last++
		}
		s.num[o.stop] = last
	}
}

// plainInteger parses an id that is an integer without leading zeros, below 2^53 so that every JSON
// parser can represent it.
func plainInteger(id []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	return n, err == nil && n >= 0 && n < 1<<53 && strconv.FormatInt(n, 10) == string(id)
}

func (l *loader) copyStops(ctx context.Context) error {
	s := &l.stops
	var lat, lon []byte
	return l.copyEntities(ctx, "stops.txt", &s.entities, rowFormat{
		before: "ord, num", after: ", lat, lon",
		head: func(w *stage.Writer, n int32) {
			w.Int(int(n))
			w.Int(int(s.num[n]))
		},
		cell: func(x *rows, i int, n int32) []byte {
			c := x.cell(i)
			switch x.def.Columns[i].Name {
			case "parent_station":
				if len(c) > 0 && s.unusable[n] {
					x.note("parent_station_loop", i, c)
					return nil
				}
				return x.reference(i)
			case "stop_lat":
				lat = c
			case "stop_lon":
				lon = c
			}
			return c
		},
		tail: func(w *stage.Writer, _ *rows) error {
			if len(lat) == 0 || len(lon) == 0 {
				lat, lon = nil, nil
			}
			w.Text(lat)
			w.Text(lon)
			return nil
		},
	})
}
