package edition

import (
	"context"
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// Texts are the translations of a feed into one language. The nil Texts has none.
type Texts struct{ by map[textKey]string }

// A textKey names a cell by its record, by a part of the record such as a call of a trip, or by its
// content.
type textKey struct{ field, record, part, content string }

// Fields that riders read, as translations.txt names them.
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

// Of is a cell in the language: by the id of its record, else by its text, else as it is.
func (t *Texts) Of(field, id, cell string) string { return t.Part(field, id, "", cell) }

// Part is Of for a cell of a part of a record: the translation of the part comes first.
func (t *Texts) Part(field, id, part, cell string) string {
	if t == nil || cell == "" {
		return cell
	}
	for _, key := range []textKey{{field, id, part, ""}, {field, id, "", ""}, {field, "", "", cell}} {
		if text, ok := t.by[key]; ok {
			return text
		}
	}
	return cell
}

// Cell is Of for a cell that may be absent. It makes a new one, because cells are shared.
func (t *Texts) Cell(field, id string, cell *string) *string { return t.PartCell(field, id, "", cell) }

// PartCell is Part for a cell that may be absent.
func (t *Texts) PartCell(field, id, part string, cell *string) *string {
	if t == nil || cell == nil {
		return cell
	}
	if text := t.Part(field, id, part, *cell); text != *cell {
		return &text
	}
	return cell
}

// Headsign is the headsign of a trip or of one of its calls.
func (t *Texts) Headsign(trip string, cell *string) *string {
	if own := t.Cell(TripHeadsign, trip, cell); own != cell {
		return own
	}
	return t.Cell(StopHeadsign, "", cell)
}

// Bounds of the translations that are kept: rows of one language and bytes of all.
const (
	mostTexts     = 100_000
	textBytesKept = 24 << 20
	mostTextBytes = textBytesKept / 4
	textBytes     = 140 // of a row, beside its texts
)

// maxLanguages is how many languages of a feed are read, in all their spellings.
const maxLanguages = 200

type languageRow struct {
	Language string
	Own      bool
}

// The languages of the translations, and before them that of the feed itself: as feed_info.txt
// says, else its first agency.
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

// readLanguages finds in which languages the feed can be had.
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
	Ranks     []int32 // of each spelling: that of its language
	Most      int
}

type textRow struct {
	Field       string
	Translation string
	RecordID    string
	RecordSubID string
	FieldValue  string
}

// What is read first comes first: the language before that of which it is a regional form, and
// records before their parts, which can be too many.
var textRows = rest.SQL[textsOf, textRow](`
	SELECT lower(table_name || '.' || field_name) AS field, translation, coalesce(record_id, '') AS record_id,
	       coalesce(record_sub_id, '') AS record_sub_id,
	       coalesce(field_value, '') AS field_value
	FROM transit.translation
	WHERE version_id = @version_id AND language = ANY (@languages::text[])
	ORDER BY record_sub_id IS NOT NULL, (@ranks::integer[])[array_position(@languages::text[], language)], ord
	LIMIT @most`)

// Texts are the translations into a language; nil where there are none. The feed may have another
// regional form of it, or the language itself.
func (e *Edition) Texts(ctx context.Context, language string) (*Texts, error) {
	if e == nil || e.db == nil {
		return nil, nil
	}
	tag, ok := e.Languages.Find(language)
	if !ok {
		return nil, nil
	}
	found, err := e.texts.get(ctx, []string{tag}, textBytesKept)
	if err != nil {
		return nil, fmt.Errorf("translations of version %d into %s: %w", e.version, tag, err)
	}
	if t := found[tag]; len(t.by) > 0 {
		return t, nil
	}
	return nil, nil
}

// readTexts reads languages, of each as many texts as are kept: what a feed has beyond them stays
// as it is.
func (e *Edition) readTexts(ctx context.Context, languages []string, each func(string, *Texts, int) error) error {
	for _, language := range languages {
		t, bytes := &Texts{map[textKey]string{}}, 0
		args := textsOf{e.version, []string{}, []int32{}, mostTexts}
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
			case r.RecordID == "" && !strings.HasPrefix(r.Field, "feed_info."): // its one row needs no name
				return nil
			case r.RecordID == "":
				key.part = ""
			}
			size := textBytes + len(key.record) + len(key.part) + len(key.content) + len(r.Translation)
			if _, met := t.by[key]; met || bytes+size > mostTextBytes {
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
