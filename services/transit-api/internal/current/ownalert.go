package current

import (
	"strconv"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/services/transit-api/internal/notice"
)

// alertOf is an annotation as an alert. It says nothing of cause, effect and language, which an annotation does not know.
func alertOf(m *notice.Message) *rt.FeedEntity {
	headline := m.Headline()
	alert := &rt.Alert{InformedEntity: []*rt.EntitySelector{{}}, HeaderText: text(headline), DescriptionText: text(m.Text)}
	if !m.Start.IsZero() || !m.End.IsZero() {
		alert.ActivePeriod = []*rt.TimeRange{{Start: moment(m.Start), End: moment(m.End)}}
	}
	selects(alert.InformedEntity[0], m.EntityType, m.EntityID)
	if m.SecondaryEntityType != nil {
		selects(alert.InformedEntity[0], *m.SecondaryEntityType, *m.SecondaryEntityID)
	}
	return &rt.FeedEntity{Id: proto.String("annotation-" + strconv.Itoa(m.ID)), Alert: alert}
}

// selects narrows a selector: all that it names must hold.
func selects(s *rt.EntitySelector, entityType, id string) {
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

func text(plain string) *rt.TranslatedString {
	return &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{{Text: &plain}}}
}

// moment is a time of an alert; nil where it is open, and before 1970, where the format has no number for it.
func moment(at time.Time) *uint64 {
	if at.Unix() <= 0 {
		return nil
	}
	return proto.Uint64(uint64(at.Unix()))
}
