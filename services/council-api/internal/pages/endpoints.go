package pages

import (
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/view"
)

// Open reads the views and returns the site.
func (a *Pages) Open() (*rest.Site, error) {
	var err error
	a.site, err = view.Open()
	if err != nil {
		return nil, err
	}
	a.site.SetBrand(a.Town)
	if a.Color != "" {
		if err := a.site.SetAccent(a.Color); err != nil {
			return nil, err
		}
	}
	return a.site.Serve(slices.Concat(
		a.homePages(),
		a.meetingPages(),
		a.votePages(),
		a.searchPages(),
		a.memberPages(),
		a.agreementPages(),
		a.topicPages(),
		a.anomalyPages(),
		a.changePages(),
		a.aboutPages(),
		a.embedPages(),
		a.oembedFiles(),
		a.sitemapFiles(),
	)), nil
}
