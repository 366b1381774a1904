package browser_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// TestGallery takes a picture of every page on a phone, a desktop, a wide and an upright screen in
// both themes, in the narrowest window and with large text, and measures each on a slow line. It
// writes the pictures and measures.tsv to the folder TOWNLINE_GALLERY: `make gallery FOLDER=…`.
// TOWNLINE_GALLERY_COUNCIL and TOWNLINE_GALLERY_TRANSIT are the addresses of a running town, for
// example of an earlier version; by default the test starts the demo town.
func TestGallery(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TOWNLINE_GALLERY")
	if folder == "" {
		t.Skip("TOWNLINE_GALLERY is not set")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	browser := pagetest.Start(t)
	w := town{council: os.Getenv("TOWNLINE_GALLERY_COUNCIL"), transit: os.Getenv("TOWNLINE_GALLERY_TRANSIT")}
	if w.council == "" || w.transit == "" {
		w = startTown(t)
		galleryOfDesk(t, browser, w, folder)
	}
	warm(t, w.transit+board)
	place := w.divided(t)
	measures := []string{"page\trequests\tbytes\tLCP\tCLS\taxe"}
	for _, s := range sights {
		if !t.Run(s.name, func(t *testing.T) {
			measures = append(measures, s.measure(t, browser, w.root(s.api)+place.address(s.path)))
			for _, v := range galleryViews() {
				p := browser.Open(t, w.root(s.api)+place.address(s.path), v)
				if s.whole != "" {
					p.Wait(s.whole)
				}
				hang(t, folder, s.name, v, p.Picture())
			}
		}) {
			t.Logf("%s has no row or not all pictures", s.name)
		}
	}
	text := strings.Join(measures, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(folder, "measures.tsv"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// galleryViews returns the screens of the pictures.
func galleryViews() (all []pagetest.View) {
	for _, size := range [][2]int{{390, 844}, {1280, 800}, {1920, 1080}, {1080, 1920}} {
		for _, dark := range []bool{false, true} {
			all = append(all, pagetest.View{Width: size[0], Height: size[1], Dark: dark, Language: "en"})
		}
	}
	// The narrowest window, and text of twice the size, in languages with longer words.
	return append(all, pagetest.View{Width: 320, Height: 640, Language: "es"},
		pagetest.View{Width: 780, Height: 1688, Zoom: 2, Language: "fr"})
}

// measure returns a row of the table: what the page costs on a phone with a slow line. Bytes are those
// of the first view.
func (s sight) measure(t *testing.T, browser *pagetest.Browser, address string) string {
	t.Helper()
	p := browser.Open(t, address, pagetest.View{Width: 390, Height: 844, Slow: true, Language: "en"})
	requests, bytes := p.Weight()
	painted, shift := p.Painted(), p.Shift()
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%.3f\t%d", s.name, requests, bytes, painted.Milliseconds(), shift,
		len(p.Violations()))
}

// hang writes a picture to the folder.
func hang(t *testing.T, folder, name string, v pagetest.View, picture []byte) {
	t.Helper()
	theme := "light"
	if v.Dark {
		theme = "dark"
	}
	file := fmt.Sprintf("%s-%dx%d-%s-%s.png", name, cmp.Or(v.Width, 1280), cmp.Or(v.Height, 800), theme, v.Language)
	if err := os.WriteFile(filepath.Join(folder, file), picture, 0o644); err != nil {
		t.Error(err)
	}
}

// galleryOfDesk takes the pictures of the clerk's and the operator's pages.
func galleryOfDesk(t *testing.T, browser *pagetest.Browser, w town, folder string) {
	t.Helper()
	views := galleryViews()
	d := openDesk(t, w, clerks(len(views)))
	for i, v := range views {
		p := browser.Open(t, d.links[i], v)
		root := p.Eval("location.origin")
		for _, page := range [][2]string{{"review-list", "/"}, {"review-anomaly", "/anomalies/" + w.doubted(t)},
			{"notices", "/notices"}, {"notices-about", "/notices/about?q=ferry"},
			{"notices-new", "/notices/new?feed=alderbay&type=stops&id=FT"}} {
			p.Go(root + page[1])
			hang(t, folder, page[0], v, p.Picture())
		}
	}
}
