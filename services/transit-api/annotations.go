package transitapi

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

const tagDisplay = "Display"

// An Annotation is what the operator has to say about an entity.
type Annotation struct {
	ID                  int     `json:"id"`
	AnnotationType      string  `json:"annotation_type" enum:"comment,override" doc:"comment: a message; override: predictions are those of another entity."`
	EntityType          string  `json:"entity_type" enum:"stops,routes,trips,agency"`
	EntityID            string  `json:"entity_id"`
	SecondaryEntityType *string `json:"secondary_entity_type" doc:"Narrows the annotation, such as to one route at the stop."`
	SecondaryEntityID   *string `json:"secondary_entity_id"`
	Body                string  `json:"body" doc:"Safe HTML."`
	OverrideEntityID    *string `json:"override_entity_id" doc:"The entity that takes the place of this one, of the same type."`
	Active              bool    `json:"active" doc:"Always true: others are not listed."`
}

type annotationParams struct {
	EntityType string `path:"entity_type" enum:"stops,routes,trips,agency" doc:"As the annotation was created."`
	EntityID   string `path:"entity_id" doc:"The id in the static feed."`
	feedChoice
}

func (a *api) displayEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "display.annotations", Path: "/display/annotations/{entity_type}/{entity_id}", Summary: "Annotations of an entity that are active now",
			Doc:  "An annotation may be bound to a span of time and to hours of the week; no cache keeps an answer beyond the moment when another is right.",
			Kind: rest.Realtime, Source: a.notices.source(), Tag: tagDisplay, NotFound: "unknown feed or entity type"}, a.listAnnotations),
	}
}

func (a *api) listAnnotations(_ context.Context, c *rest.Call, p annotationParams) (wire.Envelope[[]Annotation], error) {
	var rows []Annotation
	for _, n := range c.Generation().Ref.(*noticed).active {
		if n.EntityType == p.EntityType && n.EntityID == p.EntityID && n.of(p.Feed) {
			rows = append(rows, n.Annotation)
		}
	}
	return wire.Whole(c, rows, nil, nil), nil
}
