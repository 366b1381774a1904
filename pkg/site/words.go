package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Words are the sentences of one language by their keys. {0}, {1} … in a sentence are what is
// filled in.
type Words map[string]string

// Say is a sentence with what is filled in. A key that does not exist is an error, which ends the
// page; a test asks for each key of each template and each function.
func (w Words) Say(key string, fill ...any) (string, error) {
	text, ok := w[key]
	if !ok {
		return "", fmt.Errorf("there are no words for %q", key)
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

// Text is Say for code that fills views: a key that does not exist is its own text.
func (w Words) Text(key string, fill ...any) string {
	text, err := w.Say(key, fill...)
	if err != nil {
		return key
	}
	return text
}

// JSON is the sentences whose keys begin with a prefix, by the rest of their keys, for scripts.
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

func (w Words) keys() []string { return slices.Sorted(maps.Keys(w)) }

// Words are the sentences of a language.
func (s *Site) Words(lang string) Words { return s.words[lang] }

// addWords reads words/LANG.txt of a part: lines of "key = sentence"; empty lines and those that
// begin with # are left out.
func (s *Site) addWords(files fs.FS) error {
	var errs []error
	for _, lang := range Languages() {
		name := "words/" + lang + ".txt"
		text, err := fs.ReadFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a part need not have words; the check of all of them reports when one language is missing
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("words: %w", err))
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
				errs = append(errs, fmt.Errorf("%s:%d: %q is no \"key = sentence\", or its key is there already", name, n+1, line))
			}
			s.words[lang][key] = sentence
		}
	}
	return errors.Join(errs...)
}

// blanks counts what a sentence fills in, by number.
func blanks(text string) (count [10]int) {
	for {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			return count
		}
		text = text[at+1:]
		if len(text) > 1 && text[0] >= '0' && text[0] <= '9' && text[1] == '}' {
			count[text[0]-'0']++
		}
	}
}

// checkWords reports the sentences that one language lacks, or in which it fills in something else
// than the first.
func (s *Site) checkWords() error {
	var errs []error
	first := s.words[Languages()[0]]
	for _, lang := range Languages()[1:] {
		for key, want := range first {
			if text, ok := s.words[lang][key]; !ok || blanks(text) != blanks(want) {
				errs = append(errs, fmt.Errorf("words %s: %q is missing, or fills in something else: %q", lang, key, text))
			}
		}
		for key := range s.words[lang] {
			if _, ok := first[key]; !ok {
				errs = append(errs, fmt.Errorf("words %s: %q is not in %s", lang, key, Languages()[0]))
			}
		}
	}
	return errors.Join(errs...)
}
