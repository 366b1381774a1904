package static

import (
	"context"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

func (a *API) stopEndpoints() rest.Table {
	return rest.Table{
		pages(rest.Spec{ID: "static.stops", Path: FeedPath + "/stops", Summary: "Stops", NotFound: "unknown feed"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p feedPage) ([]edition.Stop, int, error) {
				from, to := p.Part(len(f.Stops))
				page := slices.Clone(f.Stops[from:to])
				for i := range page {
					linkStop(&page[i], c, f)
				}
				return page, len(f.Stops), nil
			}),
		single(rest.Spec{ID: "static.stop", Path: StopPath, Summary: "One stop", NotFound: "unknown feed or stop"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p StopParams) (edition.Stop, wire.Links, error) {
				page, _, err := stopsOf(c, f, []string{p.StopID}, wire.Window{Limit: 1})
				if err != nil {
					return edition.Stop{}, nil, err
				}
				return page[0], nil, nil
			}),
	}
}

// stopsOf returns the stops of one page of a list of stop ids.
func stopsOf(c *rest.Call, f *edition.Feed, ids []string, w wire.Window) (page []edition.Stop, count int, err error) {
	from, to := w.Part(len(ids))
	for _, id := range ids[from:to] {
		s, err := FindStop(f, id)
		if err != nil {
			return nil, 0, err
		}
		page = append(page, *s)
		linkStop(&page[len(page)-1], c, f)
	}
	return page, len(ids), nil
}

func linkStop(s *edition.Stop, c *rest.Call, f *edition.Feed) {
	self := c.URL(StopPath, f.Alias, s.StopID)
	s.Links = make(wire.Links, 0, 6)
	s.Links = append(s.Links,
		wire.Link{Rel: "self", Href: self},
		wire.Link{Rel: "routes", Href: self + "/routes"},
		wire.Link{Rel: "directions", Href: self + "/directions"},
		wire.Link{Rel: "trips", Href: self + "/trips"},
		wire.Link{Rel: "stop_times", Href: self + "/stop_times"})
	if s.ParentStation != nil {
		s.Links.Add("parent_station", c.URL(StopPath, f.Alias, *s.ParentStation))
	}
}
