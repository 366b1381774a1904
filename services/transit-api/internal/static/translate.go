package static

import (
	"context"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// This file has the translation of answers by translations.txt. Ids, times and numbers stay
// unchanged. Pages translate separately, because they choose their language differently.

// A translatable has texts of a feed. Endpoints of such a type accept lang= and Accept-Language.
type translatable interface{ Translate(t *edition.Translations) }

func isTranslatable[R any]() bool {
	_, ok := any(new(R)).(translatable)
	return ok
}

// TextsOf returns the translations for an answer about a feed; nil if there are none.
func TextsOf(ctx context.Context, c *rest.Call, f *edition.Feed) (*edition.Translations, error) {
	language := c.Translated()
	if language == "" {
		return nil, nil
	}
	return f.Translations(ctx, language)
}

func translate[R any](ctx context.Context, c *rest.Call, f *edition.Feed, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	if _, ok := any(&rows[0]).(translatable); !ok {
		return nil
	}
	t, err := TextsOf(ctx, c, f)
	if err != nil || t == nil {
		return err
	}
	for i := range rows {
		any(&rows[i]).(translatable).Translate(t)
	}
	return nil
}

// Text returns a cell; "" if it is null.
func Text(cell *string) string {
	if cell == nil {
		return ""
	}
	return *cell
}

func (r *RouteFeature) Translate(t *edition.Translations) { r.Properties.Translate(t) }

// Translate translates the direction and its route.
func (d *Direction) Translate(t *edition.Translations) {
	d.Direction.Translate(t)
	if d.Route != nil {
		d.Route.Translate(t)
	}
}

func (t *Trip) Translate(in *edition.Translations) {
	t.TripHeadsign = in.Cell(edition.TripHeadsign, t.TripID, t.TripHeadsign)
	t.TripShortName = in.Cell("trips.trip_short_name", t.TripID, t.TripShortName)
	t.Label = tripLabel(&t.Trip)
}

func (p *TripFeature) Translate(t *edition.Translations) {
	p.Properties.TripHeadsign = t.Cell(edition.TripHeadsign, p.Properties.TripID, p.Properties.TripHeadsign)
}

// Translate translates the headsign of the call.
func (s *StopTime) Translate(t *edition.Translations) {
	s.StopHeadsign = t.PartCell(edition.StopHeadsign, s.TripID, s.StopSequence, s.StopHeadsign)
}

// Translate translates the names in a timetable.
func (s *Schedule) Translate(t *edition.Translations) {
	for i := range s.Schedule.Stops {
		stop := &s.Schedule.Stops[i]
		if stop.StopName != "" {
			stop.StopName = t.Text(edition.StopName, stop.StopID, stop.StopName)
			stop.Label = stop.StopName
		}
	}
	for i := range s.Schedule.Trips {
		trip := &s.Schedule.Trips[i]
		if trip.Label == trip.TripID && !trip.Headed {
			continue
		}
		field := "trips.trip_short_name"
		if trip.Headed {
			field = edition.TripHeadsign
		}
		trip.Label = t.Text(field, trip.TripID, trip.Label)
	}
}

func (r *RouteDrawing) Translate(t *edition.Translations) {
	for i := range r.Directions {
		side := &r.Directions[i]
		side.Direction = t.Direction(r.RouteID, side.DirectionID, side.Direction)
		for k := range side.Stops {
			side.Stops[k].StopName = t.Text(edition.StopName, side.Stops[k].StopID, side.Stops[k].StopName)
		}
	}
}

func (d *FeedDetails) Translate(t *edition.Translations) {
	i := d.FeedInfo
	if i == nil {
		return
	}
	of := func(name string, cell *string) *string { return t.Cell("feed_info."+name, "", cell) }
	i.FeedPublisherName, i.FeedPublisherURL = of("feed_publisher_name", i.FeedPublisherName),
		of("feed_publisher_url", i.FeedPublisherURL)
	i.FeedContactEmail, i.FeedContactURL = of("feed_contact_email", i.FeedContactEmail),
		of("feed_contact_url", i.FeedContactURL)
}

func (r *FileRow) Translate(t *edition.Translations) {
	var id, part string
	for n, i := range r.form.keyed {
		switch {
		case r.cells[i] == nil:
		case n == 0:
			id = *r.cells[i]
		case n == 1:
			part = *r.cells[i]
		}
	}
	for i, key := range r.form.keys {
		if r.cells[i] != nil && r.form.texts[i] {
			r.cells[i] = t.PartCell(r.form.table+"."+strings.ToLower(key), id, part, r.cells[i])
		}
	}
}
