package realtimeapi

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
	"github.com/townline/townline/services/transit-api/internal/annotation"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Protobuf is the content type that most agencies use for GTFS-Realtime messages.
const Protobuf = "application/x-protobuf"

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

type republished struct {
	*live.View
	annotations []annotation.Message
	changed     time.Time // last change of the annotations
}

func (a *API) republishSource(kind string) rest.Source[static.FeedParams, *republished] {
	return rest.Source[static.FeedParams, *republished]{Now: func(
		ctx context.Context, _ *rest.Call, p static.FeedParams,
	) (*republished, rest.Generation, error) {
		alias := p.FeedAlias
		v, err := a.Live.Read(ctx, alias, kind)
		if err != nil {
			return nil, rest.Generation{}, err
		}
		r, gens := &republished{View: v}, []rest.Generation{v.Generation}
		if kind == conf.Alerts {
			annotations := a.Annotations.At(a.Now())
			if annotations == nil {
				return nil, rest.Generation{}, live.ErrNotRead
			}
			f := a.Static.Feeds.Feed(alias)
			r.annotations, r.changed = annotations.Messages(alias,
				func(entityType, id string) bool { return hasEntity(f, entityType, id) })
			gens = append(gens, annotations.Generation, rest.Generation{N: r.changed.Unix(), Time: r.changed})
			if f != nil {
				gens = append(gens, rest.Generation{N: f.Generation.N})
			}
		}
		return r, rest.Join(gens...), nil
	}}
}

func hasEntity(f *edition.Feed, entityType, id string) bool {
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
	own := make([]*rt.FeedEntity, len(v.annotations))
	for i := range v.annotations {
		own[i] = alertOf(&v.annotations[i])
	}
	changed := int64(0)
	if !v.changed.IsZero() {
		changed = v.changed.Unix()
	}
	b, err := realtime.Republish(kind, sources, own, changed, func(bytes int) error { return c.Take(ctx, bytes) })
	if err != nil {
		return rest.File{}, err
	}
	sum := sha256.Sum256(b) // most polls return the same entities, which readers already have
	return rest.File{Body: b, Name: name, Tag: hex.EncodeToString(sum[:12])}, nil
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
