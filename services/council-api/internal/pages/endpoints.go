package pages

import (
	"embed"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
)

//go:embed *.html words assets
var content embed.FS

// openSite reads the templates, words and files.
func openSite() (*site.Site, error) { return site.New(site.Part{Files: content}) }

// Open reads what pages are made of and returns the site.
func (a *Pages) Open() (*rest.Site, error) {
	var err error
	a.site, err = openSite()
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
