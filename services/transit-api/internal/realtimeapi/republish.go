package realtimeapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/annotation"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/wire"
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
		return rest.From(rest.Spec{ID: id, Path: "/rt/feeds/{feed_alias}/" + name, Summary: summary, Doc: republishDoc +
			more,
			Kind: rest.Realtime, Tag: tagRealtime, NotFound: notFound, Media: Protobuf}, a.republishSource(kind),
			func(ctx context.Context, c *rest.Call, _ wire.FeedParams, v *republished) (rest.File, error) {
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

func (a *API) republishSource(kind string) rest.Source[wire.FeedParams, *republished] {
	return rest.Source[wire.FeedParams, *republished]{Now: func(
		ctx context.Context, _ *rest.Call, p wire.FeedParams,
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
			f := a.Feeds.Feed(alias)
			r.annotations, r.changed = messages(annotations, f)
			gens = append(gens, annotations.Generation, rest.Generation{N: r.changed.Unix(), Time: r.changed})
			if f != nil {
				gens = append(gens, rest.Generation{N: f.Generation.N})
			}
		}
		return r, rest.Join(gens...), nil
	}}
}

func republish(ctx context.Context, c *rest.Call, v *republished, kind, name string) (rest.File, error) {
	sources := make([]*realtime.Snapshot, len(v.Sources))
	for i, s := range v.Sources {
		sources[i] = s.Snapshot
	}
	own := alertsOf(v.annotations)
	changed := int64(0)
	if !v.changed.IsZero() {
		changed = v.changed.Unix()
	}
	b, err := realtime.Republish(kind, sources, own, changed, func(bytes int) error { return c.Reserve(ctx, bytes) })
	if err != nil {
		return rest.File{}, err
	}
	sum := sha256.Sum256(b) // most polls return the same entities, which readers already have
	return rest.File{Body: b, Name: name, Tag: hex.EncodeToString(sum[:12])}, nil
}
