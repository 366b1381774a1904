package current

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Protobuf is the content type of GTFS-Realtime messages, as most agencies send them.
const Protobuf = "application/x-protobuf"

// republishDoc is what the documentation says of all messages.
const republishDoc = "One GTFS-Realtime FeedMessage (protobuf) with the entities of all sources of the feed, as the " +
	"agency published them, extensions included. Partners that read it " +
	"need neither the agency's address nor its key. The answer is sent at once from the data at hand; if that is older " +
	"than its source allows, the read also requests a refresh. " +
	"The header's timestamp is the agency's. Entities that lack a required field are left out; before the first poll " +
	"there are none."

func (a *API) republishEndpoints() rest.Table {
	message := func(id, kind, name, summary, more string) rest.Endpoint {
		return rest.BytesFrom(rest.Spec{ID: id, Path: "/rt/feeds/{feed_alias}/" + name, Summary: summary, Doc: republishDoc +
			more,
			Kind: rest.Realtime, Tag: tagRealtime, NotFound: notFound}, Protobuf, a.republishSource(kind),
			func(ctx context.Context, c *rest.Call, _ static.FeedParams, v *republished) (rest.File, error) {
				return republish(ctx, c, v, kind, name)
			})
	}
	return rest.Table{
		message("realtime.feed_trip_updates", conf.TripUpdates, "trip_updates.pb", "Trip updates of a feed as GTFS-Realtime",
			" Trip modifications and their shapes are there too."),
		message("realtime.feed_vehicle_positions", conf.VehiclePositions, "vehicle_positions.pb",
			"Vehicle positions of a feed as GTFS-Realtime", ""),
		message("realtime.feed_alerts", conf.Alerts, "alerts.pb", "Alerts of a feed as GTFS-Realtime",
			" Annotations that are active now and have a text are alerts too, with the id annotation-N: header_text is their "+
				"first line, description_text all of it, without HTML."),
	}
}

// republished is what a message is made of.
type republished struct {
	*live.View
	notices []notice.Message
	changed time.Time // of the notices
}

func (a *API) republishSource(kind string) rest.Source[static.FeedParams, *republished] {
	return rest.Source[static.FeedParams, *republished]{Now: func(ctx context.Context, _ *rest.Call,
		p static.FeedParams) (*republished, rest.Generation, error) {
		alias := p.FeedAlias
		v, err := a.Live.Read(ctx, alias, kind)
		if err != nil {
			return nil, rest.Generation{}, err
		}
		r, gens := &republished{View: v}, []rest.Generation{v.Generation}
		if kind == conf.Alerts {
			notices := a.Notices.At(a.Now())
			if notices == nil {
				return nil, rest.Generation{}, live.ErrNotRead
			}
			f := a.Static.Feeds.Feed(alias)
			r.notices, r.changed = notices.Messages(alias, func(entityType, id string) bool { return knows(f, entityType, id) })
			gens = append(gens, notices.Generation, rest.Generation{N: r.changed.Unix(), Time: r.changed})
			if f != nil {
				gens = append(gens, rest.Generation{N: f.Generation.N})
			}
		}
		return r, rest.Join(gens...), nil
	}}
}

// knows reports whether a feed has an entity; f may be nil.
func knows(f *edition.Feed, entityType, id string) bool {
	if f == nil || f.Edition == nil {
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
	_, agency := f.Agencies[id]
	return agency
}

func republish(ctx context.Context, c *rest.Call, v *republished, kind, name string) (rest.File, error) {
	sources := make([]*realtime.Snapshot, len(v.Sources))
	for i, s := range v.Sources {
		sources[i] = s.Snapshot
	}
	own := make([]*rt.FeedEntity, len(v.notices))
	for i := range v.notices {
		own[i] = alertOf(&v.notices[i])
	}
	changed := int64(0)
	if !v.changed.IsZero() {
		changed = v.changed.Unix()
	}
	b, err := realtime.Republish(kind, sources, own, changed, func(bytes int) error { return c.Take(ctx, bytes) })
	if err != nil {
		return rest.File{}, err
	}
	sum := sha256.Sum256(b) // most polls bring nothing new: readers then have it already
	return rest.File{Body: b, Name: name, Tag: hex.EncodeToString(sum[:12])}, nil
}

// alertOf is an annotation as an alert. It says nothing of cause, effect and language, which an
// annotation does not know.
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

// moment is a time of an alert; nil where it is open, and before 1970, where the format has no
// number for it.
func moment(at time.Time) *uint64 {
	if at.Unix() <= 0 {
		return nil
	}
	return proto.Uint64(uint64(at.Unix()))
}
