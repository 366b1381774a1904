package site

import (
	"time"

	"github.com/townline/townline/pkg/lang"
)

// A Speaker writes sentences, dates and times in one language.
type Speaker struct {
	Words
	lang.Locale
}

// Speaker returns a speaker of a language as written in a place.
func (s *Site) Speaker(tag string, l lang.Locale) Speaker {
	if tag != "en" {
		l = lang.Locale{}
	}
	return Speaker{s.Words(tag), l}
}

// Clock returns a time of day: "6:05 am" or "06:05".
func (s Speaker) Clock(t time.Time) string {
	if s.Twelve {
		return t.Format("3:04 pm")
	}
	return t.Format("15:04")
}

// Day returns a date without its year: "Monday, December 7".
func (s Speaker) Day(t time.Time) string { return s.date("date.long", t) }

// Date returns a date without its weekday: "December 7, 2026".
func (s Speaker) Date(t time.Time) string { return s.date("date.short", t) }

// FullDate returns "Monday, December 7, 2026".
func (s Speaker) FullDate(t time.Time) string { return s.date("date.full", t) }

func (s Speaker) date(key string, t time.Time) string {
	if s.MonthFirst {
		key += ".us"
	}
	day := t.Format("2")
	if day == "1" {
		day = s.Text("date.first")
	}
	weekday, month := s.Text("day."+t.Format("Mon")), s.Text("month."+t.Format("Jan"))
	if key == "date.long" || key == "date.long.us" {
		return s.Text(key, weekday, day, month)
	}
	return s.Text(key, weekday, day, month, t.Year())
}
