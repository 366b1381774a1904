package edition

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

type index struct {
	// text has for each stop: words of its name, wordMark, words of its code, wordMark, words of
	// its id, stopMark.
	text      []byte
	from      []int32      // offset of each stop in text
	latLon    [][2]float64 // in degrees; NaN if missing
	northward []int32      // ranks of the stops with a position, from south to north
}

// Separators that folded texts never contain.
const (
	wordMark = '\x1f'
	stopMark = '\n'
)

func (s *Stop) indexBytes() int {
	n := 38 + len(s.StopName) + len(s.StopID)
	if s.StopCode != nil {
		n += len(*s.StopCode)
	}
	return n
}

func newIndex(stops []Stop) *index {
	x := &index{from: make([]int32, len(stops)), latLon: make([][2]float64, len(stops))}
	for i := range stops {
		s := &stops[i]
		x.latLon[i] = [2]float64{degrees(s.StopLat, 90), degrees(s.StopLon, 180)}
		x.from[i] = int32(len(x.text))
		if !s.IsPublic() || len(x.text) > math.MaxInt32/2 {
			continue
		}
		x.text = append(fold(x.text, s.StopName), wordMark)
		if s.StopCode != nil {
			x.text = fold(x.text, *s.StopCode)
		}
		x.text = append(fold(append(x.text, wordMark), s.StopID), stopMark)
	}
	x.text = slices.Clip(x.text)
	for i, at := range x.latLon {
		if !math.IsNaN(at[0]) && !math.IsNaN(at[1]) {
			x.northward = append(x.northward, int32(i))
		}
	}
	slices.SortFunc(x.northward, func(i, k int32) int { return cmp.Compare(x.latLon[i][0], x.latLon[k][0]) })
	return x
}

// IsPublic reports whether riders can look for the stop: it is a stop, a platform or a station.
func (s *Stop) IsPublic() bool {
	return s.LocationType == nil || *s.LocationType == "" || *s.LocationType == "0" || s.isStation()
}

func (s *Stop) isStation() bool { return s.LocationType != nil && *s.LocationType == "1" }

// degrees parses a coordinate. It returns NaN for an invalid cell.
func degrees(cell string, limit float64) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	if err != nil || math.Abs(v) > limit {
		return math.NaN()
	}
	return v
}

// A Search selects stops by terms, by distance from a point, or by both.
type Search struct {
	*Terms
	Near *Near
}

// Near is a circle; its radius is in metres.
type Near struct{ Lat, Lon, Radius float64 }

// A Found is a stop that matches a search.
type Found struct {
	*Stop
	// Class is 0 if the search equals the code or id, 1 if it equals the name, 2 for the beginning
	// of the name, 3 for words of the name, and 4 for words of code and id. In a search near a
	// point, 2 to 4 count as 1, and the distance decides.
	Class  byte
	Metres float64 // distance from the point; 0 without a point
}

// Compare sorts the best match first: by class, distance, stations before platforms, name.
func (f *Found) Compare(g *Found) int {
	rank := func(s *Stop) int {
		if s.isStation() {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(f.Class, g.Class), cmp.Compare(f.Metres, g.Metres), cmp.Compare(rank(f.Stop), rank(g.Stop)),
		cmp.Compare(f.Label, g.Label), cmp.Compare(f.StopID, g.StopID))
}

// A Hit is a Found with its feed.
type Hit struct {
	Found
	Feed *Feed
}

// SearchAll returns the best limit matches in feeds, and the total number of matches.
func SearchAll(ctx context.Context, feeds []*Feed, s Search, limit int) (best []Hit, total int, err error) {
	compare := func(x, y Hit) int { return x.Compare(&y.Found) }
	for _, f := range feeds {
		f.Search(s, func(found Found) bool {
			total++
			best = append(best, Hit{found, f})
			if len(best) >= 10*limit {
				slices.SortStableFunc(best, compare)
				best = best[:limit]
			}
			return total%1000 != 0 || ctx.Err() == nil
		})
	}
	slices.SortStableFunc(best, compare)
	return best[:min(len(best), limit)], total, ctx.Err()
}

// Search calls found with each match, in no order, until found returns false.
func (e *Edition) Search(s Search, found func(Found) bool) {
	if e == nil || s.Terms == nil && s.Near == nil {
		return
	}
	if s.Terms == nil {
		e.StopsIn(Area{Near: s.Near}, func(i int, away float64) bool {
			return !e.Stops[i].IsPublic() || found(Found{Stop: &e.Stops[i], Metres: away})
		})
		return
	}
	x := e.index
	for at := 0; ; {
		hit := bytes.Index(x.text[at:], []byte(s.words[0]))
		if hit < 0 {
			return
		}
		hit += at
		i, ok := slices.BinarySearch(x.from, int32(hit))
		if !ok {
			i--
		}
		// Stops without text have the same offset as the next stop.
		for i+1 < len(x.from) && x.from[i+1] == x.from[i] {
			i++
		}
		end := hit + bytes.IndexByte(x.text[hit:], stopMark)
		at = end
		class, fits := s.class(x.text[x.from[i]:end])
		if !fits {
			continue
		}
		if f, ok := e.found(i, s, class); ok && !found(f) {
			return
		}
	}
}

// found returns the match of stop i; ok is false if the stop is too far away.
func (e *Edition) found(i int, s Search, class byte) (f Found, ok bool) {
	f = Found{Stop: &e.Stops[i], Class: class}
	if s.Near == nil {
		return f, true
	}
	f.Class = min(class, 1)
	f.Metres = Distance(s.Near.Lat, s.Near.Lon, e.index.latLon[i][0], e.index.latLon[i][1])
	return f, f.Metres <= s.Near.Radius // false if Metres is NaN
}

// Match returns the [Found.Class] of a public stop; fits is false if a term is missing.
func (e *Edition) Match(s *Stop, w *Terms) (class byte, fits bool) {
	i, ok := e.Rank(s.StopID)
	if !ok || w == nil {
		return 0, false
	}
	text, _, _ := bytes.Cut(e.index.text[e.index.from[i]:], []byte{stopMark})
	return w.class(text)
}

// SearchRoutes returns the routes that have all terms in their names or id, the best match first.
// Equal matches keep their order.
// names returns a route with the names to search.
func SearchRoutes(all []*Route, w *Terms, names func(*Route) *Route) (found []*Route) {
	if w == nil {
		return nil
	}
	classes := map[*Route]byte{}
	for _, r := range all {
		own := names(r)
		var text []byte
		for _, cell := range []*string{own.RouteLongName, own.RouteShortName, &r.RouteID} {
			if cell != nil {
				text = fold(text, *cell)
			}
			text = append(text, wordMark)
		}
		if class, fits := w.class(text[:len(text)-1]); fits {
			classes[r] = class
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b *Route) int { return cmp.Compare(classes[a], classes[b]) })
	return found
}

// class returns the [Found.Class] of a stop's text; fits is false if a word is missing.
func (w *Terms) class(text []byte) (class byte, fits bool) {
	name, rest, _ := bytes.Cut(text, []byte{wordMark})
	code, id, _ := bytes.Cut(rest, []byte{wordMark})
	inName := true
	for _, word := range w.words {
		if !bytes.Contains(text, []byte(word)) {
			return 0, false
		}
		inName = inName && bytes.Contains(name, []byte(word))
	}
	switch {
	case string(code) == w.whole || string(id) == w.whole:
		return 0, true
	case string(name) == w.whole:
		return 1, true
	case bytes.HasPrefix(name, []byte(w.whole)):
		return 2, true
	case inName:
		return 3, true
	}
	return 4, true
}

// spelled has letters that do not decompose, and how people type them.
var spelled = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th",
	'ı': "i", 'ħ': "h"}

// fold appends the words of a text in the form that a search compares: each after a space, in lower
// case and without accents. It drops apostrophes; every other character except letters and digits
// ends a word. In scripts without spaces, each letter is a word.
func fold(b []byte, text string) []byte {
	inside := false // inside a word
	for _, r := range norm.NFKD.String(text) {
		switch {
		case r == '\'' || r == '’' || r == 'ʼ' || unicode.Is(unicode.Mn, r):
			continue
		case r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mc, r):
			inside = false
			continue
		}
		alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
			unicode.Myanmar)
		if !inside || alone {
			b = append(b, ' ')
		}
		inside = !alone
		r = unicode.ToLower(r)
		if s, ok := spelled[r]; ok {
			b = append(b, s...)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

const maxWords = 8

// Terms are words or beginnings of words.
type Terms struct {
	whole string   // the folded search text
	words []string // each word after a space; the longest first
}

// ParseTerms parses the text of a search. It returns nil if the text has no words.
func ParseTerms(text string) *Terms {
	whole := string(fold(nil, text))
	if whole == "" {
		return nil
	}
	var words []string
	for word := range strings.SplitSeq(whole[1:], " ") {
		if len(words) == maxWords {
			break
		}
		words = append(words, " "+word)
	}
	w := newTerms(words)
	w.whole = whole
	return w
}

// newTerms returns the terms of words, each after a space.
func newTerms(words []string) *Terms {
	w := &Terms{whole: strings.Join(words, ""), words: words}
	for i := range words { // the longest word is the rarest: search for it first
		if len(words[i]) > len(words[0]) {
			words[0], words[i] = words[i], words[0]
		}
	}
	return w
}
