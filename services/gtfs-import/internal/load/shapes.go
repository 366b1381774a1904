package load

import (
	"bytes"
	"context"
	"crypto/sha256"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/services/gtfs-import/internal/groupby"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

type shapes struct {
	ids    compact.Strings
	points []int32 // by shape: the number of stored points
}

const shapesFile = "shapes.txt"

const shapeColumns = `ord, shape_id, point_count, shape_pt_lat, shape_pt_lon, shape_dist_traveled, first_sequence,
	sequence_step, shape_pt_sequence, digest`

// copyShapes stores the points of each shape in one row. Late points are added to the row of their
// shape, which is taken back for it.
func (l *loader) copyShapes(ctx context.Context) error {
	x, err := l.open(shapesFile)
	if err != nil {
		return err
	}
	defer func() { _ = x.end() }()
	x.ids = &l.shapes.ids
	var p shapeRow
	var w *stage.Writer
	g := groupby.New(groupby.Limits{Groups: 16}, func(r *groupby.Group) error {
		l.pack(&p, r)
		return l.writeShape(w, &p, r.Key)
	})
	write := func(rows func() error) error {
		return l.fill(ctx, "shape", shapeColumns, func(out *stage.Writer) error {
			w = out
			return rows()
		})
	}
	for more := true; more; {
		err := write(func() (err error) {
			more, err = l.groupPoints(ctx, x, g)
			return err
		})
		if err != nil {
			return err
		}
		for part := range g.Late(latePoints, l.shapes.stored) {
			stored, err := l.stage.TakeShapes(ctx, part.Keys())
			if err == nil {
				err = write(func() error { return part.Emit(pointsOf(stored)) })
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// pointsOf returns the points of stored shapes, by ord.
func pointsOf(stored map[int32]*stage.Shape) groupby.Restore {
	return func(ord int32, add func(groupby.Row, []byte)) {
		s := stored[ord]
		if s == nil {
			return
		}
		lats, lons := []byte(s.Lat), []byte(s.Lon)
		dists := []byte(s.Dist)
		var text []byte
		for i := int32(0); len(lats) > 0; i++ {
			var lat, lon, dist []byte
			lat, lats, _ = bytes.Cut(lats, []byte{','})
			lon, lons, _ = bytes.Cut(lons, []byte{','})
			dist, dists, _ = bytes.Cut(dists, []byte{','})
			north, _ := gtfs.ParseLatitude(lat)
			east, _ := gtfs.ParseLongitude(lon)
			row := groupby.Row{Seq: s.FirstSequence, A: check.Micro(north), B: check.Micro(east)}
			if s.SequenceStep != nil {
				row.Seq += i * *s.SequenceStep
			} else {
				row.Seq = s.Sequences[i]
			}
			text = appendPoint(text[:0], lat, lon, dist)
			add(row, text)
		}
	}
}

const (
	// latePoints is the size of the shapes that are taken back at once, in bytes.
	latePoints = 8 << 20
	pointBytes = 24 // of a stored point
)

// stored returns the size of the points of a shape that are stored.
func (s *shapes) stored(shape int32) int { return pointBytes * int(s.points[shape]) }

// In a groupby.Row of a point, A and B are its place in millionths of a degree.

// groupPoints reads shapes.txt until its end, or until the memory for late points is full: then it
// returns true.
func (l *loader) groupPoints(ctx context.Context, x *rows, g *groupby.Grouper) (more bool, err error) {
	column := func(name string) int { return x.def.Column(name) }
	id := column("shape_id")
	lat := column("shape_pt_lat")
	lon := column("shape_pt_lon")
	seq, dist := column("shape_pt_sequence"), column("shape_dist_traveled")
	var text, last []byte
	open := false // whether last is open
	for !g.IsFull() && x.next(ctx) {
		if !x.hasAll(id, seq) {
			continue
		}
		latCell, lonCell := x.raw(lat), x.raw(lon)
		north, ok := gtfs.ParseLatitude(latCell)
		if !ok {
			x.leaveOut(lat, latCell)
			continue
		}
		east, ok := gtfs.ParseLongitude(lonCell)
		if !ok {
			x.leaveOut(lon, lonCell)
			continue
		}
		if key := x.raw(id); !open || !bytes.Equal(key, last) {
			last, open = append(last[:0], key...), true
			shape, added := l.shapes.ids.Add(key)
			if added {
				l.check.AddShape(shape, x.line())
				l.shapes.points = append(l.shapes.points, 0)
			}
			if err := g.Open(shape); err != nil {
				return false, err
			}
		}
		n, _ := gtfs.ParseUint(x.raw(seq))
		text = appendPoint(text[:0], latCell, lonCell, x.cell(dist))
		g.Add(groupby.Row{Seq: int32(n), Line: int32(x.line()), A: check.Micro(north), B: check.Micro(east)}, text)
	}
	if g.IsFull() || x.err != nil {
		return x.err == nil, x.err
	}
	return false, g.Flush()
}

// appendPoint appends the cells of a point as a text, which pointOf splits.
func appendPoint(text, lat, lon, dist []byte) []byte {
	text = append(append(text, lat...), cellEnd)
	text = append(append(text, lon...), cellEnd)
	return append(text, dist...)
}

func pointOf(text []byte) (lat, lon, dist []byte) {
	lat, text, _ = bytes.Cut(text, []byte{cellEnd})
	lon, dist, _ = bytes.Cut(text, []byte{cellEnd})
	return lat, lon, dist
}

type shapeRow struct {
	lat, lon, dist []byte
	points         []check.Point
	seqs           []int32
	hasDist        bool
	text           []byte
}

func (l *loader) pack(p *shapeRow, r *groupby.Group) {
	p.lat = p.lat[:0]
	p.lon = p.lon[:0]
	p.dist = p.dist[:0]
	p.points, p.seqs = p.points[:0], p.seqs[:0]
	p.hasDist = false
	if r.Dropped > 0 {
		l.note("shape_too_long", shapesFile, 0, "shape_id", l.shapes.ids.Get(r.Key))
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if n := len(p.seqs); n > 0 {
			if p.seqs[n-1] == row.Seq {
				l.note("duplicate_key", shapesFile, int(row.Line), "shape_pt_sequence", l.shapes.ids.Get(r.Key))
				continue
			}
			p.lat = append(p.lat, ',')
			p.lon = append(p.lon, ',')
			p.dist = append(p.dist, ',')
		}
		lat, lon, dist := pointOf(r.Text(row))
		p.points, p.seqs = append(p.points, check.Point{row.A, row.B}), append(p.seqs, row.Seq)
		p.lat = append(p.lat, lat...)
		p.lon = append(p.lon, lon...)
		p.dist = append(p.dist, dist...)
		p.hasDist = p.hasDist || len(dist) > 0
	}
	points := int32(len(p.seqs))
	l.stats[shapesFile].Kept += int64(points - l.shapes.points[r.Key])
	l.shapes.points[r.Key] = points
}

func (l *loader) writeShape(w *stage.Writer, p *shapeRow, shape int32) error {
	w.Int(int(shape))
	w.Text(l.shapes.ids.Get(shape))
	w.Int(len(p.seqs))
	w.Text(p.lat)
	w.Text(p.lon)
	if !p.hasDist {
		p.dist = p.dist[:0]
	}
	l.check.Shape(shape, l.shapes.ids.Get(shape), p.points, p.dist)
	w.Text(p.dist)
	w.Nums(p.seqs[0])
	if step, ok := constantStep(p.seqs); ok {
		w.Int(step)
		w.Null()
	} else {
		w.Null()
		w.Ints(p.seqs)
	}
	p.text = append(append(append(append(append(p.text[:0], p.lat...), cellEnd), p.lon...), cellEnd), p.dist...)
	for _, n := range p.seqs {
		p.text = append(p.text, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	sum := sha256.Sum256(p.text)
	w.Bytes(sum[:16])
	return w.End()
}

func constantStep(seqs []int32) (step int, ok bool) {
	if len(seqs) < 2 {
		return 1, true
	}
	for i := 1; i < len(seqs); i++ {
		if seqs[i]-seqs[i-1] != seqs[1]-seqs[0] {
			return 0, false
		}
	}
	return int(seqs[1] - seqs[0]), true
}
