package realtimeapi

import (
	"context"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// textsOf returns the translations of feeds, keyed by alias. It omits translations that cannot be
// read, so that the board does not fail.
func textsOf(ctx context.Context, language string, feeds ...*edition.Feed) map[string]*edition.Translations {
	all := map[string]*edition.Translations{}
	for _, f := range feeds {
		if language == "" || f == nil {
			continue
		}
		if t, err := f.Translations(ctx, language); err == nil && t != nil {
			all[f.Alias] = t
		}
	}
	return all
}

func (v *DeparturesView) texts(ctx context.Context, language string) map[string]*edition.Translations {
	var feeds []*edition.Feed
	for _, d := range v.Feeds {
		feeds = append(feeds, d.Feed)
	}
	return textsOf(ctx, language, feeds...)
}

func (v *DeparturesView) Translate(
	ctx context.Context, language string, departures []board.Departure, stops []board.DepartureStop,
) {
	texts := v.texts(ctx, language)
	for i := range departures {
		texts[departures[i].Feed].Translate(&departures[i])
	}
	for i := range stops {
		texts[stops[i].Feed].Translate(&stops[i])
	}
}

func (v *MappedView) Translate(ctx context.Context, language string, vehicles []realtime.Located) {
	for _, t := range textsOf(ctx, language, v.feed) {
		t.Translate(&vehicles)
	}
}
