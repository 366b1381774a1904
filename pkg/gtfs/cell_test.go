package gtfs_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/gtfs"
)

func TestParseTimeReadsAppendTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.IntRange(0, gtfs.MaxTime).Draw(t, "seconds")
		text := gtfs.AppendTime(nil, s)
		if want := fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60); string(text) != want {
			t.Fatalf("AppendTime(%d) = %s, want %s", s, text, want)
		}
		if got, ok := gtfs.ParseTime(text); !ok || got != s {
			t.Fatalf("ParseTime(%s) = %d, %v", text, got, ok)
		}
		if text[0] == '0' {
			if got, ok := gtfs.ParseTime(text[1:]); !ok || got != s {
				t.Fatalf("ParseTime(%s) = %d, %v", text[1:], got, ok)
			}
		}
	})
}

func TestParseTimeRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "6", "6:00", "06:00", "6:60:00", "6:00:60", "-1:00:00", "6:0:00", "6:00:0", "06-00-00",
		"a6:00:00",
		"6:00:00 ", "6:00:00am", "1001:00:00", "9999:00:00", "06:00:0x", ":00:00", "0006:00:00", "٠٦:٠٠"} {
		if got, ok := gtfs.ParseTime([]byte(s)); ok {
			t.Errorf("ParseTime(%q) = %d", s, got)
		}
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"20260230", "20251301", "2025010", "202501011", "2025-1-1", "00000101", "20250100",
		"abcdefgh"} {
		if got, ok := gtfs.ParseDate([]byte(s)); ok {
			t.Errorf("ParseDate(%q) = %v", s, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		day := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 100_000).Draw(t, "days"))
		if got, ok := gtfs.ParseDate([]byte(day.Format("20060102"))); !ok || !got.Equal(day) {
			t.Fatalf("%v read as %v, %v", day, got, ok)
		}
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	types := map[string]gtfs.ColumnType{"lat": gtfs.Latitude, "lon": gtfs.Longitude, "dist": gtfs.Distance,
		"int": gtfs.Integer, "pos": gtfs.Positive, "color": gtfs.Color, "bin": gtfs.Binary, "exc": gtfs.Exception}
	for name, cells := range map[string]struct{ good, bad []string }{
		"lat": {[]string{"0", "-90", "90.0", "45.123456789012345", "-.5", "1e1", "+3"},
			[]string{"91", "-90.0001", "x", "NaN", "inf", "1,5", "0x10", "--1", ".", "1_0", "1e400"}},
		"lon":  {[]string{"180", "-180.000", "179.9999"}, []string{"180.01", "1e3", "-"}},
		"dist": {[]string{"0", "12.5", "1e3", "100000000000"}, []string{"-1", "NaN", "5 km"}},
		"int": {[]string{"0", "1", "007", "1700", "2147483647"}, []string{"-1", "+1", "1.0", "2147483648",
			"99999999999999999999999", "a"}},
		"pos":   {[]string{"1", "600"}, []string{"0", "00", "-5"}},
		"color": {[]string{"ffffff", "00AaFf"}, []string{"#ffffff", "0", "fffff", "gggggg", "ff ff f"}},
		"bin":   {[]string{"0", "1"}, []string{"2", "00", "yes"}},
		"exc":   {[]string{"1", "2"}, []string{"0", "3"}},
	} {
		for _, c := range cells.good {
			if !types[name].OK([]byte(c)) {
				t.Errorf("%s: %q refused", name, c)
			}
		}
		for _, c := range cells.bad {
			if types[name].OK([]byte(c)) {
				t.Errorf("%s: %q accepted", name, c)
			}
		}
	}
}

// The fast way to read short decimals gives what strconv gives, to the last bit.
func TestDecimalsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`-?[0-9]{0,18}(\.[0-9]{0,18})?`).Draw(t, "cell")
		want, err := strconv.ParseFloat(s, 64)
		got, ok := gtfs.ParseFloat([]byte(s))
		if ok != (err == nil) || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: %v, %v; want %v, %v", s, got, ok, want, err)
		}
	})
}

func TestDegreesAgreeWithFloats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`-?[0-9]{0,4}(\.[0-9]{0,8})?`).Draw(t, "cell")
		f, err := strconv.ParseFloat(s, 64)
		if got, want := gtfs.IsLatitude([]byte(s)), err == nil && f >= -90 && f <= 90; got != want {
			t.Fatalf("%q: latitude %v, want %v", s, got, want)
		}
		if got, want := gtfs.IsDistance([]byte(s)), err == nil && f >= 0; got != want {
			t.Fatalf("%q: distance %v, want %v", s, got, want)
		}
	})
}
