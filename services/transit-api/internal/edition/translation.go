package edition

import (
	"context"
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// Translations has the texts of a feed in one language. The nil Translations is empty.
type Translations struct {
	by   map[textKey]string
	form func(string) string // changes names; nil leaves them as they are
}

// Forming returns the same translations, with a form for the names of stops, lines, agencies and
// directions, and for headsigns.
func (t *Translations) Forming(form func(string) string) *Translations {
	if form == nil {
		return t
	}
	formed := Translations{form: form}
	if t != nil {
		formed.by = t.by
	}
	return &formed
}

// A textKey names a cell by its record, by part of its record (such as a call of a trip), or by
// content.
type textKey struct{ field, record, part, content string }

// The fields that riders read, named as in translations.txt.
const (
	StopName      = "stops.stop_name"
	SpokenName    = "stops.tts_stop_name"
	ShortName     = "routes.route_short_name"
	LongName      = "routes.route_long_name"
	AgencyName    = "agency.agency_name"
	TripHeadsign  = "trips.trip_headsign"
	StopHeadsign  = "stop_times.stop_headsign"
	DirectionName = "directions.direction"
)

// Text translates a cell by the id of its record or, without such a translation, by its content. It
// returns the cell if there is no translation.
func (t *Translations) Text(field, id, cell string) string { return t.Part(field, id, "", cell) }

// Part is Text for a cell of a part of a record. A translation of the part has precedence.
func (t *Translations) Part(field, id, part, cell string) string {
	if t == nil || cell == "" {
		return cell
	}
	for _, key := range []textKey{{field, id, part, ""}, {field, id, "", ""}, {field, "", "", cell}} {
		if text, ok := t.by[key]; ok {
			cell = text
			break
		}
	}
	if t.form == nil {
		return cell
	}
	switch field {
	case StopName, LongName, AgencyName, TripHeadsign, StopHeadsign, DirectionName:
		return t.form(cell)
	}
	return cell
}

// Cell is Text for an optional cell. It returns a new cell, because cells are shared.
func (t *Translations) Cell(field, id string, cell *string) *string {
	return t.PartCell(field, id, "", cell)
}

// PartCell is Part for an optional cell.
func (t *Translations) PartCell(field, id, part string, cell *string) *string {
	if t == nil || cell == nil {
		return cell
	}
	if text := t.Part(field, id, part, *cell); text != *cell {
		return &text
	}
	return cell
}

// Headsign translates the headsign of a trip or of one of its calls.
func (t *Translations) Headsign(trip string, cell *string) *string {
	if own := t.Cell(TripHeadsign, trip, cell); own != cell {
		return own
	}
	return t.Cell(StopHeadsign, "", cell)
}

const (
	maxTexts     = 100_000 // per language
	maxTextBytes = 6 << 20 // per language
	textBytes    = 140     // per row, without its texts
	maxLanguages = 200     // per feed, counting each spelling
)

type languageRow struct {
	Language string
	Own      bool
}

// The language of the feed comes first (of feed_info.txt, or of the first agency), then the
// languages of translations.
var languageRows = rest.SQL[languagesOf, languageRow](`
	SELECT coalesce((SELECT feed_lang FROM transit.feed_info WHERE version_id = @version_id ORDER BY ord LIMIT 1),
	                (SELECT agency_lang FROM transit.agency WHERE version_id = @version_id ORDER BY ord LIMIT 1),
	                  '') AS language, true AS own
	UNION ALL
	(SELECT DISTINCT language, false FROM transit.translation WHERE version_id = @version_id AND length(language) <= 64
	  ORDER BY language LIMIT @most)`)

type languagesOf struct {
	VersionID replica.Version
	Most      int
}

func (e *Edition) readLanguages(ctx context.Context, _ *budget) error {
	own, all := "", []string(nil)
	e.spellings = map[string][]string{}
	err := languageRows.Each(ctx, e.db, languagesOf{e.version, maxLanguages}, func(r languageRow) error {
		if r.Own {
			own = r.Language
			return nil
		}
		if tag, ok := lang.Canonical(r.Language); ok {
			e.spellings[tag] = append(e.spellings[tag], r.Language)
		}
		all = append(all, r.Language)
		return nil
	})
	e.Languages = lang.New(own, all)
	return err
}

type textsOf struct {
	VersionID replica.Version
	Languages []string
	Ranks     []int32 // rank of each spelling's language
	Most      int
}

type textRow struct {
	Field       string
	Translation string
	RecordID    string
	RecordSubID string
	FieldValue  string
}

// The first row of a cell counts, so the regional form of a language precedes the language itself.
// Records precede their parts, which can be too many.
var textRows = rest.SQL[textsOf, textRow](`
	SELECT lower(table_name || '.' || field_name) AS field, translation, coalesce(record_id, '') AS record_id,
	       coalesce(record_sub_id, '') AS record_sub_id,
	       coalesce(field_value, '') AS field_value
	FROM transit.translation
	WHERE version_id = @version_id AND language = ANY (@languages::text[])
	ORDER BY record_sub_id IS NOT NULL, (@ranks::integer[])[array_position(@languages::text[], language)], ord
	LIMIT @most`)

// Translations returns the texts in a language; nil if the feed has none in the language, its
// regional forms or its base.
func (e *Edition) Translations(ctx context.Context, language string) (*Translations, error) {
	if e == nil || e.db == nil {
		return nil, nil
	}
	tag, ok := e.Languages.Find(language)
	if !ok {
		return nil, nil
	}
	found, err := e.texts.Get(ctx, []string{tag}, All)
	if err != nil {
		return nil, fmt.Errorf("read translations of version %d into %s: %w", e.version, tag, err)
	}
	if t := found[tag]; len(t.by) > 0 {
		return t, nil
	}
	return nil, nil
}

// readTexts reads the texts of languages. Texts beyond the limits stay untranslated.
func (e *Edition) readTexts(
	ctx context.Context, languages []string, each func(string, *Translations, int) error,
) error {
	for _, language := range languages {
		t, bytes := &Translations{by: map[textKey]string{}}, 0
		args := textsOf{e.version, []string{}, []int32{}, maxTexts}
		for rank, tag := range lang.Chain(language) {
			for _, spelling := range e.spellings[tag] {
				args.Languages, args.Ranks = append(args.Languages, spelling), append(args.Ranks, int32(rank))
			}
		}
		err := textRows.Each(ctx, e.db, args, func(r textRow) error {
			key := textKey{r.Field, r.RecordID, r.RecordSubID, ""}
			switch {
			case r.RecordID == "" && r.FieldValue != "":
				key.part, key.content = "", r.FieldValue
			case r.RecordID == "" && !strings.HasPrefix(r.Field, "feed_info."): // a file with one row needs no id
				return nil
			case r.RecordID == "":
				key.part = ""
			}
			size := textBytes + len(key.record) + len(key.part) + len(key.content) + len(r.Translation)
			if _, seen := t.by[key]; seen || bytes+size > maxTextBytes {
				return nil
			}
			bytes += size
			t.by[key] = r.Translation
			return nil
		})
		if err != nil {
			return err
		}
		if err := each(language, t, bytes); err != nil {
			return err
		}
	}
	return nil
}
