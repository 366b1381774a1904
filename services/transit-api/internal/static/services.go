package static

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Service is a row of calendar.txt: weekdays and a range of dates. A service that is only in
// calendar_dates.txt has no weekdays.
type Service struct {
	Label      string      `json:"label" doc:"service_id."`
	ServiceID  string      `json:"service_id"`
	Monday     string      `json:"monday" doc:"1 if the service runs on this weekday, else 0."`
	Tuesday    string      `json:"tuesday"`
	Wednesday  string      `json:"wednesday"`
	Thursday   string      `json:"thursday"`
	Friday     string      `json:"friday"`
	Saturday   string      `json:"saturday"`
	Sunday     string      `json:"sunday"`
	StartDate  string      `json:"start_date" db:"-" doc:"Local midnight of the first day, RFC 3339 with its offset."`
	EndDate    string      `json:"end_date" db:"-" doc:"Local midnight of the last day, RFC 3339 with its offset."`
	Exceptions []Exception `json:"exceptions,omitzero" db:"-" doc:"Rows of calendar_dates.txt by date; not in lists of services."`
	Links      wire.Links  `json:"links" db:"-" doc:"self."`

	FirstDay *rest.Date `json:"-" db:"start_date"`
	LastDay  *rest.Date `json:"-" db:"end_date"`
}

// An Exception is a row of calendar_dates.txt.
type Exception struct {
	Label         string `json:"label" doc:"service_id and date."`
	ServiceID     string `json:"service_id"`
	Date          string `json:"date" db:"-" doc:"Local midnight, RFC 3339 with its offset."`
	ExceptionType string `json:"exception_type" doc:"1: service added; 2: service removed."`

	Day rest.Date `json:"-" db:"date"`
}

const serviceColumns = `
	service_id AS label, service_id, monday, tuesday, wednesday, thursday, friday, saturday, sunday, start_date, end_date`

var serviceRows = Rows[Service]{rest.SQL[edition.Ranks, Service](`
	SELECT ` + serviceColumns + `
	FROM transit.service
	WHERE version_id = @version_id AND ord >= @low AND ord < @high
	ORDER BY ord`), (*Service).finish}

type serviceKey struct {
	VersionID replica.Version
	ServiceID string
}

var serviceByID = rest.SQL[serviceKey, Service](`
	SELECT ` + serviceColumns + `
	FROM transit.service
	WHERE version_id = @version_id AND service_id = @service_id`)

// MaxExceptions bounds the listed exceptions of one service: more than one per day for 50 years.
const MaxExceptions = 20_000

type exceptionsOf struct {
	serviceKey
	Most int
}

var serviceExceptions = rest.SQL[exceptionsOf, Exception](`
	SELECT service_id || ' ' || date AS label, service_id, exception_type, date
	FROM transit.service_date
	WHERE version_id = @version_id AND service_id = @service_id
	ORDER BY date
	LIMIT @most`)

type serviceParams struct {
	FeedParams
	ServiceID string `path:"service_id" doc:"service_id of calendar.txt or calendar_dates.txt."`
}

func (a *API) serviceEndpoints() rest.Table {
	return rest.Table{
		ranked(a, rest.Spec{ID: "static.services", Path: FeedPath + "/services", Summary: "Services",
			Doc: "Weekly pattern and range of dates. A service that is only in calendar_dates.txt has no weekday; its " +
				"range is from its first date to its last.",
			NotFound: "unknown feed"}, serviceRows,
			allOf("service")),
		rest.FuncFrom(rest.Spec{ID: "static.service", Path: ServicePath, Summary: "One service with its exceptions",
			Doc: "At most 20,000 exceptions are listed; if there are more, meta.truncated is true.",
			Tag: tagStatic, Queries: rest.Queries(serviceByID, serviceExceptions), NotFound: "unknown feed or service"},
			feed[serviceParams](a), oneService),
	}
}

// OneService reads the row of a service.
func OneService(ctx context.Context, c *rest.Call, f *edition.Feed, id string) (Service, error) {
	return serviceByID.One(ctx, c, serviceKey{f.Version, id})
}

func oneService(ctx context.Context, c *rest.Call, p serviceParams, f *edition.Feed) (wire.Envelope[Service], error) {
	row, err := OneService(ctx, c, f, p.ServiceID)
	if err != nil {
		return wire.Envelope[Service]{}, err
	}
	row.finish(c, f)
	row.Exceptions, err = serviceExceptions.List(ctx, c, exceptionsOf{serviceKey{f.Version, p.ServiceID}, MaxExceptions +
		1})
	whole := len(row.Exceptions) <= MaxExceptions
	row.Exceptions = row.Exceptions[:min(len(row.Exceptions), MaxExceptions)]
	for i := range row.Exceptions {
		e := &row.Exceptions[i]
		e.Date = midnight(e.Day, f.Zone)
	}
	answer := wire.Item(c, row, nil)
	answer.Meta.Truncated = !whole
	return answer, err
}

func (s *Service) finish(c *rest.Call, f *edition.Feed) {
	if s.FirstDay != nil {
		s.StartDate = midnight(*s.FirstDay, f.Zone)
	}
	if s.LastDay != nil {
		s.EndDate = midnight(*s.LastDay, f.Zone)
	}
	s.Links = wire.Links{{Rel: "self", Href: c.URL(ServicePath, f.Alias, s.ServiceID)}}
}

// midnight returns the start of a local day in RFC 3339 with its offset. If clocks go forward at
// midnight, that moment does not exist; then midnight uses the offset of the previous day.
func midnight(d rest.Date, zone *time.Location) string {
	y, m, day := d.Date()
	t := time.Date(y, m, day, 0, 0, 0, 0, zone)
	if t.Hour() != 0 || t.Day() != day {
		_, offset := time.Date(y, m, day-1, 12, 0, 0, 0, zone).Zone()
		t = time.Date(y, m, day, 0, 0, 0, 0, time.FixedZone("", offset))
	}
	return t.Format("2006-01-02T15:04:05-07:00")
}
