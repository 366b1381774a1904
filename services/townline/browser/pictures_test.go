package browser_test

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// mostPicture is the maximum size of a picture in the README, in bytes.
const mostPicture = 120_000

// TestPictures writes the pictures of the README to the folder TOWNLINE_PICTURES: `make pictures`.
func TestPictures(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TOWNLINE_PICTURES")
	if folder == "" {
		t.Skip("TOWNLINE_PICTURES is not set")
	}
	browser := pagetest.Start(t)
	w := startTown(t)
	warm(t, w.transit+board)
	for _, p := range []struct {
		name, path, ready string
		view              pagetest.View
	}{
		{"board", board + "&title=Ferry+Terminal", isLive + " && " + shown + ".length > 5",
			pagetest.View{Width: 1120, Height: 630}},
		{"map", feedMap, moved + ` && document.querySelectorAll("#vehicles tr").length > 2`,
			pagetest.View{Width: 1000, Height: 860}},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			page := browser.Open(t, w.transit+p.path, p.view)
			page.Wait(p.ready)
			small, err := shrink(page.Window())
			if err != nil {
				t.Fatal(err)
			}
			if len(small) > mostPicture {
				t.Errorf("%d bytes, want at most %d", len(small), mostPicture)
			}
			if err := os.WriteFile(filepath.Join(folder, p.name+".png"), small, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// shrink compresses a picture without loss.
func shrink(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	plain := image.NewRGBA(from.Bounds())
	draw.Draw(plain, plain.Bounds(), from, from.Bounds().Min, draw.Src)
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, plain); err != nil {
		return nil, err
	}
	if small.Len() > len(picture) {
		return picture, nil
	}
	return small.Bytes(), nil
}
