package gtfs_test

import (
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
)

// Only rules of the canonical validator, and files of GTFS, have an address there.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for code, want := range map[gtfs.Code]string{
		"unused_trip":  "https://gtfs-validator.mobilitydata.org/rules.html#unused_trip-rule",
		"unused_route": "", "trip": "", "": "",
	} {
		if got := code.Address(); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	for file, want := range map[string]string{
		"stop_times.txt":    "https://gtfs.org/documentation/schedule/reference/#stop_timestxt",
		"locations.geojson": "https://gtfs.org/documentation/schedule/reference/#locationsgeojson",
		"directions.txt":    "", "notes.txt": "", "": "",
	} {
		if got := gtfs.Reference(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestColumnTypesOfTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column gtfs.ColumnType
		good   string
		bad    string
	}{
		{gtfs.URL, "http://a https://a.example/b?c=d", "a.example www.a.example ftp://a https:// mailto:a@b.example"},
		{gtfs.Email, "a@b.example a.b+c@d.e.example", "a a@ @b.example a@b a@b. a@b@c.example a@b.example,c@d.example"},
		{gtfs.Currency, "EUR JPY XAU", "eur EU EURO E R"},
		{gtfs.Language, "en fr-CA zh-Hant-TW mul es-419", "e english en_US en- -en 12 en-verylongpart"},
	} {
		for cell := range strings.FieldsSeq(c.good) {
			if !c.column.OK([]byte(cell)) {
				t.Errorf("type %d rejects %q", c.column, cell)
			}
		}
		for cell := range strings.FieldsSeq(c.bad) {
			if c.column.OK([]byte(cell)) {
				t.Errorf("type %d allows %q", c.column, cell)
			}
		}
	}
}

func TestCodesOfInvalidCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column gtfs.ColumnType
		cell   string
		want   gtfs.Code
	}{
		{gtfs.Latitude, "91", "number_out_of_range"}, {gtfs.Latitude, "47,1", "invalid_float"},
		{gtfs.Distance, "-1", "number_out_of_range"}, {gtfs.Distance, "far", "invalid_float"},
		{gtfs.Positive, "0", "number_out_of_range"}, {gtfs.Integer, "-3", "number_out_of_range"},
		{gtfs.Integer, "1.5", "invalid_integer"},
		{gtfs.Binary, "2", "unexpected_enum_value"},
		{gtfs.Enum, "-999", "unexpected_enum_value"}, {gtfs.Enum, "bus", "invalid_integer"},
		{gtfs.Time, "7:10", "invalid_time"}, {gtfs.Email, "a", "invalid_email"},
	} {
		if got := c.column.Code([]byte(c.cell)); got != c.want || c.column.OK([]byte(c.cell)) {
			t.Errorf("type %d, %q: %s, want %s", c.column, c.cell, got, c.want)
		}
	}
}
