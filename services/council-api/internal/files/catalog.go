package files

import (
	"context"
	"strconv"

	"github.com/townline/townline/pkg/dataset"
	"github.com/townline/townline/pkg/mcp"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/wellknown"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// A Catalog is what /data.json says in addition to the export.
type Catalog struct {
	Host       *wellknown.Host
	Town       string
	Assistants bool // the API also answers assistants
}

// CatalogEndpoints returns the catalogue of the host; none without a contact, which DCAT-US requires.
func CatalogEndpoints(cat Catalog) rest.Table {
	if cat.Host.Contact == "" {
		return nil
	}
	return rest.Table{rest.From(rest.Spec{ID: "site.catalog", Path: wellknown.CatalogPath,
		Summary: "The datasets and APIs of this host, as DCAT-US 3", Queries: exportQueries, Media: "application/json"},
		exportSource[rest.None](), cat.write)}
}

func (cat *Catalog) write(ctx context.Context, c *rest.Call, _ rest.None, set exportSet) (rest.File, error) {
	stats, err := civic.GetStats(ctx, c, civic.OfBody{})
	if err != nil {
		return rest.File{}, err
	}
	h, at := cat.Host, wellknown.Instant(set[dataset.SQLite].AsOf.Time)
	all := h.NewCatalog(cat.Town, cat.Town, "Votes of the council and its boards, read from the published minutes.")
	d := &wellknown.Dataset{Title: "Recorded votes: " + cat.Town,
		Description: "Meetings, agenda items, votes and positions of the members, read by fixed rules from the minutes " +
			"that the clerk publishes. Each vote names the page of its minutes.",
		Keyword: []string{"council", "votes", "minutes", "roll call", "legislation"}, Modified: at,
		LandingPage: &wellknown.Document{Type: "Document", Title: cat.Town, URL: h.Root + "/"}}
	if stats.EarliestMeeting != nil && stats.LatestMeeting != nil {
		d.Temporal = wellknown.Covers(stats.EarliestMeeting.String(), stats.LatestMeeting.String())
	}
	for _, f := range set.list(c) {
		d.Distribution = append(d.Distribution, &wellknown.Distribution{Title: f.Name, Description: f.Description,
			URL: f.URL, MediaType: f.MediaType, ByteSize: strconv.FormatInt(f.Size, 10), License: dataset.License,
			Modified: at})
	}
	for _, f := range []wellknown.Distribution{
		{Title: "votes.csv", Description: "Every vote as one flat table.", URL: c.URL("/export/votes.csv"),
			MediaType: "text/csv"},
		{Title: "votes.atom", Description: "The newest votes.", URL: c.URL("/feeds/votes.atom"),
			MediaType: AtomMedia},
		{Title: "meetings.ics", Description: "The calendar of meetings.", URL: c.URL("/feeds/meetings.ics"),
			MediaType: "text/calendar"},
	} {
		f.License = dataset.License
		d.Distribution = append(d.Distribution, &f)
	}
	h.Add(all, c.URL("/export/"), "", d)
	h.AddService(all, "Council votes API", "Meetings, items, votes, members and corrections as JSON.", c.URL(""),
		c.URL("/openapi.json"))
	if cat.Assistants {
		h.AddService(all, "Council votes for assistants", "The same data by the Model Context Protocol.",
			h.Root+mcp.Path, "")
	}
	return wellknown.CatalogFile(all)
}
