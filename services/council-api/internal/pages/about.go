package pages

import (
	"context"

	"github.com/townline/townline/pkg/dataset"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

func (a *Pages) pageAbout(ctx context.Context, v *page, _ rest.None) error {
	v.also(asJSON("JSON", v.c.URL("/stats")))
	v.Title, v.About = v.Text("nav.about"), v.Text("about.about")
	stats, err := civic.GetStats(ctx, v.c, civic.OfBody{})
	if err != nil {
		return err
	}
	v.Has = &stats
	v.Linked = a.dataset(v.c, v.About, &stats)
	return nil
}

// Terms returns the words that the page explains.
func (p *page) Terms() []string {
	return []string{"unanimous", "consent", "positions", "dissent", "alike", "topics", "anomaly"}
}

// Data returns an address of the API.
func (p *page) Data(path string) string { return p.c.URL(path) }

// Numbers returns the size of the dataset in sentences.
func (p *page) Numbers(stats *civic.Stats) []string {
	return []string{
		p.Many("count.meetings", stats.MeetingsComplete), p.Many("count.votes", stats.Votes),
		p.Many("count.members", stats.Members), p.Many("count.anomalies", stats.Anomalies),
	}
}

func (a *Pages) dataset(c *rest.Call, about string, stats *civic.Stats) map[string]any {
	set := map[string]any{"@context": "https://schema.org", "@type": "Dataset", "name": a.Town, "description": about,
		"url": a.Root + "/", "license": dataset.License, "isAccessibleForFree": true,
		"distribution": []map[string]any{
			{"@type": "DataDownload", "encodingFormat": "application/vnd.sqlite3",
				"contentUrl": c.URL("/export/" + dataset.SQLite)},
			{"@type": "DataDownload", "encodingFormat": "text/csv", "contentUrl": c.URL("/export/votes.csv")}}}
	if stats.EarliestMeeting != nil && stats.LatestMeeting != nil {
		set["temporalCoverage"] = stats.EarliestMeeting.String() + "/" + stats.LatestMeeting.String()
	}
	return set
}
