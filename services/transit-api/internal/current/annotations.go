package current

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type annotationParams struct {
	EntityType string `path:"entity_type" enum:"stops,routes,trips,agency" doc:"The type of the entity."`
	EntityID   string `path:"entity_id" doc:"The id in the static feed."`
	static.FeedChoice
}

func (a *API) annotationEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "display.annotations", Path: "/display/annotations/{entity_type}/{entity_id}", Summary: "Annotations of an entity that are active now",
			Doc:  "An annotation can be limited to a period and to hours of the week. Cache-Control never lets a cache keep an answer past the next change.",
			Kind: rest.Realtime, Source: a.annotationSource(), Tag: tagDisplay, NotFound: "unknown feed or entity type"}, a.listAnnotations),
	}
}

func (a *API) annotationSource() *rest.Source {
	return a.changing(func(_ context.Context, c *rest.Call) (rest.Generation, error) {
		state := a.Notices.At(a.Now())
		if state == nil {
			return rest.Generation{}, live.ErrNotRead
		}
		if alias := c.Param("feed"); alias != "" && a.Static.Feeds.Feed(alias) == nil {
			return rest.Generation{}, rest.NotFound("unknown feed")
		}
		return state.Generation, nil
	})
}

func (a *API) listAnnotations(_ context.Context, c *rest.Call, p annotationParams) (wire.Envelope[[]notice.Annotation], error) {
	return wire.Whole(c, c.Generation().Ref.(*notice.State).About(p.EntityType, p.EntityID, p.Feed), nil, nil), nil
}
