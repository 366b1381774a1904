package static

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Service is a service in answers.
type Service struct {
	Label string `json:"label" doc:"service_id."`
	edition.Service
	StartDate  string      `json:"start_date" doc:"Local midnight of the first day, RFC 3339 with its offset."`
	EndDate    string      `json:"end_date" doc:"Local midnight of the last day, RFC 3339 with its offset."`
	Exceptions []Exception `json:"exceptions,omitzero" doc:"Rows of calendar_dates.txt by date; not in lists of services."`
	Links      wire.Links  `json:"links" doc:"self."`
}

// An Exception is a row of calendar_dates.txt.
type Exception struct {
	Label         string `json:"label" doc:"service_id and date."`
	ServiceID     string `json:"service_id"`
	Date          string `json:"date" doc:"Local midnight, RFC 3339 with its offset."`
	ExceptionType string `json:"exception_type" doc:"1: service added; 2: service removed."`
}

// MaxExceptions bounds the listed exceptions of one service: more than one per day for 50 years.
const MaxExceptions = 20_000

type serviceParams struct {
	wire.FeedParams
	ServiceID string `path:"service_id" doc:"service_id of calendar.txt or calendar_dates.txt."`
}

func (a *API) serviceEndpoints() rest.Table {
	return rest.Table{
		list(a, rest.Spec{ID: "static.services", Path: wire.FeedPath + "/services", Summary: "Services",
			Doc: "Weekly pattern and range of dates. A service that is only in calendar_dates.txt has no weekday; its " +
				"range is from its first date to its last.",
			NotFound: "unknown feed"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p feedPage) (page []Service, count int, err error) {
				for _, s := range window(f.Services, p.Window) {
					page = append(page, linkedService(s, c, f))
				}
				return page, len(f.Services), nil
			}),
		rest.From(rest.Spec{ID: "static.service", Path: wire.ServicePath, Summary: "One service with its exceptions",
			Doc: "At most 20,000 exceptions are listed; if there are more, meta.truncated is true.",
			Tag: tagStatic, NotFound: "unknown feed or service"},
			feed[serviceParams](a), oneService),
	}
}

// FindService finds a service.
func FindService(f *edition.Feed, id string) (*edition.Service, error) {
	if s := f.Service(id); s != nil {
		return s, nil
	}
	return nil, rest.NotFound("unknown service")
}

func oneService(_ context.Context, c *rest.Call, p serviceParams, f *edition.Feed) (wire.Envelope[Service], error) {
	s, err := FindService(f, p.ServiceID)
	if err == nil {
		err = f.BoardsUnavailable() // the exceptions are not in memory
	}
	if err != nil {
		return wire.Envelope[Service]{}, err
	}
	row := linkedService(s, c, f)
	row.Exceptions = make([]Exception, 0, min(len(s.Added)+len(s.Removed), MaxExceptions))
	for day, added := range s.Exceptions() {
		if len(row.Exceptions) == MaxExceptions {
			break
		}
		kind := "2"
		if added {
			kind = "1"
		}
		date := edition.DateOf(day)
		row.Exceptions = append(row.Exceptions, Exception{Label: s.ServiceID + " " + date.Format(time.DateOnly),
			ServiceID: s.ServiceID, Date: midnight(date, f.Zone), ExceptionType: kind})
	}
	answer := wire.Item(c, row, nil)
	answer.Meta.Truncated = len(s.Added)+len(s.Removed) > MaxExceptions
	return answer, nil
}

func linkedService(s *edition.Service, c *rest.Call, f *edition.Feed) Service {
	own := Service{Label: s.ServiceID, Service: *s}
	if s.FirstDay <= s.LastDay {
		own.StartDate, own.EndDate = midnight(edition.DateOf(s.FirstDay), f.Zone), midnight(edition.DateOf(s.LastDay), f.Zone)
	}
	own.Links = wire.Links{{Rel: "self", Href: c.URL(wire.ServicePath, f.Alias, s.ServiceID)}}
	return own
}

// midnight returns the start of a local day in RFC 3339 with its offset. If clocks go forward at
// midnight, that moment does not exist; then midnight uses the offset of the previous day.
func midnight(d time.Time, zone *time.Location) string {
	y, m, day := d.Date()
	t := time.Date(y, m, day, 0, 0, 0, 0, zone)
	if t.Hour() != 0 || t.Day() != day {
		_, offset := time.Date(y, m, day-1, 12, 0, 0, 0, zone).Zone()
		t = time.Date(y, m, day, 0, 0, 0, 0, time.FixedZone("", offset))
	}
	return t.Format("2006-01-02T15:04:05-07:00")
}
