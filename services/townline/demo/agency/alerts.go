package agency

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// standing has the permanent alerts: a closed stop on the Harbor Loop, a moved stop on the coast
// line, and a broken lift.
//
//go:embed alerts.json
var standing []byte

// closed is the stop of the Harbor Loop that is closed.
const closed = "1002"

// Alerts returns the alerts at an instant, in English and Spanish: the permanent alerts, holidays
// within ten days, and cancelled trips.
func (a *Agency) Alerts(at time.Time) *gtfs.FeedMessage {
	m := proto.CloneOf(a.standing)
	m.Header.Timestamp = epoch(at)
	add := func(id string, alert *gtfs.Alert) {
		m.Entity = append(m.Entity, &gtfs.FeedEntity{Id: proto.String(id), Alert: alert})
	}
	local := at.In(a.zone)
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, a.zone)
	for days := range 10 {
		day := today.AddDate(0, 0, days)
		feast := a.holidays[day8(day)]
		if feast == "" {
			continue
		}
		add("holiday-"+day8(day), &gtfs.Alert{
			ActivePeriod:   []*gtfs.TimeRange{{Start: epoch(today), End: epoch(day.AddDate(0, 0, 1))}},
			InformedEntity: []*gtfs.EntitySelector{{AgencyId: proto.String("ABT")}},
			Cause:          gtfs.Alert_HOLIDAY.Enum(),
			Effect:         gtfs.Alert_MODIFIED_SERVICE.Enum(),
			HeaderText:     translated("Weekend service on "+feast, "Servicio de fin de semana el "+day8(day)),
			DescriptionText: translated("Buses run on the weekend timetable on "+day.Format("Monday, January 2")+".",
				"Los autobuses circulan con horario de fin de semana."),
		})
	}
	for _, j := range a.journeys(at) {
		if j.cancelled {
			add("cancelled-"+j.date+"-"+j.id, &gtfs.Alert{
				InformedEntity: []*gtfs.EntitySelector{{Trip: &gtfs.TripDescriptor{TripId: proto.String(j.id),
					StartDate: proto.String(j.date)}}},
				Cause:  gtfs.Alert_TECHNICAL_PROBLEM.Enum(),
				Effect: gtfs.Alert_NO_SERVICE.Enum(),
				HeaderText: translated(fmt.Sprintf("Route %s trip to %s cancelled", j.route, j.headsign),
					fmt.Sprintf("Viaje de la ruta %s a %s cancelado", j.route, j.headsign)),
			})
		}
	}
	return m
}

// translated returns a text in the agency's two languages.
func translated(en, es string) *gtfs.TranslatedString {
	return &gtfs.TranslatedString{Translation: []*gtfs.TranslatedString_Translation{
		{Text: proto.String(en), Language: proto.String("en")},
		{Text: proto.String(es), Language: proto.String("es")},
	}}
}
