package transitapi

import (
	"fmt"
	"strings"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// unknown sets the fields of a message that the bindings lack: numbers and texts by field number.
func unknown(m proto.Message, fields map[protowire.Number]any) {
	var b []byte
	for num, value := range fields {
		switch value := value.(type) {
		case int64:
			b = protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(value))
		case string:
			b = protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), value)
		case []byte:
			b = protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), value)
		}
	}
	m.ProtoReflect().SetUnknown(b)
}

// A trip goes to its headsign: that of the update, of the timetable, or the name of its last stop.
// A NEW trip keeps its name and has the times that the update plans.
func TestDestinations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 05:55:00")
	w.clockAt(now)
	extra := func(trip string, relationship int64, minutes ...int) *rt.FeedEntity {
		u := updateOf(trip)
		u.TripUpdate.Trip.RouteId = proto.String("R/1")
		unknown(u.TripUpdate.Trip, map[protowire.Number]any{4: relationship})
		for i, stop := range []string{"100", "C"} {
			at := now.Unix() + int64(minutes[i])*60
			s := &rt.TripUpdate_StopTimeUpdate{StopId: &stop,
				Departure: &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(at)}}
			if relationship == 8 {
				unknown(s.Departure, map[protowire.Number]any{4: at - 60})
			}
			u.TripUpdate.StopTimeUpdate = append(u.TripUpdate.StopTimeUpdate, s)
		}
		return u
	}
	added, created := extra("added", 1, 1, 8), extra("new", 8, 2, 9)
	created.TripUpdate.TripProperties = &rt.TripUpdate_TripProperties{}
	unknown(created.TripUpdate.TripProperties, map[protowire.Number]any{5: "Harbour"})
	again := extra("early", 6, 3, 11) // without properties, as Sound Transit sends it
	again.TripUpdate.Trip.StartDate, again.TripUpdate.Trip.StartTime = proto.String("20260304"), proto.String("05:58:00")
	renamed := updateOf("every")
	renamed.TripUpdate.Trip.StartDate, renamed.TripUpdate.Trip.StartTime = proto.String("20260304"),
		proto.String("06:00:00")
	renamed.TripUpdate.TripProperties = &rt.TripUpdate_TripProperties{}
	unknown(renamed.TripUpdate.TripProperties, map[protowire.Number]any{5: "Short loop"})
	w.sent(t, "trip_updates", now, added, created, again, renamed)
	var got []string
	for _, d := range w.departures(t, "stop_id=metro:100&minutes=11").Data.Departures {
		to, delay := "-", "-"
		if d.Headsign != nil {
			to = *d.Headsign
		}
		if d.Delay != nil {
			delay = fmt.Sprint(*d.Delay)
		}
		if d.ScheduledDepartureEpoch != nil {
			delay += fmt.Sprintf(" of +%d", (*d.ScheduledDepartureEpoch-now.Unix())/60)
		}
		got = append(got, fmt.Sprintf("+%d %s %s to %s, delay %s", (d.PredictedDepartureEpoch-now.Unix())/60, d.TripID,
			d.ScheduleRelationship, to, delay))
	}
	want := []string{"+1 added ADDED to Cedar, delay -", "+2 new NEW to Harbour, delay 60 of +1",
		"+3 early ADDED to Harbor, delay 0 of +3", "+5 every SCHEDULED to Short loop, delay -",
		"+5 l1 SCHEDULED to Alder, delay 0 of +5", "+10 early SCHEDULED to Harbor, delay 0 of +10"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	page := w.page(t, "/f/metro/stops/100?minutes=11").Body.String()
	for _, text := range []string{">Cedar<", ">Harbour<", ">Short loop<", ">Alder<", "extra trip", "1 min late"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page of the stop lacks %q", text)
		}
	}
	// Without a headsign, the name of the last stop is translated as a stop's name.
	w.exec(t, `INSERT INTO transit.translation (version_id, ord, table_name, field_name, language, translation, record_id)
		VALUES (2, 900, 'stops', 'stop_name', 'fr', 'Aulne', '100')`)
	w.reimport(t, "SELECT")
	w.refresh(t)
	if page := w.page(t, "/f/metro/stops/E?lang=fr&minutes=60").Body.String(); !strings.Contains(page, ">Aulne<") {
		t.Errorf("the last stop is not translated: %s", page)
	}
}
