package edition

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest/openapi"
)

// A Point is a point on the earth, in degrees.
type Point struct{ lat, lon float64 }

// A Rectangle is west, south, east and north in degrees. If it crosses the antimeridian, west is
// greater than east.
type Rectangle Box

// UnmarshalText parses LAT,LON.
func (p *Point) UnmarshalText(text []byte) error {
	v, ok := readDegrees(text, 90, 180)
	if !ok {
		return errors.New("must be latitude and longitude in degrees, as LAT,LON")
	}
	p.lat, p.lon = v[0], v[1]
	return nil
}

// Within returns the area within radius metres of the point.
func (p *Point) Within(radius float64) *Near {
	return &Near{Lat: p.lat, Lon: p.lon, Radius: radius}
}

// UnmarshalText parses W,S,E,N.
func (r *Rectangle) UnmarshalText(text []byte) error {
	v, ok := readDegrees(text, 180, 90, 180, 90)
	switch {
	case !ok:
		return errors.New("must be west, south, east and north in degrees, as W,S,E,N")
	case v[1] > v[3]:
		return errors.New("has a south that is north of its north")
	}
	*r = Rectangle(v)
	return nil
}

const maxDegreesLength = 30

// readDegrees parses numbers separated by commas. most has the maximum absolute value of each
// number.
func readDegrees(text []byte, most ...float64) (v []float64, ok bool) {
	cells := strings.Split(string(text), ",")
	if len(cells) != len(most) {
		return nil, false
	}
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		number, err := strconv.ParseFloat(cell, 64)
		// ParseFloat also accepts NaN, infinity and hexadecimal digits.
		if err != nil || len(cell) > maxDegreesLength || strings.Trim(cell, "-.0123456789") != "" ||
			!(math.Abs(number) <= most[i]) {
			return nil, false
		}
		v = append(v, number)
	}
	return v, true
}

const degreesPattern = `-?[0-9.]+`

// InlineSchema describes the text form.
func (Point) InlineSchema() openapi.Schema {
	return openapi.Schema{Type: "string", Pattern: `^ *` + degreesPattern + ` *, *` + degreesPattern + ` *$`}
}

// InlineSchema describes the text form.
func (Rectangle) InlineSchema() openapi.Schema {
	return openapi.Schema{Type: "string", Pattern: `^ *` + degreesPattern + strings.Repeat(` *, *`+degreesPattern, 3) +
		` *$`}
}
