package visit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// The numbers of meetings, and which portal looks after which of them. The first IQM2 portal's ids are the numbers. Any other meeting gets one
// for good when it is listed first. A council that moves has one stream of meetings: what two portals list for the same time, or alone for the
// same day, is one meeting with one number, and the portal looks after it that had it first, until it is configured for that day no more.

// A listed is a meeting of the portal's list under its number.
type listed struct {
	portal.Meeting
	id int64 // 0 in a dry run for what has none yet
}

// numbered gives the meetings of a list their numbers; those of other boards and days that have none stay out.
func (v *visitor) numbered(ctx context.Context, rows []portal.Meeting) ([]listed, error) {
	out := make([]listed, 0, len(rows))
	if v.src.Plain {
		for _, m := range rows {
			if id, err := strconv.ParseInt(m.ID, 10, 64); err == nil && id > 0 {
				out = append(out, listed{m, id})
			}
		}
		return out, nil
	}
	have, err := archive.Numbers(ctx, v.Deps.DB, v.src.Name)
	if err != nil {
		return nil, desk.Unstored(err)
	}
	onDay := map[string]int{}
	for _, m := range rows {
		if strings.EqualFold(m.Body, v.board) {
			onDay[m.Starts.Format(time.DateOnly)]++
		}
	}
	_, err = v.Write(ctx, func(tx pgx.Tx) (bool, error) {
		for _, m := range rows {
			id, known := have[m.ID]
			ours := (m.Body == "" || strings.EqualFold(m.Body, v.board)) && v.within(m.Starts) && !m.Starts.IsZero()
			if !known && !ours || m.ID == "" {
				continue
			}
			if !known {
				key, alone := portal.Key{Source: v.src.Name, ID: m.ID}, onDay[m.Starts.Format(time.DateOnly)] == 1
				id, err = archive.Number(ctx, tx, key, m.Starts, alone, v.bodies())
				if err != nil {
					return false, err
				}
			}
			out = append(out, listed{m, id})
		}
		return false, nil
	})
	if err != nil {
		return nil, desk.Unstored(fmt.Errorf("ingest: %w", err))
	}
	return out, nil
}

// bodies are the names that the council has at its portals, in small letters.
func (v *visitor) bodies() []string {
	names := []string{strings.ToLower(v.board)}
	for _, s := range v.all {
		names = append(names, strings.ToLower(s.Body))
	}
	return names
}

// elsewhere reports whether another portal looks after a stored meeting: one that is configured for its day.
func (v *visitor) elsewhere(k *known) bool {
	return slices.ContainsFunc(v.all, func(s settings.Source) bool {
		return s.Name == k.Source && s.Name != v.src.Name && s.Covers(k.StartsAt)
	})
}
