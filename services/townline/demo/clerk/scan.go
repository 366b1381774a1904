package clerk

import (
	"github.com/townline/townline/services/townline/demo/town"
	"github.com/townline/townline/services/townline/demo/typeset"
)

// scan is minutes that went through a photocopier: pages with the picture of lines, and no text in them.
func scan(m *town.Meeting) ([]byte, error) {
	const width, height = 638, 825 // 75 dots an inch
	doc := &typeset.Doc{Title: "Scan"}
	for page := range 3 {
		grey := make([]byte, width*height)
		for i := range grey {
			x, y := i%width, i/width
			grey[i] = 250
			// Words are dark strokes, on lines of their own lengths.
			if line := y / 14; y%14 < 6 && y > 70 && y < height-80 && x > 66 && x < width-70-(line*m.ID+page)%90 && (x+line*37)%47 > 6 {
				grey[i] = byte(40 + i%60)
			}
		}
		doc.AddPage().Picture(width, height, grey)
	}
	return doc.Bytes()
}
