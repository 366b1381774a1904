package static

import (
	"context"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// This file has the translation of answers by translations.txt. Ids, times and numbers stay
// unchanged. Pages translate separately, because they choose their language differently.

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
	t, err := TextsOf(ctx, c, f)
	t.Translate(&rows)
	return err
}

// Relabel implements [edition.Relabeler].
func (t *Trip) Relabel(any) { t.Label = tripLabel(&t.Trip) }

// Translate translates the headsign of the call.
func (s *StopTime) Translate(t *edition.Translations) {
	s.StopHeadsign = t.PartCell(edition.StopHeadsign, s.TripID, s.StopSequence, s.StopHeadsign)
}

// Relabel implements [edition.Relabeler].
func (s *ScheduleStop) Relabel(any) {
	if s.StopName != "" {
		s.Label = s.StopName
	}
}

// Translate translates the label, which is one of three fields.
func (t *ScheduleTrip) Translate(in *edition.Translations) {
	switch {
	case t.Headed:
		t.Label = in.Text(edition.TripHeadsign, t.TripID, t.Label)
	case t.Label != t.TripID:
		t.Label = in.Text("trips.trip_short_name", t.TripID, t.Label)
	}
}

// Translate translates the texts of the row, which has the columns of its file.
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
