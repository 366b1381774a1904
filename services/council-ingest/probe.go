package councilingest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// ErrForbidden says that the portal's robots.txt does not let us in.
var ErrForbidden = portal.ErrForbidden

// Probe asks the portal what an ingest asks first, and stores nothing. It returns
// how many meetings the calendar of the last year lists, and how many of them are of the
// configured body.
func Probe(ctx context.Context, set *Settings, allowPrivate bool) (listed, ours int, err error) {
	p, err := portal.Open(ctx, portal.Config{URL: set.Portal.URL, Zone: set.zone, Contact: set.Portal.Contact, AllowPrivate: allowPrivate, Tries: 1})
	if err != nil {
		return 0, 0, fmt.Errorf("portal: %w", err)
	}
	defer p.Close()
	now := time.Now().In(set.zone)
	rows, err := p.FetchCalendar(ctx, now.AddDate(-1, 0, 0), now)
	if err != nil {
		return 0, 0, fmt.Errorf("portal: %w", err)
	}
	for _, row := range rows {
		if strings.EqualFold(row.Board, set.Body) {
			ours++
		}
	}
	return len(rows), ours, nil
}
