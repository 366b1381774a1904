package pages

import (
	"fmt"
	"os"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/eink"
)

// Open reads the templates and returns the site of the pages.
func (a *Pages) Open() (*rest.Site, error) {
	var err error
	a.site, err = openSite()
	if err != nil {
		return nil, err
	}
	if err := a.dress(); err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	a.printer, err = eink.Open()
	if err != nil {
		return nil, err
	}
	return a.site.Serve(withMenu(slices.Concat(
		a.homePages(),
		a.stopsPages(),
		a.builderPages(),
		a.boardPages(),
		a.screenPages(),
		a.routePages(),
		a.timetablePages(),
		a.tripPages(),
		a.alertPages(),
		a.mapPages(),
		a.reportPages(),
	))), nil
}

// dress gives the pages the name, the colour and the logo of transit.yaml.
func (a *Pages) dress() error {
	a.site.SetBrand(a.Site.Name)
	if a.Site.Color != "" {
		if err := a.site.SetAccent(a.Site.Color); err != nil {
			return err
		}
	}
	if a.Site.Logo == "" {
		return nil
	}
	logo, err := os.ReadFile(a.Site.Logo)
	if err != nil {
		return err
	}
	return a.site.SetLogo(logo)
}
