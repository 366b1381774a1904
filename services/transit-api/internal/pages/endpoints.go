package pages

import (
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/eink"
	"github.com/townline/townline/services/transit-api/internal/view"
)

// Open reads the views and returns the site of the pages.
func (a *Pages) Open() (*rest.Site, error) {
	var err error
	if a.site, err = view.Open(); err != nil {
		return nil, err
	}
	if a.printer, err = eink.Open(); err != nil {
		return nil, err
	}
	return a.site.Serve(slices.Concat(
		a.homePages(),
		a.stopsPages(),
		a.builderPages(),
		a.boardPages(),
		a.screenPages(),
		a.timetablePages(),
		a.routePages(),
		a.mapPages(),
		a.reportPages(),
	)), nil
}
