package stage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/pg"
)

const shapeTable = "shape"

// A Shape has the points of a row of table shape, in lists with a comma between the elements.
type Shape struct {
	Ord           int32
	Lat, Lon      string
	Dist          string // "" if no point has a distance
	FirstSequence int32
	SequenceStep  *int32
	Sequences     []int32 // nil if they have a step
}

// TakeShapes removes the rows of shapes, and returns them by ord. No COPY may be under way.
func (s *Stage) TakeShapes(ctx context.Context, ords []int32) (map[int32]*Shape, error) {
	if s.conn == nil {
		return s.discardedShapes(ords)
	}
	rows, err := pg.List[Shape](ctx, s.conn, fmt.Sprintf(`
		DELETE FROM %s WHERE ord = ANY ($1)
		RETURNING ord, shape_pt_lat AS lat, shape_pt_lon AS lon, coalesce(shape_dist_traveled, '') AS dist,
		          first_sequence, sequence_step, shape_pt_sequence AS sequences`, s.name(shapeTable)), ords)
	if err != nil {
		return nil, fmt.Errorf("take back %d shapes: %w", len(ords), err)
	}
	all := make(map[int32]*Shape, len(rows))
	for i := range rows {
		all[rows[i].Ord] = &rows[i]
	}
	return all, nil
}

// discardedShapes reads the last row of each shape from the temporary file.
func (s *Stage) discardedShapes(ords []int32) (map[int32]*Shape, error) {
	all := make(map[int32]*Shape, len(ords))
	end, err := s.shapes.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, fmt.Errorf("read shapes: %w", err)
	}
	var wanted compact.Set
	for _, ord := range ords {
		wanted.Add(int(ord))
	}
	rows := bufio.NewReaderSize(io.NewSectionReader(s.shapes, 0, end), chunk)
	for {
		line, err := rows.ReadString('\n')
		if line == "" && err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read shapes: %w", err)
		}
		ord, cells, _ := strings.Cut(line, "\t")
		if n, _ := strconv.Atoi(ord); wanted.Has(n) {
			all[int32(n)] = parseShape(int32(n), strings.Split(cells, "\t"))
		}
	}
}

// parseShape parses the columns of a row as [Stage.Copy] wrote them for package load.
func parseShape(ord int32, cells []string) *Shape {
	number := func(cell string) int32 {
		n, _ := strconv.Atoi(cell)
		return int32(n)
	}
	shape := &Shape{Ord: ord, Lat: cells[2], Lon: cells[3], FirstSequence: number(cells[5])}
	if cells[4] != `\N` {
		shape.Dist = cells[4]
	}
	if cells[6] != `\N` {
		step := number(cells[6])
		shape.SequenceStep = &step
	}
	if list := strings.Trim(cells[7], "{}"); cells[7] != `\N` {
		for cell := range strings.SplitSeq(list, ",") {
			shape.Sequences = append(shape.Sequences, number(cell))
		}
	}
	return shape
}
