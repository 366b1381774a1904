package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
)

// A zone is the area of a feature of locations.geojson. Each ring ends at its first point. A point
// inside an odd number of rings is in the area.
type zone []ring

type ring []point

type point [2]float64 // longitude, latitude

// String returns latitude and longitude, as maps search for them.
func (p point) String() string { return fmt.Sprintf("%g, %g", p[1], p[0]) }

type edge [2]point

const (
	// maxCorners bounds the total number of corners of all zones.
	maxCorners = 2 << 20
	// almost is the distance in degrees that rounding explains: some hundredths of a millimetre.
	almost = 1e-10
)

// Feature checks a feature of locations.geojson and keeps its zone.
func (c *Checker) Feature(feature []byte) {
	id, z, found := parseFeature(feature)
	if found.Code == "" {
		found = cmp.Or(z.check(), repeatedMember(feature))
	}
	_, twice := c.zones[id]
	if id != "" {
		c.values[place{locations, "id"}][id] = true
	}
	switch {
	case twice:
		found = fault{Code: "duplicate_geo_json_key", Field: "id"}
	case id != "" && c.corners < maxCorners:
		c.zones[id] = z
		c.corners += len(z.edges())
	case id != "":
		c.Partly("locations.geojson")
	}
	if found.Code != "" {
		value := id
		if found.Value != "" {
			value = strings.TrimPrefix(id+": "+found.Value, ": ")
		}
		c.note(gtfs.Finding{Code: found.Code, File: "locations.geojson", Field: found.Field, Value: []byte(value)})
	}
}

// A fault is what is wrong with a feature: a member of it, and the value there if it says more. The
// zero fault is none.
type fault struct {
	Code         gtfs.Code
	Field, Value string
}

func lacking(member string) fault { return fault{Code: "missing_required_element", Field: member} }

func badGeometry(value string) fault {
	return fault{Code: "invalid_geometry", Field: "geometry", Value: value}
}

func parseFeature(feature []byte) (id string, z zone, found fault) {
	var f struct {
		ID         any
		Properties json.RawMessage
		Geometry   *struct {
			Type        string
			Coordinates json.RawMessage
		}
	}
	if err := json.Unmarshal(feature, &f); err != nil {
		return "", nil, badGeometry("")
	}
	if f.ID != nil {
		id = fmt.Sprint(f.ID)
	}
	switch {
	case id == "":
		return "", nil, lacking("id")
	case f.Properties == nil:
		return id, nil, lacking("properties")
	case f.Geometry == nil:
		return id, nil, lacking("geometry")
	}
	var polygons [][][][]float64
	var err error
	switch f.Geometry.Type {
	case "Polygon":
		polygons = make([][][][]float64, 1)
		err = json.Unmarshal(f.Geometry.Coordinates, &polygons[0])
	case "MultiPolygon":
		err = json.Unmarshal(f.Geometry.Coordinates, &polygons)
	default:
		return id, nil, fault{Code: "unsupported_geometry_type", Field: "geometry.type", Value: f.Geometry.Type}
	}
	if err != nil {
		return id, nil, badGeometry("")
	}
	for _, p := range polygons {
		for _, corners := range p {
			var r ring
			for _, at := range corners {
				if len(at) < 2 {
					return id, nil, badGeometry("")
				}
				if next := (point{at[0], at[1]}); len(r) == 0 || r[len(r)-1] != next {
					r = append(r, next)
				}
			}
			z = append(z, r)
		}
	}
	return id, z, fault{}
}

// repeatedMember reports an object in a JSON text that has the same member twice.
func repeatedMember(text []byte) fault {
	d := json.NewDecoder(bytes.NewReader(text))
	var objects []map[string]bool // the open objects; nil stands for an array
	isName := false
	for {
		t, err := d.Token()
		if err != nil {
			return fault{}
		}
		last := len(objects) - 1
		switch t := t.(type) {
		case json.Delim:
			switch t {
			case '{':
				objects = append(objects, map[string]bool{})
			case '[':
				objects = append(objects, nil)
			default:
				objects = objects[:last]
			}
		case string:
			if isName {
				if objects[last][t] {
					return fault{Code: "geo_json_duplicated_element", Field: "feature", Value: t}
				}
				objects[last][t], isName = true, false
				continue
			}
		}
		isName = len(objects) > 0 && objects[len(objects)-1] != nil
	}
}

// check checks that the rings are closed and do not cross.
func (z zone) check() fault {
	for _, r := range z {
		switch {
		case len(r) == 0:
			return badGeometry("")
		case r[0] != r[len(r)-1] || len(r) < 4: // it is open, or has fewer than three corners
			return badGeometry(r[0].String())
		}
	}
	all := z.edges()
	for i, r := 0, 0; r < len(z); r++ {
		n := len(z[r]) - 1
		if found := crossing(all[i:i+n], true); found.Code != "" {
			return found
		}
		i += n
	}
	if len(z) > 1 {
		return crossing(all, false)
	}
	return fault{}
}

// crossing reports edges that cross. In one ring, only neighbouring edges may touch.
func crossing(edges []edge, oneRing bool) fault {
	order := make([]int, len(edges))
	for i := range order {
		order[i] = i
	}
	left := func(i int) float64 { return min(edges[i][0][0], edges[i][1][0]) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(left(a), left(b)) })
	for k, i := range order {
		a := edges[i]
		right := max(a[0][0], a[1][0])
		for _, j := range order[k+1:] {
			if left(j) > right {
				break
			}
			b := edges[j]
			gap := max(i, j) - min(i, j)
			neighbours := oneRing && (gap == 1 || gap == len(edges)-1)
			if crosses(a, b) || oneRing && !neighbours && touches(a, b) {
				return badGeometry(a[0].String())
			}
		}
	}
	return fault{}
}

// side is positive if p is left of an edge, negative if it is right, and 0 if it is on the edge's
// line.
func side(e edge, p point) float64 {
	d := (e[1][0]-e[0][0])*(p[1]-e[0][1]) - (e[1][1]-e[0][1])*(p[0]-e[0][0])
	if math.Abs(d) < 1e-18 {
		return 0
	}
	return d
}

func crosses(a, b edge) bool {
	return side(a, b[0])*side(a, b[1]) < 0 && side(b, a[0])*side(b, a[1]) < 0
}

func touches(a, b edge) bool {
	on := func(e edge, p point) bool {
		return side(e, p) == 0 && min(e[0][0], e[1][0]) <= p[0] && p[0] <= max(e[0][0], e[1][0]) &&
			min(e[0][1], e[1][1]) <= p[1] && p[1] <= max(e[0][1], e[1][1])
	}
	return on(a, b[0]) || on(a, b[1]) || on(b, a[0]) || on(b, a[1])
}

func (z zone) edges() (all []edge) {
	for _, r := range z {
		for i := 1; i < len(r); i++ {
			all = append(all, edge{r[i-1], r[i]})
		}
	}
	return all
}

// overlaps reports whether two zones overlap in part: they share an area, and each also has an area
// of its own. It sorts the x of all corners and crossings. Between two consecutive x, every
// meridian cuts both zones alike, so it compares the zones along one meridian.
func (z zone) overlaps(other zone) bool {
	mine, theirs := z.edges(), other.edges()
	var cuts []float64
	for _, e := range mine {
		cuts = append(cuts, e[0][0])
		for _, o := range theirs {
			if a, b := side(o, e[0]), side(o, e[1]); crosses(e, o) {
				cuts = append(cuts, e[0][0]+(e[1][0]-e[0][0])*a/(a-b))
			}
		}
	}
	for _, o := range theirs {
		cuts = append(cuts, o[0][0])
	}
	slices.Sort(cuts)
	var shared, only, otherOnly bool
	for i := 1; i < len(cuts); i++ {
		if cuts[i]-cuts[i-1] < almost {
			continue
		}
		x := (cuts[i] + cuts[i-1]) / 2
		a, b := inside(mine, x), inside(theirs, x)
		both := common(a, b)
		shared = shared || both > almost
		only = only || length(a)-both > almost
		otherOnly = otherOnly || length(b)-both > almost
		if shared && only && otherOnly {
			return true
		}
	}
	return false
}

// inside returns the latitudes at which the meridian x alternately enters and leaves a zone.
func inside(edges []edge, x float64) (at []float64) {
	for _, e := range edges {
		if (e[0][0] < x) != (e[1][0] < x) {
			at = append(at, e[0][1]+(x-e[0][0])*(e[1][1]-e[0][1])/(e[1][0]-e[0][0]))
		}
	}
	slices.Sort(at)
	return at
}

func length(at []float64) (sum float64) {
	for i := 1; i < len(at); i += 2 {
		sum += at[i] - at[i-1]
	}
	return sum
}

// common returns the total length that two results of inside share.
func common(a, b []float64) (sum float64) {
	for i := 1; i < len(a); i += 2 {
		for j := 1; j < len(b); j += 2 {
			sum += max(0, min(a[i], b[j])-max(a[i-1], b[j-1]))
		}
	}
	return sum
}

// overlap caches zone.overlaps for the zones with two ids.
func (c *Checker) overlap(a, b []byte) bool {
	pair := [2]string{min(string(a), string(b)), max(string(a), string(b))}
	answer, known := c.overlapping[pair]
	if !known {
		za, zb := c.zones[pair[0]], c.zones[pair[1]]
		answer = pair[0] != pair[1] && za.check() == (fault{}) && zb.check() == (fault{}) && za.overlaps(zb)
		c.overlapping[pair] = answer
	}
	return answer
}
