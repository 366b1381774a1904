package realtimeapi

import (
	"context"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// A Writing says how names are written: in a language, if the feed has it, and in a form, or as they
// are if Form is nil.
type Writing struct {
	Language string
	Form     func(string) string
}

// textsOf returns the translations of feeds, keyed by alias. It omits translations that cannot be
// read, so that the board does not fail.
func textsOf(ctx context.Context, to Writing, feeds ...*edition.Feed) map[string]*edition.Translations {
	all := map[string]*edition.Translations{}
	for _, f := range feeds {
		if f == nil {
			continue
		}
		var texts *edition.Translations
		if to.Language != "" {
			texts, _ = f.Translations(ctx, to.Language) // nil if they cannot be read
		}
		all[f.Alias] = texts.Forming(to.Form)
	}
	return all
}

func (v *DeparturesView) texts(ctx context.Context, to Writing) map[string]*edition.Translations {
	var feeds []*edition.Feed
	for _, d := range v.Feeds {
		feeds = append(feeds, d.Feed)
	}
	return textsOf(ctx, to, feeds...)
}

// Translate writes the names of departures and stops.
func (v *DeparturesView) Translate(
	ctx context.Context, to Writing, departures []board.Departure, stops []board.DepartureStop,
) {
	texts := v.texts(ctx, to)
	for i := range departures {
		texts[departures[i].Feed].Translate(&departures[i])
	}
	for i := range stops {
		texts[stops[i].Feed].Translate(&stops[i])
	}
}

// Translate writes the names at vehicles.
func (v *MappedView) Translate(ctx context.Context, to Writing, vehicles []realtime.Located) {
	for _, t := range textsOf(ctx, to, v.feed) {
		t.Translate(&vehicles)
	}
}
