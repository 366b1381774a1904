package pages

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// pageApp shows the address that riders enter in the OneBusAway apps.
func (a *Pages) pageApp(_ context.Context, c *rest.Call, _ wire.FeedParams, f *edition.Feed) ([]byte, error) {
	v := &displayPage{Head: a.head(c), Address: rest.URL(a.Root, a.Apps+"/{feed}", f.Alias)}
	a.title(&v.Head, "app", f.Name)
	v.Styles = []string{"build.css"}
	var err error
	v.Code, err = qrCode(v.Address)
	if err != nil {
		return nil, err
	}
	return a.site.Render("app.html", v)
}

// appAddress returns the address of a feed's pageApp; "" if the API for the apps is off.
func (a *Pages) appAddress(h *site.Head, feed string) string {
	if a.Apps == "" {
		return ""
	}
	return h.To(appPagePath, feed)
}
