package current

import (
	"context"
	"maps"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// Boards and maps in another language of their feeds. What cannot be read now stays as the feed has
// it: a board must not fail for it.

// textsOf returns the translations of feeds, by alias.
func textsOf(ctx context.Context, language string, feeds ...*edition.Feed) map[string]*edition.Texts {
	all := map[string]*edition.Texts{}
	for _, f := range feeds {
		if language == "" || f == nil {
			continue
		}
		if t, err := f.Texts(ctx, language); err == nil && t != nil {
			all[f.Alias] = t
		}
	}
	return all
}

// texts returns the translations of the feeds of a board.
func (v *DeparturesView) texts(ctx context.Context, language string) map[string]*edition.Texts {
	all := map[string]*edition.Texts{}
	for _, d := range v.Feeds {
		maps.Copy(all, textsOf(ctx, language, d.Feed))
	}
	return all
}

// Translate puts departures and stops into a language.
func (v *DeparturesView) Translate(ctx context.Context, language string, departures []board.Departure,
	stops []board.DepartureStop) {
	texts := v.texts(ctx, language)
	for i := range departures {
		departures[i].Translate(texts[departures[i].Feed])
	}
	for i := range stops {
		stops[i].Translate(texts[stops[i].Feed])
	}
}

// Translate puts vehicles on a map into a language.
func (v *MappedView) Translate(ctx context.Context, language string, vehicles []realtime.Located) {
	for _, t := range textsOf(ctx, language, v.feed) {
		for i := range vehicles {
			vehicles[i].Translate(t)
		}
	}
}
