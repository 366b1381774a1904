// Package probe asks portals what they are and what they have, with a handful of requests, and stores nothing. Start with Probe, for the
// portal that is configured; Describe, in portrait.go, finds out what is at an address.
package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// Advice says what to do about an error of [Probe]; "" when there is nothing but to wait.
func Advice(set *settings.Settings, err error) string {
	all, wrong := set.Sources()
	if wrong != nil || len(all) == 0 {
		return portal.Advice(portal.Product{}, err)
	}
	return portal.Advice(all[len(all)-1].Product, err)
}

// Probe asks the portal that the council uses now what an ingest asks first, and stores nothing. It returns
// how many meetings the calendar of the last year lists, how many of them are of the
// configured body, and, if none is, which boards there are; "" when the calendar does not say.
func Probe(ctx context.Context, set *settings.Settings, allowPrivate bool) (listed, ours int, others string, err error) {
	all, err := set.Sources()
	if err != nil {
		return 0, 0, "", err
	}
	if len(all) == 0 {
		return 0, 0, "", errors.New("no portal is configured")
	}
	src := &all[len(all)-1]
	p, err := src.Open(ctx, allowPrivate, 1, nil)
	if err != nil {
		return 0, 0, "", fmt.Errorf("portal: %w", err)
	}
	defer p.Close()
	now := time.Now().In(set.Zone())
	rows, err := p.Meetings(ctx, portal.Window{From: now.AddDate(-1, 0, 0), To: now, Back: now})
	if err != nil {
		return 0, 0, "", fmt.Errorf("portal: %w", err)
	}
	board, others := portal.BoardOf(rows, src.Body)
	for _, row := range rows {
		if board != "" && row.Body == board {
			ours++
		}
	}
	return len(rows), ours, others, nil
}
