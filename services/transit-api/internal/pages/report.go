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

// reportPermission is that of what an import found.
const reportPermission = "static.feed_report"

const reportPagePath = feedPagePath + "/report"

func (a *Pages) reportPages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.feed_report", Path: reportPagePath, Summary: "What is wrong with a feed",
			Shows: []string{reportPermission}, NotFound: "unknown feed"},
			edition.OneFeed[static.FeedParams](a.Static.Feeds), a.pageReport),
	}
}

// A reportPage shows a report. What it says of rules is in English alone.
type reportPage struct {
	site.Head
	Report static.Report
}

// Severities are those of findings, the worst first.
func (*reportPage) Severities() []gtfs.Severity {
	return []gtfs.Severity{gtfs.Error, gtfs.Warning, gtfs.Info}
}

// Findings are those of one severity.
func (v *reportPage) Findings(s gtfs.Severity) (some []static.ReportFinding) {
	for _, f := range v.Report.Findings {
		if f.Severity == string(s) {
			some = append(some, f)
		}
	}
	return some
}

// ImportedOn is the day of the import; "" if unknown.
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
	say := a.site.Words(v.Lang)
	v.Title, v.About, v.Styles = say.Text("report.title", f.Name), say.Text("report.about", f.Name), []string{"report.css"}
	return a.site.Render("report.html", v)
}
