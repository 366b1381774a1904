package site_test

import (
	"testing"
	"time"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/site"
)

// The form of English dates and times depends on the region. Other languages have one form.
func TestDates(t *testing.T) {
	s, err := site.New()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 12, 1, 18, 5, 0, 0, time.UTC)
	for _, c := range []struct{ lang, locale, full, date, day, clock string }{
		{lang: "en", full: "Tuesday, December 1, 2026", date: "December 1, 2026", day: "Tuesday, December 1",
			clock: "6:05 pm"},
		{lang: "en", locale: "en-GB", full: "Tuesday 1 December 2026", date: "1 December 2026", day: "Tuesday 1 December",
			clock: "18:05"},
		{lang: "en", locale: "en-AU", full: "Tuesday 1 December 2026", date: "1 December 2026", day: "Tuesday 1 December",
			clock: "6:05 pm"},
		{lang: "es", locale: "en-US", full: "martes 1 de diciembre de 2026", date: "1 de diciembre de 2026",
			day: "martes 1 de diciembre", clock: "18:05"},
		{lang: "fr", locale: "en-US", full: "mardi 1er décembre 2026", date: "1er décembre 2026",
			day: "mardi 1er décembre", clock: "18:05"},
	} {
		l, err := lang.ReadLocale(c.locale)
		if err != nil {
			t.Fatal(err)
		}
		say := s.Speaker(c.lang, l)
		for _, pair := range [][2]string{{say.FullDate(at), c.full}, {say.Date(at), c.date}, {say.Day(at), c.day},
			{say.Clock(at), c.clock}} {
			if pair[0] != pair[1] {
				t.Errorf("%s in %q: %q, want %q", c.lang, c.locale, pair[0], pair[1])
			}
		}
	}
	for _, tag := range []string{"en", "american", "en-XYZ"} {
		if _, err := lang.ReadLocale(tag); err == nil {
			t.Errorf("%q is accepted as a locale", tag)
		}
	}
}
