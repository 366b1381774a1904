package load

import (
	"bytes"
	"context"
	"crypto/sha256"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
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

// copyShapes stores the points of each shape in one row. A shape that is emitted again replaces its
// row.
func (l *loader) copyShapes(ctx context.Context) error {
	var p shapeRow
	var w *stage.Writer
	g := groupby.New(groupby.Limits{Groups: 16}, nil, func(r *groupby.Group) error {
		l.pack(&p, r)
		return l.writeShape(w, &p, r.Key)
	})
	for ; g != nil; g = g.Again() {
		var again []string
		for shape := range g.Keys() {
			again = append(again, string(l.shapes.ids.Get(shape)))
		}
		if err := l.stage.RemoveShapes(ctx, again); err != nil {
			return err
		}
		x, err := l.open(shapesFile)
		if err != nil {
			return err
		}
		err = l.fill(ctx, "shape", shapeColumns, func(out *stage.Writer) error {
			w = out
			return l.groupPoints(ctx, x, g)
		})
		_ = x.end()
		if err != nil {
			return err
		}
	}
	return nil
}

// groupPoints reads shapes.txt once.
func (l *loader) groupPoints(ctx context.Context, x *rows, g *groupby.Grouper) error {
	x.quiet = x.reread
	x.ids = &l.shapes.ids
	column := func(name string) int { return x.def.Column(name) }
	id := column("shape_id")
	lat := column("shape_pt_lat")
	lon := column("shape_pt_lon")
	seq, dist := column("shape_pt_sequence"), column("shape_dist_traveled")
	var text, last []byte
	open := false // whether last is open
	for x.next(ctx) {
		if !x.hasAll(id, seq, lat, lon) {
			continue
		}
		key := x.raw(id)
		latCell := x.raw(lat)
		lonCell := x.raw(lon)
		n, _ := gtfs.ParseUint(x.raw(seq))
		if !open || !bytes.Equal(key, last) {
			last, open = append(last[:0], key...), true
			shape, added := l.shapes.ids.Add(key)
			if added {
				l.check.AddShape(shape, x.line())
				l.shapes.points = append(l.shapes.points, 0)
			}
			if err := g.Open(shape); err != nil {
				return err
			}
		}
		if !g.Wants() {
			continue
		}
		row := groupby.Row{Seq: int32(n), Line: int32(x.line()), A: int32(len(latCell)), B: int32(len(lonCell))}
		text = append(append(append(text[:0], latCell...), lonCell...), x.cell(dist)...)
		if err := g.Add(row, text); err != nil {
			return err
		}
	}
	if x.err != nil {
		return x.err
	}
	return g.Flush()
}

type shapeRow struct {
	lat, lon, dist []byte
	seqs           []int32
	hasDist        bool
	text           []byte
}

func (l *loader) pack(p *shapeRow, r *groupby.Group) {
	p.lat = p.lat[:0]
	p.lon = p.lon[:0]
	p.dist = p.dist[:0]
	p.seqs = p.seqs[:0]
	p.hasDist = false
	if r.Dropped > 0 {
		l.note("shape_too_long", shapesFile, 0, "shape_id", l.shapes.ids.Get(r.Key))
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if n := len(p.seqs); n > 0 {
			if p.seqs[n-1] == row.Seq {
				if r.IsNew(row) {
					l.note("duplicate_key", shapesFile, int(row.Line), "shape_pt_sequence", l.shapes.ids.Get(r.Key))
				}
				continue
			}
			p.lat = append(p.lat, ',')
			p.lon = append(p.lon, ',')
			p.dist = append(p.dist, ',')
		}
		text := r.Text(row)
		p.seqs = append(p.seqs, row.Seq)
		p.lat = append(p.lat, text[:row.A]...)
		p.lon = append(p.lon, text[row.A:row.A+row.B]...)
		if d := text[row.A+row.B:]; len(d) > 0 {
			p.dist = append(p.dist, d...)
			p.hasDist = true
		}
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
	l.check.Shape(shape, l.shapes.ids.Get(shape), p.lat, p.lon, p.dist, len(p.seqs))
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
