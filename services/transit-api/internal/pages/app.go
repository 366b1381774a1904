package pages

import (
	"context"
	"fmt"
	"strings"

	"rsc.io/qr"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

type appPage struct {
	site.Head
	Address string // of the feed, for the apps
	Side    int    // of the code, in its units
	Squares string // of the code, as an SVG path
}

// pageApp shows the address that riders type into the OneBusAway apps.
func (a *Pages) pageApp(_ context.Context, c *rest.Call, _ static.FeedParams, f *edition.Feed) ([]byte, error) {
	v := &appPage{Head: a.head(c), Address: rest.URL(a.Root, a.Apps+"/{feed}", f.Alias)}
	a.title(&v.Head, "app", f.Name)
	v.Styles = []string{"build.css"}
	code, err := qr.Encode(v.Address, qr.M)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", v.Address, err)
	}
	v.Side, v.Squares = code.Size+2*quietZone, modules(code)
	return a.site.Render("app.html", v)
}

// appAddress returns the address of a feed's pageApp; "" if no apps are served.
func (a *Pages) appAddress(h *site.Head, feed string) string {
	if a.Apps == "" {
		return ""
	}
	return h.To(appPagePath, feed)
}

// quietZone is the margin that readers of a code need.
const quietZone = 4

// modules draws the black runs of each row.
func modules(code *qr.Code) string {
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for code.Black(x, y) { // white outside the code
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+quietZone, y+quietZone, x-from, x-from)
			}
		}
	}
	return path.String()
}
