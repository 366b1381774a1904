package realtimeapi

import (
	"fmt"
	"strconv"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/annotation"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// messages returns the active annotations of a feed, and when they last changed. An annotation of
// an entity that the feed lacks is not public.
func messages(state *annotation.State, f *edition.Feed) ([]annotation.Message, time.Time) {
	if f == nil {
		return nil, time.Time{}
	}
	return state.Messages(f.Alias, func(entityType, id string) bool { return hasEntity(f, entityType, id) })
}

func hasEntity(f *edition.Feed, entityType, id string) bool {
	if f.Edition == nil {
		return false
	}
	switch entityType {
	case "stops":
		return f.Stop(id) != nil
	case "routes":
		return f.Route(id) != nil
	case "trips":
		return f.Trip(id) != nil
	}
	return f.Agency(id) != nil
}

// operatorAlerts returns the annotations of a feed as alerts, so that they reach riders wherever
// alerts of the agency do; nil if there are none.
func operatorAlerts(state *annotation.State, f *edition.Feed) (*realtime.Snapshot, error) {
	all, _ := messages(state, f)
	if len(all) == 0 {
		return nil, nil
	}
	body, err := proto.Marshal(&rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0")},
		Entity: alertsOf(all)})
	if err != nil {
		return nil, fmt.Errorf("encode annotations: %w", err)
	}
	message, err := gtfsrt.Scan(body)
	if err != nil {
		return nil, fmt.Errorf("index annotations: %w", err)
	}
	s := realtime.New(0, message, conf.Alerts, realtime.Identify(message, conf.Alerts, f.Edition, 0), nil)
	s.IsOperator = true
	return s, nil
}

func alertsOf(all []annotation.Message) []*rt.FeedEntity {
	alerts := make([]*rt.FeedEntity, len(all))
	for i := range all {
		alerts[i] = alertOf(&all[i])
	}
	return alerts
}

// alertOf converts an annotation to an alert. The alert has no cause, effect or language.
func alertOf(m *annotation.Message) *rt.FeedEntity {
	alert := &rt.Alert{InformedEntity: []*rt.EntitySelector{{}}, HeaderText: translated(m.Headline()),
		DescriptionText: translated(m.Text)}
	if !m.Start.IsZero() || !m.End.IsZero() {
		alert.ActivePeriod = []*rt.TimeRange{{Start: timestamp(m.Start), End: timestamp(m.End)}}
	}
	addEntity(alert.InformedEntity[0], m.EntityType, m.EntityID)
	if m.SecondaryEntityType != nil {
		addEntity(alert.InformedEntity[0], *m.SecondaryEntityType, *m.SecondaryEntityID)
	}
	return &rt.FeedEntity{Id: proto.String("annotation-" + strconv.Itoa(m.ID)), Alert: alert}
}

func addEntity(s *rt.EntitySelector, entityType, id string) {
	switch entityType {
	case "stops":
		s.StopId = &id
	case "routes":
		s.RouteId = &id
	case "trips":
		s.Trip = &rt.TripDescriptor{TripId: &id}
	case "agency":
		s.AgencyId = &id
	}
}

func translated(plain string) *rt.TranslatedString {
	return &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{{Text: &plain}}}
}

// timestamp returns nil for an open end, and for times before 1970, which the format cannot
// express.
func timestamp(at time.Time) *uint64 {
	if at.Unix() <= 0 {
		return nil
	}
	return proto.Uint64(uint64(at.Unix()))
}
