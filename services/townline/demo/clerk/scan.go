package clerk

import (
	"math/rand/v2"

	"github.com/townline/townline/services/townline/demo/town"
	"github.com/townline/townline/services/townline/demo/typeset"
)

// scan is minutes that went through a photocopier: pages with the picture of lines, and no text in them.
func scan(m *town.Meeting) ([]byte, error) {
	doc := &typeset.Doc{Title: "Scan"}
	r := rand.New(rand.NewPCG(uint64(m.ID), 1))
	for range 3 {
		doc.AddPage().Picture(scanWidth, scanHeight, photocopy(r))
	}
	return doc.Bytes()
}

// A scanned page at 75 dots an inch.
const (
	scanWidth  = 638
	scanHeight = 825
)

// photocopy paints a page of unreadable lines: words as dark strokes on paper that is not quite white.
func photocopy(r *rand.Rand) []byte {
	page := make([]byte, scanWidth*scanHeight)
	for i := range page {
		page[i] = 250
		if r.IntN(60) == 0 {
			page[i] = byte(200 + r.IntN(50)) // dust
		}
	}
	for y := 70; y < scanHeight-80; y += 14 {
		if r.IntN(9) == 0 {
			continue // the end of a paragraph
		}
		for x := 66 + 20*r.IntN(3); x < scanWidth-110; {
			word := 8 + r.IntN(44)
			for dx := range word {
				for dy := range 6 {
					if r.IntN(4) > 0 {
						page[(y+dy)*scanWidth+x+dx] = byte(40 + r.IntN(60))
					}
				}
			}
			x += word + 6
		}
	}
	return page
}
