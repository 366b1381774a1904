package static

import (
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// An Agency is a row of agency.txt.
type Agency struct {
	Label          string     `json:"label" doc:"agency_name."`
	AgencyID       string     `json:"agency_id" doc:"agency_id of the feed; the feed's alias if the feed gives none."`
	AgencyName     string     `json:"agency_name"`
	AgencyURL      string     `json:"agency_url"`
	AgencyTimezone string     `json:"agency_timezone"`
	AgencyLang     *string    `json:"agency_lang"`
	AgencyPhone    *string    `json:"agency_phone"`
	AgencyFareURL  *string    `json:"agency_fare_url"`
	AgencyEmail    *string    `json:"agency_email"`
	Links          wire.Links `json:"links" db:"-" doc:"self, routes."`
}

var AgencyRows = Rows[Agency]{rest.SQL[edition.Ranks, Agency](`
	SELECT coalesce(agency_name, agency_id) AS label, agency_id, coalesce(agency_name, '') AS agency_name,
	       coalesce(agency_url, '') AS agency_url, coalesce(agency_timezone, '') AS agency_timezone,
	       agency_lang, agency_phone, agency_fare_url, agency_email
	FROM transit.agency
	WHERE version_id = @version_id AND ord >= @low AND ord < @high
	ORDER BY ord`), (*Agency).link}

func (g *Agency) link(c *rest.Call, f *edition.Feed) {
	g.Links = wire.Below(c.URL(AgencyPath, f.Alias, g.AgencyID), "routes")
}

func (a *API) agencyEndpoints() rest.Table {
	return rest.Table{
		ranked(a, rest.Spec{ID: "static.agencies", Path: FeedPath + "/agencies", Summary: "Agencies",
			NotFound: "unknown feed"}, AgencyRows,
			func(f *edition.Feed, _ feedPage) (edition.Span, error) {
				return edition.Span{Count: f.Counts["agency"]}, nil
			}),
		oneRanked(a, rest.Spec{ID: "static.agency", Path: AgencyPath, Summary: "One agency",
			NotFound: "unknown feed or agency"}, AgencyRows,
			func(f *edition.Feed, p AgencyParams) (int, error) {
				agency, err := findAgency(f, p)
				return agency.Rank, err
			}),
	}
}
