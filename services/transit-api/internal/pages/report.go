package pages

import (
	"context"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// A Finding heads one kind of finding, in files or in realtime messages: what is wrong, and what to
// do. _finding.html renders it.
type Finding struct {
	Code, Message, Advice string
	Lang                  string      // of message and advice, if it is not that of the page
	Rule                  string      // address of the validator's rule; "" without one
	Facts                 []string    // how often, and since when
	Sources               []site.Link // GTFS's own words
}

type reportPage struct {
	site.Head
	Report   static.Report
	Findings []fileFinding
}

type fileFinding struct {
	Finding
	Found static.ReportFinding
}

// ImportedOn returns the day of the import; "" if unknown.
func (v *reportPage) ImportedOn() string {
	day, _, _ := strings.Cut(cell(v.Report.ImportedAt), "T")
	return day
}

func (a *Pages) pageReport(ctx context.Context, c *rest.Call, _ static.FeedParams, f *edition.Feed) ([]byte, error) {
	r, err := a.Static.ReadReport(ctx, c, f)
	if err != nil {
		return nil, err
	}
	v := &reportPage{Head: a.head(c, asJSON("JSON", c.URL(static.FeedPath+"/report", f.Alias))), Report: r}
	a.title(&v.Head, "report", f.Name)
	v.Styles = []string{"report.css"}
	say := a.speaker(v.Lang)
	for _, found := range r.Findings {
		v.Findings = append(v.Findings, say.fileFinding(v.Lang, found))
	}
	return a.site.Render("report.html", v)
}

func (s Speaker) fileFinding(lang string, r static.ReportFinding) fileFinding {
	f := fileFinding{Found: r, Finding: Finding{Code: r.Code, Message: r.Message, Advice: r.Advice,
		Rule: gtfs.Code(r.Code).Address(), Facts: []string{s.Text("report.count", r.Count)}}}
	if lang != "en" {
		f.Lang = "en"
	}
	before := ""
	for _, place := range r.Files {
		if address := gtfs.Reference(place.File); address != "" && place.File != before {
			f.Sources = append(f.Sources, site.Link{Text: place.File, Address: address})
		}
		before = place.File
	}
	return f
}
