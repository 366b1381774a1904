// Package lang negotiates the language of an answer: it selects the translation that a client
// prefers.
//
// Tags are those of BCP 47, in one canonical spelling, such as "fr" or "zh-Hant". A regional form
// matches its language: fr-CA matches fr. Related languages do not match: a client that asks for
// Breton does not get French. pkg/rest calls the package for each answer. Services provide the
// languages of their data.
package lang

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// maxLength is the length of the longest tag that is parsed. RFC 5646 asks for 35 characters.
const maxLength = 64

// parse parses a tag. ok is false if the tag names no language, such as "mul".
func parse(s string) (t language.Tag, ok bool) {
	if len(s) > maxLength {
		return t, false
	}
	t, err := language.All.Parse(s)
	base, confidence := t.Base()
	return t, err == nil && confidence == language.Exact && base.String() != "mul"
}

// Canonical returns the canonical spelling of a tag. ok is false if the language is unknown.
func Canonical(s string) (tag string, ok bool) {
	t, ok := parse(s)
	return t.String(), ok
}

// WellFormed reports whether s has the form of a tag. The language may be unknown.
func WellFormed(s string) bool {
	if len(s) > maxLength {
		return false
	}
	_, err := language.All.Parse(s)
	var unknown language.ValueError
	return err == nil || errors.As(err, &unknown)
}

// Chain returns a tag and its parents, such as fr-CA and fr.
func Chain(tag string) []string {
	var all []string
	for t, ok := parse(tag); ok && t != language.Und; t = t.Parent() {
		all = append(all, t.String())
	}
	return all
}

// A Choice has the languages of some data: the original language and the languages of translations.
// A nil Choice has no translations.
type Choice struct {
	sets []*set

	mu  sync.RWMutex
	met map[string]string // cached results of [Choice.Best] by header
}

// A set has the languages of one part of the data.
type set struct {
	tags    []string // translations come first
	bases   []language.Base
	own     int // index of the original language in tags if it is among the translations; otherwise len(tags)
	matcher language.Matcher
}

// New returns the choice for data in the language own with translations into others. It returns nil
// if no translation has a known language. own may be "".
func New(own string, translations []string) *Choice {
	met := map[string]language.Tag{}
	for _, s := range translations {
		if t, ok := parse(s); ok {
			met[t.String()] = t
		}
	}
	if len(met) == 0 {
		return nil
	}
	s := &set{tags: slices.Sorted(maps.Keys(met)), own: len(met)}
	tags := make([]language.Tag, len(s.tags))
	for i, name := range s.tags {
		tags[i] = met[name]
	}
	if t, ok := parse(own); ok && met[t.String()] != t {
		s.tags, tags = append(s.tags, t.String()), append(tags, t)
	}
	for _, t := range tags {
		base, _ := t.Base()
		s.bases = append(s.bases, base)
	}
	s.matcher = language.NewMatcher(tags)
	return &Choice{sets: []*set{s}}
}

// Join returns the choice for an answer that combines the data of a and b. Either may be nil.
func Join(a, b *Choice) *Choice {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	joined := slices.Clone(a.sets)
	for _, s := range b.sets {
		if !slices.Contains(joined, s) {
			joined = append(joined, s)
		}
	}
	if len(joined) == len(a.sets) {
		return a
	}
	return &Choice{sets: joined}
}

// find returns the language of the data that matches a tag, and whether it is a translation.
func (c *Choice) find(t language.Tag) (tag string, translated, ok bool) {
	base, _ := t.Base()
	for _, s := range c.sets {
		_, i, confidence := s.matcher.Match(t)
		if confidence == language.No || s.bases[i] != base {
			continue
		}
		if i < s.own {
			return s.tags[i], true, true
		}
		tag, ok = s.tags[i], true
	}
	return tag, false, ok
}

// Find returns the language of the data that matches a tag. ok is false if none matches.
func (c *Choice) Find(tag string) (found string, ok bool) {
	t, ok := parse(tag)
	if c == nil || !ok {
		return "", false
	}
	found, _, ok = c.find(t)
	return found, ok
}

const (
	maxMet       = 1000
	maxMetLength = 300 // longest header that is cached
)

// Best returns the translation that a client prefers. read parses the header into tags in order of
// preference. Best returns "" if the client prefers the original language, or accepts none of the
// languages.
func (c *Choice) Best(header string, read func(string) []string) string {
	c.mu.RLock()
	tag, met := c.met[header]
	c.mu.RUnlock()
	if met {
		return tag
	}
	for _, name := range read(header) {
		t, ok := parse(name)
		if !ok {
			continue
		}
		if found, translated, ok := c.find(t); ok {
			if translated {
				tag = found
			}
			break
		}
	}
	if len(header) > maxMetLength {
		return tag
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.met == nil || len(c.met) >= maxMet {
		c.met = map[string]string{}
	}
	c.met[strings.Clone(header)] = tag
	return tag
}

// A Locale is a regional format of English dates and times. Other languages have one format.
type Locale struct {
	MonthFirst bool // "October 20, 2026" rather than "20 October 2026"
	Twelve     bool // "6:00 pm" rather than "18:00"
}

// ReadLocale parses a tag such as en-US or en-GB. The tag "" means en-US.
func ReadLocale(tag string) (Locale, error) {
	if tag == "" {
		tag = "en-US"
	}
	t, err := language.Parse(tag)
	region, confidence := t.Region()
	if err != nil || confidence != language.Exact {
		return Locale{}, fmt.Errorf("%q is not a language with a region, such as en-US or en-GB", tag)
	}
	american := []string{"US", "CA", "PH"}
	return Locale{
		MonthFirst: slices.Contains(american, region.String()),
		Twelve:     slices.Contains(append(american, "AU", "NZ", "IN"), region.String()),
	}, nil
}
