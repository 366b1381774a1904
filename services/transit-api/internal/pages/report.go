package pages

import (
	"context"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/view"
)

// reportPermission is that of what an import found.
const reportPermission = "static.feed_report"

const reportPagePath = feedPagePath + "/report"

func (a *Pages) reportPages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.feed_report", Path: reportPagePath, Summary: "What is wrong with a feed", Shows: []string{reportPermission}, NotFound: "unknown feed"},
			edition.OneFeed[static.FeedParams](a.Static.Feeds), a.pageReport),
	}
}

func (a *Pages) pageReport(ctx context.Context, c *rest.Call, _ static.FeedParams, f *edition.Feed) ([]byte, error) {
	r, err := a.Static.ReadReport(ctx, c, f)
	if err != nil {
		return nil, err
	}
	v := &view.FeedReport{Head: a.head(c, asJSON("JSON", c.URL(static.FeedPath+"/report", f.Alias)))}
	say := a.site.Words(v.Lang)
	v.Title, v.About, v.Styles, v.English = say.Text("report.title", f.Name), say.Text("report.about", f.Name), []string{"report.css"}, v.Lang == "en"
	v.Lead = say.Text("report.lead", r.Errors, r.Warnings, r.Infos)
	if r.Errors+r.Warnings+r.Infos == 0 {
		v.Lead = say.Text("report.nothing")
	}
	if r.ImportedAt != nil {
		day, _, _ := strings.Cut(*r.ImportedAt, "T")
		v.AsOf = say.Text("report.asof", day)
	}
	for _, s := range []gtfs.Severity{gtfs.Error, gtfs.Warning, gtfs.Info} {
		group := view.ReportGroup{Title: say.Text("report." + string(s)), About: say.Text("report." + string(s) + ".about")}
		for _, found := range r.Findings {
			if found.Severity == string(s) {
				group.Findings = append(group.Findings, shownFinding(say, found))
			}
		}
		if len(group.Findings) > 0 {
			v.Groups = append(v.Groups, group)
		}
	}
	for _, file := range r.Files {
		v.Files = append(v.Files, view.ReportFile{Name: file.File, Read: file.Read, LeftOut: file.LeftOut, Added: file.Added, Changed: file.Changed,
			Removed: file.Removed, AsWere: file.Unchanged})
	}
	return a.site.Render("report.html", v)
}

func shownFinding(say site.Words, f static.ReportFinding) view.ReportFinding {
	shown := view.ReportFinding{Code: f.Code, Message: f.Message, Advice: f.Advice, Count: say.Text("report.count", f.Count)}
	for _, p := range f.Files {
		shown.Places = append(shown.Places, say.Text("report.place", p.File, p.Count, say.Text("report.effect."+strings.ReplaceAll(p.Effect, " ", "_"))))
	}
	for _, e := range f.Examples {
		x := view.ReportExample{File: e.File, Field: cell(e.Field), Value: cell(e.Value)}
		if e.Line != nil {
			x.Line = strconv.Itoa(*e.Line)
		}
		shown.Examples = append(shown.Examples, x)
	}
	return shown
}
