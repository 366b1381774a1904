package pages

import (
	"context"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

type reportPage struct {
	site.Head
	Report static.Report
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
	return a.site.Render("report.html", v)
}
