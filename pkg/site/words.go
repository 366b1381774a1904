package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/lang"
)

// Words maps keys to the sentences of one language, with placeholders {0}, {1} … A test in
// scripts/house compares the languages.
type Words map[string]string

// Say returns a sentence with its placeholders filled. An unknown key is an error, which ends the
// rendering. A test checks the keys in templates and code.
func (w Words) Say(key string, fill ...any) (string, error) {
	text, ok := w[key]
	if !ok {
		return "", fmt.Errorf("unknown words %q", key)
	}
	if len(fill) == 0 {
		return text, nil
	}
	pairs := make([]string, 0, 2*len(fill))
	for i, v := range fill {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", fmt.Sprint(v))
	}
	return strings.NewReplacer(pairs...).Replace(text), nil
}

// Text is like Say, for code that fills views. It returns an unknown key unchanged.
func (w Words) Text(key string, fill ...any) string {
	text, err := w.Say(key, fill...)
	if err != nil {
		return key
	}
	return text
}

// JSON returns the sentences whose keys begin with prefix, for scripts. The keys of the JSON object
// omit the prefix.
func (w Words) JSON(prefix string) (string, error) {
	some := map[string]string{}
	for key, text := range w {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			some[rest] = text
		}
	}
	b, err := json.Marshal(some)
	return string(b), err
}

func (s *Site) Words(lang string) Words { return s.words[lang] }

// addWords reads words/LANG.txt of a part: lines of the form "key = sentence", empty lines and #
// comments.
func (s *Site) addWords(files fs.FS) error {
	var errs []error
	for _, lang := range Languages() {
		name := "words/" + lang + ".txt"
		text, err := fs.ReadFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a part may have no words
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("read %s: %w", name, err))
			continue
		}
		if s.words[lang] == nil {
			s.words[lang] = Words{}
		}
		for n, line := range strings.Split(string(text), "\n") {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			key, sentence, ok := strings.Cut(line, "=")
			key, sentence = strings.TrimSpace(key), strings.TrimSpace(sentence)
			if _, twice := s.words[lang][key]; !ok || twice || sentence == "" {
				errs = append(errs, fmt.Errorf("%s:%d: %q must be \"key = sentence\" with a new key", name, n+1, line))
			}
			s.words[lang][key] = typeset(lang, sentence)
		}
	}
	return errors.Join(errs...)
}

// typeset puts a narrow space that does not break where a language writes one: in French before high
// punctuation and inside quotation marks, in French and Spanish before the percent sign. The files
// have plain spaces there.
func typeset(lang, sentence string) string {
	switch lang {
	case "fr":
		return frenchSpaces.Replace(highPunctuation.ReplaceAllString(sentence, narrow+"$1"))
	case "es":
		return percentSpace.Replace(sentence)
	}
	return sentence
}

const narrow = "\u202f"

var (
	// The punctuation may be the whole sentence.
	highPunctuation = regexp.MustCompile(`(?:^| )([:;?!])`)
	frenchSpaces    = strings.NewReplacer("« ", "«"+narrow, " »", narrow+"»", " %", narrow+"%")
	percentSpace    = strings.NewReplacer(" %", narrow+"%")
)

// A Speaker writes sentences, dates and times in one language.
type Speaker struct {
	Words
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
