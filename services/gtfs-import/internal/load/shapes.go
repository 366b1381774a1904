package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/compact"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/groupby"
)

type shapes struct {
	ids compact.Strings
}

const shapeColumns = `ord, shape_id, point_count, shape_pt_lat, shape_pt_lon, shape_dist_traveled, first_sequence,
	sequence_step, shape_pt_sequence, digest`

// copyShapes stores the points of each shape in one row, and adds late points afterwards.
func (l *loader) copyShapes(ctx context.Context) error {
	x, err := l.open("shapes.txt")
	if err != nil {
		return err
	}
	var p shapeRow
	var w *copier.Writer
	limits := groupby.Limits{Groups: 16}
	if l.stage.Discards() { // without rows, late points need no update
		limits = groupby.Limits{Groups: 1 << 16, Bytes: 64 << 20}
	}
	g := groupby.New(limits, func(r *groupby.Group) error {
		switch {
		case r.Late && l.stage.Discards():
			l.check.Partly(x.def.File)
			return nil
		case r.Late:
			return l.reopenShape(ctx, x, r)
		}
		l.pack(x, &p, r)
		return l.writeShape(w, &p, r.Key)
	})
	defer g.Close()
	err = l.fill(ctx, "shape", shapeColumns, func(out *copier.Writer) error {
		w = out
		if err := l.groupPoints(ctx, x, g); err != nil {
			return err
		}
		return g.Flush()
	})
	_ = x.end()
	if err != nil || !g.HasLate() {
		return err
	}
	if err := l.stage.Index(ctx); err != nil {
		return err
	}
	return g.EmitLate()
}

func (l *loader) groupPoints(ctx context.Context, x *rows, g *groupby.Grouper) error {
	x.ids = &l.shapes.ids
	column := func(name string) int { return x.def.Column(name) }
	id, lat, lon := column("shape_id"), column("shape_pt_lat"), column("shape_pt_lon")
	seq, dist := column("shape_pt_sequence"), column("shape_dist_traveled")
	var text, last []byte
	open := false // last is open
	for x.next(ctx) {
		key := x.raw(id)
		if len(key) == 0 || len(key) > gtfs.MaxID {
			x.leaveOut(id, key)
			continue
		}
		n, ok := gtfs.ParseUint(x.raw(seq))
		if !ok {
			x.leaveOut(seq, x.raw(seq))
			continue
		}
		latCell, lonCell := x.raw(lat), x.raw(lon)
		if !gtfs.IsLatitude(latCell) {
			x.leaveOut(lat, latCell)
			continue
		}
		if !gtfs.IsLongitude(lonCell) {
			x.leaveOut(lon, lonCell)
			continue
		}
		if !open || !bytes.Equal(key, last) {
			last, open = append(last[:0], key...), true
			shape, added := l.shapes.ids.Add(key)
			if added {
				l.check.AddShape(shape, x.line())
			}
			if err := g.Open(shape); err != nil {
				return err
			}
		}
		row := groupby.Row{Seq: int32(n), Line: int32(x.line()), A: int32(len(latCell)), B: int32(len(lonCell))}
		text = append(append(append(text[:0], latCell...), lonCell...), x.cell(dist)...)
		if err := g.Add(row, text); err != nil {
			return err
		}
	}
	return x.err
}

type shapeRow struct {
	lat, lon, dist []byte
	seqs           []int32
	hasDist        bool
	text           []byte
}

func (l *loader) pack(x *rows, p *shapeRow, r *groupby.Group) {
	p.lat, p.lon, p.dist, p.seqs, p.hasDist = p.lat[:0], p.lon[:0], p.dist[:0], p.seqs[:0], false
	if r.Dropped > 0 {
		l.note(gtfs.ShapeTooLong, x.def.File, 0, "shape_id", l.shapes.ids.Get(r.Key))
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if n := len(p.seqs); n > 0 {
			if p.seqs[n-1] == row.Seq {
				l.note(gtfs.KeyDuplicate, x.def.File, int(row.Line), "shape_pt_sequence", l.shapes.ids.Get(r.Key))
				continue
			}
			p.lat, p.lon, p.dist = append(p.lat, ','), append(p.lon, ','), append(p.dist, ',')
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
	x.stats.Kept += int64(len(p.seqs))
}

func (l *loader) writeShape(w *copier.Writer, p *shapeRow, shape int32) error {
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

func (l *loader) reopenShape(ctx context.Context, x *rows, late *groupby.Group) error {
	id := l.shapes.ids.Get(late.Key)
	all := &groupby.Group{Key: late.Key, Dropped: late.Dropped}
	err := l.stage.RemoveShape(ctx, string(id), func(lat, lon, dist []byte, seq int32) {
		all.Add(groupby.Row{Seq: seq, A: int32(len(lat)), B: int32(len(lon))}, bytes.Join([][]byte{lat, lon, dist}, nil))
	})
	if err != nil {
		return fmt.Errorf("complete shape %s: %w", id, err)
	}
	x.stats.Kept -= int64(len(all.Rows))
	for i := range late.Rows {
		all.Add(late.Rows[i], late.Text(&late.Rows[i]))
	}
	all.Sort()
	var p shapeRow
	l.pack(x, &p, all)
	return l.fill(ctx, "shape", shapeColumns, func(w *copier.Writer) error { return l.writeShape(w, &p, late.Key) })
}
