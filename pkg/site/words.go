package site

import (
	"errors"
	"io/fs"
	"time"

	"github.com/townline/townline/pkg/lang"
)

// Words returns the sentences in a language.
func (s *Site) Words(tag string) lang.Words { return s.words[tag] }

// addWords reads words/LANG.txt of a part in each language. A part may have no words.
func (s *Site) addWords(files fs.FS) error {
	var errs []error
	for _, tag := range Languages() {
		if s.words[tag] == nil {
			s.words[tag] = lang.Words{}
		}
		errs = append(errs, s.words[tag].Read(files, tag))
	}
	return errors.Join(errs...)
}

// A Speaker writes sentences, dates and times in one language.
type Speaker struct {
	lang.Words
	lang.Locale
}

// Speaker returns the speaker for a language, with the formats of a locale.
func (s *Site) Speaker(tag string, l lang.Locale) Speaker {
	if tag != "en" {
		l = lang.Locale{}
	}
	return Speaker{s.Words(tag), l}
}

// Clock returns a time of day, such as "6:05 am" or "06:05".
func (s Speaker) Clock(t time.Time) string {
	if s.Twelve {
		return t.Format("3:04 pm")
	}
	return t.Format("15:04")
}

// Day returns a date without the year, such as "Monday, December 7".
func (s Speaker) Day(t time.Time) string { return s.date("date.long", t) }

// Date returns a date without the weekday, such as "December 7, 2026".
func (s Speaker) Date(t time.Time) string { return s.date("date.short", t) }

// FullDate returns a date such as "Monday, December 7, 2026".
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
