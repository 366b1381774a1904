package board

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5/pgtype"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/assign"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// FuzzPredicted checks for any update that the predicted calls are those of the journey, each once
// and in order.
func FuzzPredicted(f *testing.F) {
	type event = rt.TripUpdate_StopTimeEvent
	const noon = 1_772_643_600
	run := &edition.Run{Pattern: &edition.Pattern{StopSequence: []int32{1, 3, 9, 20}, StopID: []*string{proto.String("a"),
		proto.String("b"), nil, proto.String("a")}},
		Profile: &edition.Profile{Departures: []pgtype.Int4{{Int32: 0, Valid: true}, {}, {Int32: 200, Valid: true},
			{Int32: 300, Valid: true}}}, Expected: []int32{-10, 100, 190, 300}}
	e := edition.New([]edition.Stop{{StopID: "a", StopCode: proto.String("7")}, {StopID: "b"}, {StopID: "c"}}, nil)
	for _, calls := range [][]*rt.TripUpdate_StopTimeUpdate{
		{{StopSequence: proto.Uint32(3), Arrival: &event{Delay: proto.Int32(60)}, Departure: &event{Delay: proto.Int32(90)}}},
		{{StopId: proto.String("7"), Departure: &event{Time: proto.Int64(noon)}},
			{StopId: proto.String("b"), Arrival: &event{Time: proto.Int64(noon)}}},
		{{StopSequence: proto.Uint32(9), StopId: proto.String("c"),
			ScheduleRelationship: rt.TripUpdate_StopTimeUpdate_NO_DATA.Enum()},
			{StopId: proto.String("a"), ScheduleRelationship: rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum()}},
	} {
		body, err := proto.Marshal(&rt.TripUpdate{Trip: &rt.TripDescriptor{TripId: proto.String("t")}, StopTimeUpdate: calls,
			Delay: proto.Int32(5)})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		u := gtfsrt.TripUpdate{Entity: gtfsrt.Entity{Body: body}}
		if (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(body, &rt.TripUpdate{}) != nil {
			return
		}
		prediction := u.Prediction(nil)
		j := &journey{trip: &edition.Trip{TripID: "t"}, id: "t", day: edition.DayOf(20516, time.UTC), start: 43200, run: run}
		table := timetableOf(run, e)
		_, matched := table.Find(prediction.Calls, []int64{j.begins()}, true, noon, nil)
		last := -1
		for _, c := range table.Predict(&prediction, matched, j.begins(), noon, nil) {
			if c.Index <= last || c.Index >= len(run.StopID) || c.Origin == assign.Scheduled &&
				(c.Arrival != j.scheduled(c.Index).Arrival || c.Delay != 0) {
				t.Fatalf("%+v after call %d", c, last)
			}
			last = c.Index
		}
		if all := unscheduledCalls(prediction.Calls, nil); len(all) > len(prediction.Calls) {
			t.Fatalf("%d calls of %d", len(all), len(prediction.Calls))
		}
	})
}

// A board without updates has each scheduled call at the place within its time once, soonest first.
func TestBoardsOfTheTimetable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const begin, end = 1_772_600_000, 1_772_607_200
		names := []string{"a", "b", "c"}
		p := &Place{Alias: "x", Edition: edition.New(nil, nil), Zone: time.UTC, Names: []string{"a"},
			Runs: map[edition.RunKey]*edition.Run{}}
		type line struct {
			at, call int64
			trip     string
		}
		var want []line
		for n := range rapid.IntRange(0, 5).Draw(t, "trips") {
			pattern := &edition.Pattern{}
			profile := &edition.Profile{}
			at := int32(0)
			for range rapid.IntRange(1, 5).Draw(t, "calls") {
				pattern.StopID = append(pattern.StopID, &names[rapid.IntRange(0, 2).Draw(t, "stop")])
				profile.Departures = append(profile.Departures, pgtype.Int4{Int32: at, Valid: true})
				at += int32(rapid.IntRange(0, 3000).Draw(t, "ride"))
			}
			trip := &edition.Trip{TripID: fmt.Sprint(n), Pattern: int32(n), Profile: int32(n),
				Start:    int32(rapid.IntRange(0, 90_000).Draw(t, "start")),
				RouteRef: edition.RouteRef{Route: &edition.Route{RouteID: "r"}}}
			p.Runs[trip.RunKey()] = edition.NewRun(pattern, profile)
			v := edition.Visit{Trip: trip, Day: edition.DayOf(20515+rapid.IntRange(0, 2).Draw(t, "day"), time.UTC)}
			departures := []int32{trip.Start}
			if rapid.Bool().Draw(t, "repeated") {
				v.Window = &edition.Window{TripID: trip.TripID, Start: trip.Start, End: trip.Start +
					int32(rapid.IntRange(0, 7200).Draw(t, "window")), Headway: int32(rapid.IntRange(0, 2000).Draw(t, "headway"))}
				departures = nil
				for at := int64(v.Window.Start); at < int64(v.Window.End); at += v.Window.Every() {
					departures = append(departures, int32(at))
				}
			}
			p.Visits = append(p.Visits, v)
			for _, start := range departures {
				for i, stop := range pattern.StopID {
					if at := v.Day.Start + int64(start) + int64(profile.Departures[i].Int32); *stop == "a" && at >= begin &&
						at <= end {
						want = append(want, line{at, int64(i), trip.TripID})
					}
				}
			}
		}
		b := New(time.Unix(begin, 0), time.Unix(end, 0), MaxLines, func(*Departure) bool { return true })
		if err := b.Add(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(want, func(x, y line) int {
			return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.trip, y.trip), cmp.Compare(x.call, y.call))
		})
		rows, whole := b.Departures()
		if whole == (len(want) > MaxLines) {
			t.Fatalf("complete = %v with %d lines", whole, len(want))
		}
		want = want[:min(len(want), MaxLines)]
		if len(rows) != len(want) {
			t.Fatalf("%d lines, want %d", len(rows), len(want))
		}
		for i, row := range rows {
			if got := (line{row.PredictedArrivalEpoch, int64(row.sequence), row.TripID}); got != want[i] ||
				row.Origin != scheduled || *row.Delay != 0 {
				t.Fatalf("line %d is %+v, want %+v", i, got, want[i])
			}
		}
	})
}

// Add stops when the context of its request ends.
func TestBoardsEndWithTheirRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := &edition.Visit{Trip: &edition.Trip{TripID: "t", RouteRef: edition.RouteRef{Route: &edition.Route{}}},
		Window: &edition.Window{End: math.MaxInt32,
			Headway: 1}}
	run := edition.NewRun(&edition.Pattern{StopID: make([]*string, 1)},
		&edition.Profile{Departures: []pgtype.Int4{{Valid: true}}})
	l := &merger{Board: New(time.Unix(0, 0), time.Unix(math.MaxInt32, 0), MaxLines, func(*Departure) bool {
		return true
	}), Place: &Place{}}
	if l.addVisit(ctx, v, run, []int{0}) == nil {
		t.Error("a loop over a billion departures was not cancelled")
	}
}

// For a trip that departs every second, a board computes only the departures within its time, and
// none if the trip does not match.
func TestBoardsSkipDeparturesElsewhere(t *testing.T) {
	t.Parallel()
	const now, hour = 100_000, 3600
	gone, cancel := context.WithCancel(t.Context())
	cancel() // so a call that takes too many steps fails
	v := &edition.Visit{Trip: &edition.Trip{TripID: "t", RouteRef: edition.RouteRef{Route: &edition.Route{RouteID: "r"}}},
		Day:    edition.DayOf(0, time.UTC),
		Window: &edition.Window{End: math.MaxInt32, Headway: 1}}
	at := func(seconds int32) pgtype.Int4 { return pgtype.Int4{Int32: seconds, Valid: true} }
	run := edition.NewRun(&edition.Pattern{StopID: []*string{proto.String("a"), proto.String("b"), proto.String("c")},
		StopSequence: []int32{1, 2, 3}},
		&edition.Profile{Departures: []pgtype.Int4{at(0), at(5 * hour), at(10 * hour)}})
	place := &merger{Board: New(time.Unix(now, 0), time.Unix(now, 0).Add(time.Hour), MaxLines, func(*Departure) bool {
		return true
	}),
		Place: &Place{Edition: edition.New(nil, nil)}, stops: map[string]bool{"a": true, "b": true}}
	if err := place.addVisit(gone, v, run, []int{0, 1}); err != nil {
		t.Errorf("two stops: %v", err)
	}
	for call, stop := range []string{"a", "b", "c"} {
		for _, wanted := range []bool{true, false} {
			minutes := time.Hour
			if !wanted {
				minutes = 24 * time.Hour
			}
			b := New(time.Unix(now, 0), time.Unix(now, 0).Add(minutes), MaxLines, func(*Departure) bool { return wanted })
			l := &merger{Board: b, Place: &Place{Edition: edition.New(nil, nil)}, stops: map[string]bool{stop: true}}
			if err := l.addVisit(gone, v, run, []int{call}); err != nil {
				t.Errorf("stop %s, wanted %v: %v", stop, wanted, err)
			}
			rows, _ := b.Departures()
			if got, want := len(rows), map[bool]int{true: hour + 1}[wanted]; got != want {
				t.Errorf("stop %s, wanted %v: %d departures, want %d", stop, wanted, got, want)
			}
		}
	}
}
