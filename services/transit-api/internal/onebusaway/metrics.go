package onebusaway

import (
	"context"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

// Metrics say how well the realtime data fits the timetable, by agency.
type Metrics struct {
	Agencies        int                 `json:"agenciesWithCoverageCount"`
	AgencyIDs       []string            `json:"agencyIDs"`
	Records         map[string]int      `json:"realtimeRecordsTotal"`
	TripsMatched    map[string]int      `json:"realtimeTripCountsMatched"`
	TripsUnmatched  map[string]int      `json:"realtimeTripCountsUnmatched"`
	TripIDs         map[string][]string `json:"realtimeTripIDsUnmatched"`
	ScheduledTrips  map[string]int      `json:"scheduledTripsCount"` // of today
	StopsMatched    map[string]int      `json:"stopIDsMatchedCount"`
	StopIDs         map[string][]string `json:"stopIDsUnmatched"`
	StopsUnmatched  map[string]int      `json:"stopIDsUnmatchedCount"`
	SinceLastUpdate map[string]int64    `json:"timeSinceLastRealtimeUpdate"` // in seconds; -1 if there was none
}

// maxUnmatched bounds the ids of an agency in Metrics.
const maxUnmatched = 1000

func metrics(ctx context.Context, x *answer, _ feedTimeParams) (Metrics, error) {
	m := Metrics{AgencyIDs: []string{}, Records: map[string]int{}, TripsMatched: map[string]int{},
		TripsUnmatched: map[string]int{}, TripIDs: map[string][]string{}, ScheduledTrips: map[string]int{},
		StopsMatched: map[string]int{}, StopIDs: map[string][]string{}, StopsUnmatched: map[string]int{},
		SinceLastUpdate: map[string]int64{}}
	d := x.live.Feeds[0]
	matches := d.MatchesByAgency(x.main)
	since := int64(-1)
	if at := d.LastMessage(); at != 0 {
		since = max(0, x.live.Now.Unix()-at)
	}
	today := edition.DayNumber(x.live.Now, x.Zone)
	scheduled := map[string]int{}
	for _, r := range x.Routes() {
		for _, t := range x.TripsOf(r.Trips()) {
			if t.Service.Runs(today) {
				scheduled[r.AgencyID]++
			}
		}
		if err := ctx.Err(); err != nil {
			return m, err
		}
	}
	for _, g := range agencies(x.Feed) {
		id := x.agencyID(g.AgencyID)
		of := matches[g.AgencyID]
		if of == nil {
			of = &realtimeapi.Matches{}
		}
		m.AgencyIDs = append(m.AgencyIDs, id)
		m.Records[id], m.ScheduledTrips[id] = of.Records, scheduled[g.AgencyID]
		m.TripsMatched[id], m.TripsUnmatched[id] = len(of.Trips), len(of.UnknownTrips)
		m.StopsMatched[id], m.StopsUnmatched[id] = len(of.Stops), len(of.UnknownStops)
		m.TripIDs[id] = realtimeapi.Some(of.UnknownTrips, maxUnmatched)
		m.StopIDs[id] = realtimeapi.Some(of.UnknownStops, maxUnmatched)
		m.SinceLastUpdate[id] = since
		if only := x.api.Agencies[x.Alias]; only != nil && !slices.Contains(only, g.AgencyID) {
			m.SinceLastUpdate[id] = -1
		}
	}
	m.Agencies = len(m.AgencyIDs)
	return m, nil
}
