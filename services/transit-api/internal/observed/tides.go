package observed

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type tidesParams struct {
	wire.FeedParams
	Date rest.Date `path:"date" doc:"Service day." example:"2026-11-27"`
}

// Alias implements [edition.OfFeed].
func (p tidesParams) Alias() string { return p.FeedParams.Alias() }

type dayArgs struct {
	Alias string
	Day   rest.Date
}

var dayRows = rest.SQL[dayArgs, visitRow](`
	SELECT ` + visitColumns + `
	FROM transit.stop_visit
	WHERE alias = @alias AND service_date = @day
	ORDER BY trip_id, start_time, stop_sequence`)

// tidesSpec is the address of the schemas of TIDES 1.0, pinned to a commit.
const tidesSpec = "https://raw.githubusercontent.com/TIDES-transit/TIDES/67bca7c580f1b3658dc2488f5081fa39563cd58a/spec/"

// rowBytes estimates the memory of a row in the files.
const rowBytes = 200

func (a *API) tides(ctx context.Context, c *rest.Call, p tidesParams, v *View) (rest.File, error) {
	if err := checkDay(ctx, c, v, p.Date); err != nil {
		return rest.File{}, err
	}
	w := &tidesWriter{feed: v.Feed, day: p.Date, begin: start(p.Date, v.Feed.Zone)}
	w.row(&w.visits, "service_date", "trip_id_performed", "trip_stop_sequence", "scheduled_stop_sequence",
		"vehicle_id", "dwell", "stop_id", "timepoint", "schedule_arrival_time", "schedule_departure_time",
		"actual_arrival_time", "actual_departure_time", "schedule_relationship")
	w.row(&w.trips, "service_date", "trip_id_performed", "vehicle_id", "trip_id_scheduled", "route_id",
		"route_type", "direction_id", "trip_start_stop_id", "trip_end_stop_id", "schedule_trip_start", "schedule_trip_end",
		"actual_trip_start", "actual_trip_end", "trip_type", "schedule_relationship")
	var trip []visitRow
	err := dayRows.Each(ctx, c, dayArgs{v.Feed.Alias, p.Date}, func(row visitRow) error {
		if len(trip) > 0 && (trip[0].TripID != row.TripID || trip[0].StartTime != row.StartTime) {
			w.trip(trip)
			trip = trip[:0]
		}
		trip = append(trip, row)
		return c.Reserve(ctx, rowBytes)
	})
	if err != nil {
		return rest.File{}, fmt.Errorf("read the visits of %s: %w", p.Date, err)
	}
	if len(trip) > 0 {
		w.trip(trip)
	}
	body, err := w.zip()
	name := fmt.Sprintf("%s.tides.%s.zip", p.FeedAlias, p.Date)
	return rest.File{Body: body, Name: name, Attachment: true}, err
}

type tidesWriter struct {
	feed          *edition.Feed
	day           rest.Date
	begin         int64
	visits, trips bytes.Buffer
	err           error
}

func (w *tidesWriter) row(b *bytes.Buffer, cells ...string) {
	c := csv.NewWriter(b)
	w.err = errors.Join(w.err, c.Write(cells))
	c.Flush()
}

// trip adds the rows of a run. A stop that was not seen is Missing if there were messages; without
// messages it has no row.
func (w *tidesWriter) trip(rows []visitRow) {
	performed := rows[0].TripID
	if at := rows[0].StartTime; at >= 0 {
		performed += fmt.Sprintf("_%02d%02d%02d", at/3600, at/60%60, at%60)
	}
	vehicle, n := "", 0
	for i := range rows {
		r := &rows[i]
		if r.Seen == "n" {
			continue
		}
		n++
		if vehicle == "" {
			vehicle = r.VehicleID
		}
		sequence := ""
		if r.Kind == "s" {
			sequence = strconv.Itoa(int(r.StopSequence))
		}
		dwell := ""
		if r.Arrival != nil && r.Departure != nil && *r.Departure >= *r.Arrival {
			dwell = strconv.Itoa(int(*r.Departure - *r.Arrival))
		}
		w.row(&w.visits, w.day.String(), performed, strconv.Itoa(n), sequence, r.VehicleID, dwell,
			r.StopID, strconv.FormatBool(r.Timepoint), w.time(r.ScheduledArrival), w.time(r.ScheduledDeparture),
			w.time(r.Arrival), w.time(r.Departure), r.relationship())
	}
	if vehicle != "" {
		w.performed(rows, performed, vehicle)
	}
}

func (r *visitRow) relationship() string {
	switch {
	case r.Seen == "k":
		return "Skipped"
	case r.Seen == "u" || r.Seen == "c":
		return "Missing"
	case r.Kind == "s":
		return "Scheduled"
	}
	return "Added"
}

// performed adds the row of a run with a vehicle.
func (w *tidesWriter) performed(rows []visitRow, performed, vehicle string) {
	first, last := &rows[0], &rows[len(rows)-1]
	scheduled := ""
	if first.Kind == "s" {
		scheduled = first.TripID
	}
	kind := map[string]string{"s": "Scheduled", "a": "Added", "x": "Unscheduled"}[first.Kind]
	routeType := ""
	if route := w.feed.Route(first.RouteID); route != nil {
		routeType = routeTypeName(route.RouteType)
	}
	// A trip that is still under way has no row yet for its other end.
	var begin, end, started, ended *int32
	from, to := "", ""
	if first.Place == "f" || first.Kind != "s" {
		from, begin = first.StopID, cmp.Or(first.ScheduledDeparture, first.ScheduledArrival)
	}
	if last.Place == "l" || last.Kind != "s" {
		to, end = last.StopID, cmp.Or(last.ScheduledArrival, last.ScheduledDeparture)
	}
	if first.Place == "f" {
		started = first.Departure
	}
	if last.Place == "l" {
		ended = last.Arrival
	}
	w.row(&w.trips, w.day.String(), performed, vehicle, scheduled, first.RouteID, routeType,
		first.DirectionID, from, to, w.time(begin), w.time(end), w.time(started), w.time(ended),
		"In service",
		kind)
}

func (w *tidesWriter) time(second *int32) string {
	return wire.Text(clock(w.begin, second, w.feed.Zone))
}

type tidesPackage struct {
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Agency    string          `json:"agency"`
	Profile   string          `json:"profile"`
	Resources []tidesResource `json:"resources"`
}

type tidesResource struct {
	Name    string        `json:"name"`
	Path    string        `json:"path"`
	Profile string        `json:"profile"`
	Schema  string        `json:"schema"`
	Sources []tidesSource `json:"sources"`
}

type tidesSource struct {
	Title     string `json:"title"`
	Component string `json:"component"`
	Product   string `json:"product"`
}

func (w *tidesWriter) zip() ([]byte, error) {
	about := tidesPackage{Name: "what-really-ran", Title: w.feed.Name + " " + w.day.String(), Agency: w.feed.Name,
		Profile: tidesSpec + "tides-datapackage-profile.json"}
	for _, table := range []string{"stop_visits", "trips_performed"} {
		about.Resources = append(about.Resources, tidesResource{Name: table, Path: table + ".csv",
			Profile: "tabular-data-resource", Schema: tidesSpec + table + ".schema.json",
			Sources: []tidesSource{{Title: "GTFS-Realtime of " + w.feed.Name, Component: "GTFS-Realtime", Product: "Townline"}}})
	}
	if w.err != nil {
		return nil, fmt.Errorf("write the rows: %w", w.err)
	}
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode datapackage.json: %w", err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range []struct {
		name string
		body []byte
	}{{"datapackage.json", text}, {"stop_visits.csv", w.visits.Bytes()}, {"trips_performed.csv", w.trips.Bytes()}} {
		part, err := z.CreateHeader(&zip.FileHeader{Name: file.name, Method: zip.Deflate,
			Modified: time.Date(w.day.Year(), w.day.Month(), w.day.Day(), 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = part.Write(file.body)
		}
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", file.name, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("write the zip: %w", err)
	}
	return b.Bytes(), nil
}
