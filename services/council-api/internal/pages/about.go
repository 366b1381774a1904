package pages

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/dump"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *Pages) aboutPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.about", Path: "/about", Summary: "Method, words and licence"}, a.pageAbout),
	}
}

func (a *Pages) pageAbout(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Simple{Head: a.head(c, "/about", asJSON("JSON", c.URL("/stats")))}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Intro = say.Text("nav.about"), say.Text("about.about"), say.Text("about.intro")
	stats, err := record.GetStats(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	part := func(id string, texts ...string) *view.Section {
		v.Parts = append(v.Parts, view.Section{ID: id, Title: say.Text("about." + id), Texts: texts})
		return &v.Parts[len(v.Parts)-1]
	}
	part("method", say.Text("about.method1"), say.Text("about.method2"), say.Text("about.method3"))
	words := part("words")
	for _, w := range []string{"unanimous", "consent", "positions", "dissent", "alike", "topics", "anomaly"} {
		words.Terms = append(words.Terms, view.Fact{Name: say.Text("about.word." + w), Ref: view.Ref{Text: say.Text("about.means." + w)}})
	}
	part("numbers", say.Many("count.meetings", stats.MeetingsComplete), say.Many("count.votes", stats.Votes), say.Many("count.members", stats.Members), say.Many("count.anomalies", stats.Anomalies))
	wrong := part("wrong", say.Text("about.wrong1"))
	if to := a.report(say, c, v.Title, ""); to != "" {
		wrong.Links = []view.Ref{{Text: say.Text("report.link"), Address: to}}
	}
	part("licence", say.Text("about.licence1")).Links = []view.Ref{{Text: say.Text("about.files"), Address: c.URL("/export/")}}
	v.Linked = a.dataset(c, v.About, &stats)
	return a.site.Render("simple.html", v)
}

// dataset describes all data for search engines of data sets.
func (a *Pages) dataset(c *rest.Call, about string, stats *record.Stats) map[string]any {
	set := map[string]any{"@context": "https://schema.org", "@type": "Dataset", "name": a.Town, "description": about, "url": a.Root + "/", "license": dump.License, "isAccessibleForFree": true,
		"distribution": []map[string]any{
			{"@type": "DataDownload", "encodingFormat": "application/vnd.sqlite3", "contentUrl": c.URL("/export/" + dump.SQLite)},
			{"@type": "DataDownload", "encodingFormat": "text/csv", "contentUrl": c.URL("/export/votes.csv")}}}
	if stats.EarliestMeeting != nil && stats.LatestMeeting != nil {
		set["temporalCoverage"] = stats.EarliestMeeting.String() + "/" + stats.LatestMeeting.String()
	}
	return set
}
