package transitapi

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type annotationParams struct {
	EntityType string `path:"entity_type" enum:"stops,routes,trips,agency" doc:"The type of the entity."`
	EntityID   string `path:"entity_id" doc:"The id in the static feed."`
	feedChoice
}

func (a *api) displayEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "display.annotations", Path: "/display/annotations/{entity_type}/{entity_id}", Summary: "Annotations of an entity that are active now",
			Doc:  "An annotation can be limited to a period and to hours of the week. Cache-Control never lets a cache keep an answer past the next change.",
			Kind: rest.Realtime, Source: a.annotationSource(), Tag: tagDisplay, NotFound: "unknown feed or entity type"}, a.listAnnotations),
	}
}

func (a *api) annotationSource() *rest.Source {
	return a.changing(func(_ context.Context, c *rest.Call) (rest.Generation, error) {
		state := a.notices.At(a.now())
		if state == nil {
			return rest.Generation{}, live.ErrNotRead
		}
		if alias := c.Param("feed"); alias != "" && a.dir.Feed(alias) == nil {
			return rest.Generation{}, rest.NotFound("unknown feed")
		}
		return state.Generation, nil
	})
}

func (a *api) listAnnotations(_ context.Context, c *rest.Call, p annotationParams) (wire.Envelope[[]notice.Annotation], error) {
	return wire.Whole(c, c.Generation().Ref.(*notice.State).About(p.EntityType, p.EntityID, p.Feed), nil, nil), nil
}

// MaxBody is the largest body of an annotation, in bytes.
const MaxBody = notice.MaxBody

// RenderBody renders an annotation's body as safe HTML. The format is "markdown" (GitHub's flavour) or "html".
func RenderBody(format, body string) (string, error) { return notice.RenderBody(format, body) }
