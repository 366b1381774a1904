package static

import (
	"cmp"
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

func (g *Agency) Translate(t *edition.Translations) {
	of := func(name string, cell *string) *string { return t.Cell("agency."+name, g.AgencyID, cell) }
	if g.AgencyName != "" {
		g.AgencyName = t.Text(edition.AgencyName, g.AgencyID, g.AgencyName)
		g.Label = g.AgencyName
	}
	g.AgencyURL = t.Text("agency.agency_url", g.AgencyID, g.AgencyURL)
	g.AgencyPhone, g.AgencyFareURL, g.AgencyEmail = of("agency_phone", g.AgencyPhone),
		of("agency_fare_url", g.AgencyFareURL), of("agency_email", g.AgencyEmail)
}

// Translate translates the route and its further columns.
func (r *Route) Translate(t *edition.Translations) {
	of := func(name string, cell *string) *string { return t.Cell("routes."+name, r.RouteID, cell) }
	short, long := r.RouteShortName, r.RouteLongName
	r.RouteShortName, r.RouteLongName = of("route_short_name", short), of("route_long_name", long)
	r.RouteDesc, r.RouteURL = of("route_desc", r.RouteDesc), of("route_url", r.RouteURL)
	if r.RouteShortName != short || r.RouteLongName != long { // a label that the operator has changed stays
		r.Label = cmp.Or(strings.TrimSpace(Text(r.RouteShortName)+" "+Text(r.RouteLongName)), r.RouteID)
	}
	for key, value := range r.Extra {
		if cell, ok := value.(string); ok && isText(key) {
			r.Extra[key] = t.Text("routes."+strings.ToLower(key), r.RouteID, cell)
		}
	}
}

func (r *RouteFeature) Translate(t *edition.Translations) { r.Properties.Translate(t) }

// Translate translates the direction's own name or, if there is none, the headsign that names the
// direction.
func (d *Direction) Translate(t *edition.Translations) {
	d.Direction = directionIn(t, d.RouteID, d.DirectionID, d.Direction)
	d.Label = d.Direction
	if d.Route != nil {
		own := *d.Route // a copy, because directions share the route
		own.Translate(t)
		d.Route = &own
	}
}

func directionIn(t *edition.Translations, route, id, name string) string {
	if own := t.Part(edition.DirectionName, route, id, name); own != name {
		return own
	}
	return t.Text(edition.TripHeadsign, "", name)
}

func (t *Trip) Translate(in *edition.Translations) {
	t.TripHeadsign = in.Cell(edition.TripHeadsign, t.TripID, t.TripHeadsign)
	t.TripShortName = in.Cell("trips.trip_short_name", t.TripID, t.TripShortName)
	t.Label = cmp.Or(Text(t.TripHeadsign), Text(t.TripShortName), t.TripID)
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
		side.Direction = directionIn(t, r.RouteID, side.DirectionID, side.Direction)
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

// isText reports whether an unknown column may contain text. An id must stay the same in every
// language.
func isText(column string) bool { return !strings.HasSuffix(column, "_id") }

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
