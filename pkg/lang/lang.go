// Package lang chooses the language of an answer: of those that the texts of some data can be had
// in, the one that a client prefers.
//
// Tags are those of BCP 47, in one canonical spelling: "fr", "zh-Hant". A regional form counts as
// its language, and a language that readers of another one might understand does not count as that:
// who asks for Breton is not answered in French. The package knows no request and no data; pkg/rest
// asks it for each answer, and services say what their data has.
package lang

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// maxLength is the longest tag that is read. RFC 5646 asks for room for 35 characters.
const maxLength = 64

// parse reads a tag; ok is false for one that names no language, such as "mul".
func parse(s string) (t language.Tag, ok bool) {
	if len(s) > maxLength {
		return t, false
	}
	t, err := language.All.Parse(s)
	base, confidence := t.Base()
	return t, err == nil && confidence == language.Exact && base.String() != "mul"
}

// Canonical returns the spelling of a tag that all its spellings share; ok is false where it names
// no known language.
func Canonical(s string) (tag string, ok bool) {
	t, ok := parse(s)
	return t.String(), ok
}

// WellFormed reports whether a text can be a tag, be it of a language that nobody knows.
func WellFormed(s string) bool {
	if len(s) > maxLength {
		return false
	}
	_, err := language.All.Parse(s)
	var unknown language.ValueError
	return err == nil || errors.As(err, &unknown)
}

// Chain returns a tag and what it is a kind of, the nearest first: fr-CA, fr.
func Chain(tag string) []string {
	var all []string
	for t, ok := parse(tag); ok && t != language.Und; t = t.Parent() {
		all = append(all, t.String())
	}
	return all
}

// A Choice is the languages of some data: its own, and those into which it is translated. The nil
// Choice has none but its own.
type Choice struct {
	sets []*set

	mu  sync.RWMutex
	met map[string]string // what [Choice.Best] found, by the header
}

// A set is the languages of one part of the data.
type set struct {
	tags    []string // those of translations first
	bases   []language.Base
	own     int // the data's own, where it is not one of the translations; else beyond the end
	matcher language.Matcher
}

// New makes the choice of data in one language with translations into others. It is nil where there
// is no translation into any language that is known; own may be "".
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

// Join is the choice of an answer that is made of the data of both. Either may be nil.
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

// find returns the language of the data that a tag asks for, and whether it is one of translations.
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

// Find returns the language of the data that a tag asks for; ok is false where there is none.
func (c *Choice) Find(tag string) (found string, ok bool) {
	t, ok := parse(tag)
	if c == nil || !ok {
		return "", false
	}
	found, _, ok = c.find(t)
	return found, ok
}

// Bounds of what Best remembers.
const (
	maxMet       = 1000
	maxMetLength = 300 // of a header
)

// Best returns the translation that a client likes best by its header, whose tags read returns in
// the client's order. It is "" where the client likes the data's own language better, or no
// language of it.
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
