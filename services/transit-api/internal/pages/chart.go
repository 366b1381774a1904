package pages

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"github.com/townline/townline/services/transit-api/internal/drawing"
)

// A Chart is a drawing of lines, stops and vehicles.
type Chart struct {
	Frame
	Alt     string
	Picture string // address of a picture of the lines; "" if Ways has them
	Ways    []Way
	Stops   string // path with a dot at each stop
	Names   []Name
	Spots   []vehicle
}

// A Way is a line of a chart.
type Way struct{ Color, Path string }

// A Name is a text next to a position.
type Name struct {
	X, Y int
	Text string
	Left bool // whether the text is left of the position
}

// A detail is how much of the lines of a route a chart shows. A line that is everywhere within
// apart units of the lines before it is left out, and so is each point within fine units of its
// line.
type detail struct {
	lines       int
	points      int // of all lines together
	fine, apart float64
}

// routeDetail is for the chart of one route.
func routeDetail() detail { return detail{lines: 16, points: 2500, fine: .5, apart: 1.5} }

// addWays draws lines, in degrees; those that come first are the most important.
func (c *Chart) addWays(color string, lines []orb.LineString, d detail) (points int) {
	var drawn []orb.LineString
	inside := orb.Bound{Min: orb.Point{-chartMargin, -chartMargin},
		Max: orb.Point{float64(c.Width) + chartMargin, float64(c.Height) + chartMargin}}
	for _, line := range lines {
		on := make(orb.LineString, len(line))
		for i, p := range line {
			on[i] = orb.Point{(p[0] - c.west) * c.across, (c.north - p[1]) * c.down}
		}
		for _, part := range clip.LineString(inside, on) {
			keep, _ := drawing.ReduceTo(slices.Clone(part), d.fine, d.points)
			short := make(orb.LineString, len(keep))
			for i, k := range keep {
				short[i] = part[k]
			}
			if len(drawn) == d.lines || points+len(short) > d.points || drawing.IsCovered(short, drawn, d.apart) {
				continue
			}
			drawn, points = append(drawn, short), points+len(short)
			c.Ways = append(c.Ways, Way{Color: color, Path: path(short)})
		}
	}
	return points
}

// A Frame maps a part of the earth to a chart.
type Frame struct {
	Width, Height int
	west, north   float64
	across, down  float64 // units per degree of longitude and latitude
}

const (
	chartWidth  = 1000
	chartLow    = 420
	chartHigh   = 1000
	chartMargin = 40
)

// newFrame returns a frame that shows a box (west, south, east, north) with a margin. The chart has
// a minimum width and height.
func newFrame(box [4]float64) Frame {
	turn := math.Cos((box[1] + box[3]) / 2 * math.Pi / 180)
	wide, high := math.Max((box[2]-box[0])*turn, 1e-3), math.Max(box[3]-box[1], 1e-3)
	const inner = chartWidth - 2*chartMargin
	scale := inner / wide
	height := high*scale + 2*chartMargin
	if height > chartHigh {
		scale, height = (chartHigh-2*chartMargin)/high, chartHigh
	}
	height = math.Max(height, chartLow)
	f := Frame{Width: chartWidth, Height: int(height), across: scale * turn, down: scale}
	f.west = (box[0]+box[2])/2 - chartWidth/2/f.across
	f.north = (box[1]+box[3])/2 + height/2/f.down
	return f
}

// Corners returns west, north, units per degree across and down, and the size, for the script that
// moves vehicles.
func (f Frame) Corners() string {
	n := func(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
	return strings.Join([]string{n(f.west), n(f.north), n(f.across), n(f.down), strconv.Itoa(f.Width),
		strconv.Itoa(f.Height)}, ",")
}

// Middle returns the point in the middle of the chart; ok is false if the chart shows no place.
func (f Frame) Middle() (lon, lat float64, ok bool) {
	if f.across == 0 {
		return 0, 0, false
	}
	lon, lat = f.west+float64(f.Width)/2/f.across, f.north-float64(f.Height)/2/f.down
	return lon, lat, math.Abs(lon) > 1e-6 || math.Abs(lat) > 1e-6
}

// box returns what the chart shows: west, south, east and north.
func (f Frame) box() [4]float64 {
	return [4]float64{f.west, f.north - float64(f.Height)/f.down, f.west + float64(f.Width)/f.across, f.north}
}

// Zoom returns the zoom of a web map that shows about as much as the chart.
func (f Frame) Zoom() int {
	const tile = 256 // pixels of the world at zoom 0
	return int(math.Max(3, math.Min(18, math.Log2(f.across*360/tile))))
}

// At returns the position of a point on the chart; ok is false if it is outside.
func (f Frame) At(lon, lat float64) (x, y int, ok bool) {
	fx, fy := (lon-f.west)*f.across, (f.north-lat)*f.down
	if !(fx >= 0 && fx <= float64(f.Width) && fy >= 0 && fy <= float64(f.Height)) {
		return 0, 0, false
	}
	return int(math.Round(fx)), int(math.Round(fy)), true
}

// path returns a line, in units of a chart, as the d attribute of an SVG path.
func path(points orb.LineString) string {
	var b strings.Builder
	lastX, lastY := 0, 0
	for i, p := range points {
		x, y := int(math.Round(p[0])), int(math.Round(p[1]))
		switch {
		case i == 0:
			b.WriteString("M" + strconv.Itoa(x) + pair(y))
		case x == lastX && y == lastY:
			continue
		default:
			b.WriteString("l" + strconv.Itoa(x-lastX) + pair(y-lastY))
		}
		lastX, lastY = x, y
	}
	return b.String()
}

// pair formats the second number of a pair; a minus sign is enough to separate it from the first.
func pair(n int) string {
	if n < 0 {
		return strconv.Itoa(n)
	}
	return " " + strconv.Itoa(n)
}

const (
	letterWidth = 8
	nameHeight  = 20
)

// AddName writes a name at a point, unless it would leave the chart or overlap another name. It
// returns whether the name was written.
func (c *Chart) AddName(lon, lat float64, text string) bool {
	x, y, ok := c.At(lon, lat)
	n := Name{X: x, Y: y, Text: short(text, 30), Left: x > c.Width/2}
	left, right := n.span()
	if !ok || left < 0 || right > c.Width {
		return false
	}
	for _, o := range c.Names {
		oLeft, oRight := o.span()
		if left < oRight && oLeft < right && y-o.Y < nameHeight && o.Y-y < nameHeight {
			return false
		}
	}
	c.Names = append(c.Names, n)
	return true
}

// span returns the left and right end of a name with its dot.
func (n Name) span() (left, right int) {
	width := 12 + letterWidth*utf8.RuneCountInString(n.Text)
	if n.Left {
		return n.X - width, n.X + 12
	}
	return n.X - 12, n.X + width
}

// Dots returns a path with a dot at each point on the chart.
func (f Frame) Dots(points []orb.Point) string {
	var b strings.Builder
	met := map[[2]int]bool{}
	for _, p := range points {
		if x, y, ok := f.At(p[0], p[1]); ok && !met[[2]int{x, y}] {
			met[[2]int{x, y}] = true
			b.WriteString("M" + strconv.Itoa(x) + pair(y) + "h0")
		}
	}
	return b.String()
}

// A line must be visible on light and dark backgrounds, with a contrast of 3 to 1 (WCAG 2.2,
// 1.4.11). So its luminance must be between these bounds.
const (
	shadeDark  = .135
	shadeLight = .29
)

// shade returns the colour in which a route is drawn, adjusted to be visible on any background; ""
// if the route has no colour.
func shade(color *string) string {
	c, ok := colorOf(color)
	if !ok {
		return ""
	}
	return c.Between(shadeDark, shadeLight).String()
}
