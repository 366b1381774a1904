package edition

import (
	"context"
	"fmt"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// Texts are the translations of a feed into one language. The nil Texts has none.
type Texts struct {
	ofRecord map[textKey]string
	ofValue  map[textKey]string
}

// A textKey names a cell by its record, or by what is in it.
type textKey struct{ field, text string }

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
func (t *Texts) Of(field, id, cell string) string {
	if t == nil || cell == "" {
		return cell
	}
	if text, ok := t.ofRecord[textKey{field, id}]; ok {
		return text
	}
	if text, ok := t.ofValue[textKey{field, cell}]; ok {
		return text
	}
	return cell
}

// Cell is Of for a cell that may be absent. It makes a new one, because cells are shared.
func (t *Texts) Cell(field, id string, cell *string) *string {
	if t == nil || cell == nil {
		return cell
	}
	if text := t.Of(field, id, *cell); text != *cell {
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
	textBytes     = 120 // of a row, beside its texts
)

type textsOf struct {
	VersionID replica.Version
	Language  string
	Fields    []string
	Most      int
}

type textRow struct {
	Field       string
	Translation string
	RecordID    string
	FieldValue  string
}

// Regional forms of a language stand behind the language itself. A translation of a call by its sequence number is not read.
var textRows = rest.SQL[textsOf, textRow](`
	SELECT lower(table_name || '.' || field_name) AS field, translation, coalesce(record_id, '') AS record_id, coalesce(field_value, '') AS field_value
	FROM transit.translation
	WHERE version_id = @version_id AND lower(table_name || '.' || field_name) = ANY (@fields) AND record_sub_id IS NULL
	  AND split_part(replace(lower(language), '_', '-'), '-', 1) = @language
	ORDER BY length(language), ord
	LIMIT @most`)

// Texts are the translations into a language, which is a code of two or three letters; nil where there are none.
func (e *Edition) Texts(ctx context.Context, language string) (*Texts, error) {
	if e == nil || e.db == nil {
		return nil, nil
	}
	found, err := e.texts.get(ctx, []string{language}, textBytesKept)
	if err != nil {
		return nil, fmt.Errorf("translations of version %d into %s: %w", e.version, language, err)
	}
	if t := found[language]; len(t.ofRecord)+len(t.ofValue) > 0 {
		return t, nil
	}
	return nil, nil
}

// readTexts reads languages, of each as many texts as are kept: what a feed has beyond them stays as it is.
func (e *Edition) readTexts(ctx context.Context, languages []string, each func(string, *Texts, int) error) error {
	fields := []string{StopName, SpokenName, ShortName, LongName, AgencyName, TripHeadsign, StopHeadsign, DirectionName}
	for _, language := range languages {
		t, bytes := &Texts{map[textKey]string{}, map[textKey]string{}}, 0
		err := textRows.Each(ctx, e.db, textsOf{e.version, language, fields, mostTexts}, func(r textRow) error {
			into, key := t.ofRecord, textKey{r.Field, r.RecordID}
			if r.RecordID == "" {
				into, key.text = t.ofValue, r.FieldValue
			}
			size := textBytes + len(key.text) + len(r.Translation)
			if _, met := into[key]; met || key.text == "" || bytes+size > mostTextBytes {
				return nil
			}
			bytes += size
			into[key] = r.Translation
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
