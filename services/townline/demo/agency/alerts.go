package agency

import (
	"fmt"
	"time"

	"github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// site is the agency's web site.
const site = "https://transit.alderbay.example"

// closedStop returns the stop of the Harbor Loop that is closed in the week of at.
func (a *Agency) closedStop(at time.Time) string {
	year, week := at.In(a.zone).ISOWeek()
	sites := []string{"1002", "1005", "1009", "PIER 7/8"}
	return sites[draw("water main", fmt.Sprint(year, week))%uint64(len(sites))]
}

// movedStop returns the stop of the coast line that is moved in the week of at.
func (a *Agency) movedStop(at time.Time) string {
	year, week := at.In(a.zone).ISOWeek()
	sites := []string{"2001", "2003", "2005"}
	return sites[draw("moved", fmt.Sprint(year, week))%uint64(len(sites))]
}

// Alerts returns the alerts at an instant, in English and Spanish: the closed and the moved stop of
// the week, the broken lift, holidays within ten days, and cancelled trips.
func (a *Agency) Alerts(at time.Time) *gtfs.FeedMessage {
	m := message(at)
	add := func(id string, alert *gtfs.Alert) {
		m.Entity = append(m.Entity, &gtfs.FeedEntity{Id: proto.String(id), Alert: alert})
	}
	local := at.In(a.zone)
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, a.zone)
	a.addStanding(at, today, add)
	for days := range 10 {
		day := today.AddDate(0, 0, days)
		feast := holiday(day)
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

func (a *Agency) addStanding(at, today time.Time, add func(id string, alert *gtfs.Alert)) {
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	week := []*gtfs.TimeRange{{Start: epoch(monday), End: epoch(monday.AddDate(0, 0, 7))}}
	closed := a.closedStop(at)
	name := a.stops[closed]
	add("stop-closed", &gtfs.Alert{
		ActivePeriod:   week,
		InformedEntity: []*gtfs.EntitySelector{{StopId: proto.String(closed)}, {RouteId: proto.String("10")}},
		Cause:          gtfs.Alert_CONSTRUCTION.Enum(),
		Effect:         gtfs.Alert_NO_SERVICE.Enum(),
		Url:            translated(site+"/alerts/stop-closed", site+"/es/alerts/stop-closed"),
		HeaderText:     translated(name+" stop closed", "Parada "+name+" cerrada"),
		DescriptionText: translated("Route 10 does not serve "+name+" this week while a water main is replaced.",
			"La ruta 10 no para en "+name+" esta semana por obras de agua."),
	})
	add("lift", &gtfs.Alert{
		InformedEntity:  []*gtfs.EntitySelector{{StopId: proto.String("FT")}, {StopId: proto.String("FT-B")}},
		Cause:           gtfs.Alert_MAINTENANCE.Enum(),
		Effect:          gtfs.Alert_ACCESSIBILITY_ISSUE.Enum(),
		HeaderText:      translated("Elevator to Bay B out of service", "Ascensor al andén B fuera de servicio"),
		DescriptionText: translated("Use the ramp from Harbor Way.", "Use la rampa desde Harbor Way."),
	})
	moved := a.movedStop(at)
	add("stop-moved", &gtfs.Alert{
		ActivePeriod:   week,
		InformedEntity: []*gtfs.EntitySelector{{StopId: proto.String(moved)}},
		Cause:          gtfs.Alert_CONSTRUCTION.Enum(),
		Effect:         gtfs.Alert_STOP_MOVED.Enum(),
		HeaderText:     translated(a.stops[moved]+" stop moved", "Parada "+a.stops[moved]+" trasladada"),
		DescriptionText: translated("Board 80 meters ahead, in front of the pharmacy.",
			"Suba 80 metros más adelante, frente a la farmacia."),
	})
}

// translated returns a text in the agency's two languages.
func translated(en, es string) *gtfs.TranslatedString {
	return &gtfs.TranslatedString{Translation: []*gtfs.TranslatedString_Translation{
		{Text: proto.String(en), Language: proto.String("en")},
		{Text: proto.String(es), Language: proto.String("es")},
	}}
}
