package transitapi

import (
	"context"

	"github.com/townline/townline/services/transit-api/internal/wire"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// An Agency is a row of agency.txt.
type Agency struct {
	Label          string     `json:"label" doc:"agency_name."`
	AgencyID       string     `json:"agency_id" doc:"The feed's alias where the feed gives none."`
	AgencyName     string     `json:"agency_name"`
	AgencyURL      string     `json:"agency_url"`
	AgencyTimezone string     `json:"agency_timezone"`
	AgencyLang     *string    `json:"agency_lang"`
	AgencyPhone    *string    `json:"agency_phone"`
	AgencyFareURL  *string    `json:"agency_fare_url"`
	AgencyEmail    *string    `json:"agency_email"`
	Links          wire.Links `json:"links" db:"-" doc:"self, routes."`
}

const agencyColumns = `
	coalesce(agency_name, agency_id) AS label, agency_id, coalesce(agency_name, '') AS agency_name,
	coalesce(agency_url, '') AS agency_url, coalesce(agency_timezone, '') AS agency_timezone,
	agency_lang, agency_phone, agency_fare_url, agency_email`

var agencyPageRows = rest.SQL[edition.Ranks, Agency](`
	SELECT ` + agencyColumns + `
	FROM transit.agency
	WHERE version_id = @version_id AND ord >= @low AND ord < @high
	ORDER BY ord`)

type agencyKey struct {
	VersionID replica.Version
	AgencyID  string
}

var agencyByID = rest.SQL[agencyKey, Agency](`
	SELECT ` + agencyColumns + `
	FROM transit.agency
	WHERE version_id = @version_id AND agency_id = @agency_id`)

func (a *api) agencyEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "static.agencies", Path: "/feeds/{feed_alias}/agencies", Summary: "Agencies",
			Tag: tagStatic, Queries: rest.Queries(agencyPageRows), NotFound: "unknown feed"}, a.listAgencies),
		rest.Func(rest.Spec{ID: "static.agency", Path: agencyPath, Summary: "One agency",
			Tag: tagStatic, Queries: rest.Queries(agencyByID), NotFound: "unknown feed or agency"}, a.oneAgency),
	}
}

func (a *api) listAgencies(ctx context.Context, c *rest.Call, p feedPage) (wire.Envelope[[]Agency], error) {
	f := feedOf(c)
	total := f.Counts.Agency
	rows, err := agencyPageRows.List(ctx, c, page(f, 0, total, p.Window))
	for i := range rows {
		rows[i].link(c, f)
	}
	return wire.Slice(c, p.Window, rows, total, nil), err
}

func (a *api) oneAgency(ctx context.Context, c *rest.Call, p agencyParams) (wire.Envelope[Agency], error) {
	f := feedOf(c)
	row, err := agencyByID.One(ctx, c, agencyKey{f.Version, p.AgencyID})
	row.link(c, f)
	return wire.Item(c, row, nil), err
}

func (g *Agency) link(c *rest.Call, f *edition.Feed) {
	g.Links = wire.Links{
		{Rel: "self", Href: c.URL(agencyPath, f.Alias, g.AgencyID)},
		{Rel: "routes", Href: c.URL(agencyPath+"/routes", f.Alias, g.AgencyID)},
	}
}
