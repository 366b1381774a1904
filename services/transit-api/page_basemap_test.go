package transitapi

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/townline/townline/pkg/pagetest"
)

// pmtiles returns a PMTiles file with one tile of the whole world: a MapLibre vector tile (1) or
// PNG (2).
func pmtiles(kind byte, tile []byte) []byte {
	const head = 127
	entry := protowire.AppendVarint(nil, 1)                  // number of entries
	entry = append(entry, 0, 1)                              // tile 0, once
	entry = protowire.AppendVarint(entry, uint64(len(tile))) // length of the tile
	entry = append(entry, 1)                                 // offset of the tile, plus one
	meta := []byte(`{"attribution":"<i>the surveyors</i>"}`)
	file := append([]byte("PMTiles"), 3)
	at := uint64(head)
	for _, part := range [][]byte{entry, meta, nil, tile} {
		file = binary.LittleEndian.AppendUint64(file, at)
		file = binary.LittleEndian.AppendUint64(file, uint64(len(part)))
		at += uint64(len(part))
	}
	for range 3 { // numbers of tiles, entries and contents
		file = binary.LittleEndian.AppendUint64(file, 1)
	}
	file = append(file, 1, 1, 1, kind, 0, 0) // clustered, without compression, from zoom 0 to 0
	for _, degrees := range []int32{-180, -85, 180, 85} {
		file = binary.LittleEndian.AppendUint32(file, uint32(degrees*10_000_000))
	}
	file = append(file, make([]byte, head-len(file))...) // the centre, and padding
	return slices.Concat(file, entry, meta, tile)
}

// earth returns a vector tile with only land, in the Protomaps schema.
func earth() []byte {
	zig := func(n int32) uint64 { return protowire.EncodeZigZag(int64(n)) }
	var shape []byte
	for _, n := range []uint64{9, zig(-64), zig(-64), 26, zig(4224), 0, 0, zig(4224), zig(-4224), 0, 15} {
		shape = protowire.AppendVarint(shape, n)
	}
	feature := protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), 3)
	feature = protowire.AppendBytes(protowire.AppendTag(feature, 4, protowire.BytesType), shape)
	layer := protowire.AppendVarint(protowire.AppendTag(nil, 15, protowire.VarintType), 2)
	layer = protowire.AppendBytes(protowire.AppendTag(layer, 1, protowire.BytesType), []byte("earth"))
	layer = protowire.AppendBytes(protowire.AppendTag(layer, 2, protowire.BytesType), feature)
	layer = protowire.AppendVarint(protowire.AppendTag(layer, 5, protowire.VarintType), 4096)
	return protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), layer)
}

// A map shows the operator's tiles and requests only their host. Without tiles it does not load the
// tile reader.
func TestBaseMapTiles(t *testing.T) {
	t.Parallel()
	browser := pagetest.Start(t)
	var blue bytes.Buffer
	one := image.NewRGBA(image.Rect(0, 0, 256, 256))
	for i := range 256 * 256 {
		one.Set(i%256, i/256, color.RGBA{70, 120, 200, 255})
	}
	if err := png.Encode(&blue, one); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file  []byte
		fits  func(r, g, b uint32) bool // whether the background colour of the map is right
		below string
	}{
		"vector":  {pmtiles(1, earth()), func(r, g, b uint32) bool { return r == 0xf4 && g == 0xf2 && b == 0xed }, "tiles"},
		"picture": {pmtiles(2, blue.Bytes()), func(r, _, b uint32) bool { return b > r+40 }, "tiles"},
		"none":    {nil, func(r, g, b uint32) bool { return r == 0xf1 && g == 0xf4 && b == 0xf7 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tiles := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Access-Control-Allow-Origin", "*")
				http.ServeContent(rw, r, "town.pmtiles", time.Time{}, bytes.NewReader(c.file))
			}))
			t.Cleanup(tiles.Close)
			w := newWorld(t, func(cfg *Config) {
				if c.below != "" {
					cfg.File = configFile(t, testConfig+"display:\n  map: {pmtiles: '"+tiles.URL+
						"/town.pmtiles', credit: 'the <b>town</b>'}\n")
				}
			})
			w.clockAt(noon)
			site := httptest.NewServer(w.srv)
			t.Cleanup(site.Close)
			p := browser.Open(t, site.URL+"/f/metro/map", pagetest.View{})
			p.Wait(`document.getElementById("map").classList.contains("gl")`)
			var corner [2]int
			p.Into(`(r => [Math.round(r.left + 12), Math.round(r.top + scrollY + 12)])(document.getElementById("map").getBoundingClientRect())`, &corner)
			late := time.After(time.Minute)
			for {
				shot, err := png.Decode(bytes.NewReader(p.Picture()))
				if err != nil {
					t.Fatal(err)
				}
				ground := shot.At(corner[0], corner[1])
				if r, g, b, _ := ground.RGBA(); c.fits(r>>8, g>>8, b>>8) {
					break
				}
				select {
				case <-late:
					t.Fatalf("the background of the map is %v", ground)
				default:
				}
			}
			foreign := slices.DeleteFunc(p.Foreign(), func(address string) bool {
				return c.below != "" && address == tiles.URL+"/town.pmtiles"
			})
			if problems := p.Problems(); len(problems)+len(foreign) > 0 {
				t.Errorf("problems: %v; requests: %v", problems, foreign)
			}
			loaded := strings.Contains(strings.Join(p.Requests(), " "), "/assets/pmtiles.")
			if loaded != (c.below != "") {
				t.Errorf("tile reader loaded: %t", loaded)
			}
			if c.below != "" {
				p.Wait(`document.querySelector(".maplibregl-ctrl-attrib").textContent.includes("the <b>town</b>")`)
			}
		})
	}
}
