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
		rest.FuncFrom(rest.Spec{ID: "display.annotations", Path: "/display/annotations/{entity_type}/{entity_id}", Summary: "Annotations of an entity that are active now",
			Doc:  "An annotation can be limited to a period and to hours of the week. Cache-Control never lets a cache keep an answer past the next change.",
			Kind: rest.Realtime, Tag: tagDisplay, NotFound: "unknown feed or entity type"}, changing(a, a.findNotices), listAnnotations),
	}
}

func (a *API) findNotices(_ context.Context, _ *rest.Call, p annotationParams) (*notice.State, rest.Generation, error) {
	state := a.Notices.At(a.Now())
	if state == nil {
		return nil, rest.Generation{}, live.ErrNotRead
	}
	if p.Feed != nil && a.Static.Feeds.Feed(*p.Feed) == nil {
		return nil, rest.Generation{}, rest.NotFound("unknown feed")
	}
	return state, state.Generation, nil
}

func listAnnotations(_ context.Context, c *rest.Call, p annotationParams, state *notice.State) (wire.Envelope[[]notice.Annotation], error) {
	return wire.Whole(c, state.About(p.EntityType, p.EntityID, p.Feed), nil, nil), nil
}
