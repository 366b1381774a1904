package pages

import (
	"context"
	"encoding/base64"
	"fmt"
	"html/template"

	"rsc.io/qr"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

type appPage struct {
	site.Head
	Address string       // of the feed, for the apps
	Code    template.URL // the address as a QR code
}

// pageApp shows the address that riders enter in the OneBusAway apps.
func (a *Pages) pageApp(_ context.Context, c *rest.Call, _ static.FeedParams, f *edition.Feed) ([]byte, error) {
	v := &appPage{Head: a.head(c), Address: rest.URL(a.Root, a.Apps+"/{feed}", f.Alias)}
	a.title(&v.Head, "app", f.Name)
	v.Styles = []string{"build.css"}
	code, err := qr.Encode(v.Address, qr.M)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", v.Address, err)
	}
	png := base64.StdEncoding.EncodeToString(code.PNG())
	v.Code = template.URL("data:image/png;base64," + png) //nolint:gosec // made here
	return a.site.Render("app.html", v)
}

// appAddress returns the address of a feed's pageApp; "" if the API for the apps is off.
func (a *Pages) appAddress(h *site.Head, feed string) string {
	if a.Apps == "" {
		return ""
	}
	return h.To(appPagePath, feed)
}
