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

// An index finds stops by their words and by their place.
type index struct {
	// text is all stops one after the other: the words of the name, a wordMark, those of the code, a
	// wordMark, those of the id, a stopMark.
	text  []byte
	from  []int32      // where each stop begins in text
	place [][2]float64 // latitude and longitude in degrees; NaN if the feed gives none
	// northward are the ranks of the stops with a place, from south to north.
	northward []int32
}

// Marks that no folded text holds.
const (
	wordMark = '\x1f'
	stopMark = '\n'
)

// indexBytes is what the stop takes in the index, about.
func (s *Stop) indexBytes() int {
	n := 38 + len(s.StopName) + len(s.StopID)
	if s.StopCode != nil {
		n += len(*s.StopCode)
	}
	return n
}

func newIndex(stops []Stop) *index {
	x := &index{from: make([]int32, len(stops)), place: make([][2]float64, len(stops))}
	for i := range stops {
		s := &stops[i]
		x.place[i] = [2]float64{degrees(s.StopLat, 90), degrees(s.StopLon, 180)}
		x.from[i] = int32(len(x.text))
		if !s.Public() || len(x.text) > math.MaxInt32/2 {
			continue // found by nobody
		}
		x.text = append(fold(x.text, s.StopName), wordMark)
		if s.StopCode != nil {
			x.text = fold(x.text, *s.StopCode)
		}
		x.text = append(fold(append(x.text, wordMark), s.StopID), stopMark)
	}
	x.text = slices.Clip(x.text)
	for i, at := range x.place {
		if !math.IsNaN(at[0]) && !math.IsNaN(at[1]) {
			x.northward = append(x.northward, int32(i))
		}
	}
	slices.SortFunc(x.northward, func(i, k int32) int { return cmp.Compare(x.place[i][0], x.place[k][0]) })
	return x
}

// Public reports whether riders look for the stop: it is a stop, a platform or a station, not an
// entrance or a part of one.
func (s *Stop) Public() bool {
	return s.LocationType == nil || *s.LocationType == "" || *s.LocationType == "0" || s.station()
}

func (s *Stop) station() bool { return s.LocationType != nil && *s.LocationType == "1" }

// degrees reads a coordinate; NaN is none.
func degrees(cell string, most float64) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	if err != nil || math.Abs(v) > most {
		return math.NaN()
	}
	return v
}

// A Search is what stops are looked for by: words, a place, or both.
type Search struct {
	*Wording
	Near *Near
}

// Near is all within so many metres of a point.
type Near struct{ Lat, Lon, Radius float64 }

// A Found is a stop that a search found, and how well it fits.
type Found struct {
	*Stop
	// Class is 0 for the very code or id, 1 for the name, 2 for its beginning, 3 for words of it, 4
	// for words of code and id. Near a place the distance orders these: they are 1.
	Class byte
	// Metres is how far the stop is from the place; 0 without one.
	Metres float64
}

// Compare orders what is found, the best first: by class, by distance, stations before their
// platforms, by name.
func (f *Found) Compare(g *Found) int {
	rank := func(s *Stop) int {
		if s.station() {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(f.Class, g.Class), cmp.Compare(f.Metres, g.Metres), cmp.Compare(rank(f.Stop), rank(g.Stop)),
		cmp.Compare(f.Label, g.Label), cmp.Compare(f.StopID, g.StopID))
}

// A Hit is a found stop with its feed.
type Hit struct {
	Found
	Feed *Feed
}

// SearchAll returns the best stops of feeds, at most most, and how many were found.
func SearchAll(ctx context.Context, feeds []*Feed, s Search, most int) (best []Hit, total int, err error) {
	compare := func(x, y Hit) int { return x.Compare(&y.Found) }
	for _, f := range feeds {
		f.Search(s, func(found Found) bool {
			total++
			best = append(best, Hit{found, f})
			if len(best) >= 10*most {
				slices.SortStableFunc(best, compare)
				best = best[:most]
			}
			return total%1000 != 0 || ctx.Err() == nil
		})
	}
	slices.SortStableFunc(best, compare)
	return best[:min(len(best), most)], total, ctx.Err()
}

// Search calls back with each stop that is found, in no order, until the callback returns false.
func (e *Edition) Search(s Search, found func(Found) bool) {
	if e == nil || s.Wording == nil && s.Near == nil {
		return
	}
	if s.Wording == nil {
		e.In(Area{Near: s.Near}, func(i int, away float64) bool {
			return !e.Stops[i].Public() || found(Found{Stop: &e.Stops[i], Metres: away})
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
		// Stops without text begin where the next one does.
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

// found is a stop as it is found; ok is false where it is too far away.
func (e *Edition) found(i int, s Search, class byte) (f Found, ok bool) {
	f = Found{Stop: &e.Stops[i], Class: class}
	if s.Near == nil {
		return f, true
	}
	f.Class = min(class, 1)
	f.Metres = metres(s.Near.Lat, s.Near.Lon, e.index.place[i][0], e.index.place[i][1])
	return f, f.Metres <= s.Near.Radius // not if it is NaN
}

// class is how well the text of a stop fits; fits is false where a word is missing.
func (w *Wording) class(text []byte) (class byte, fits bool) {
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

// spelled are letters that have no accent to take off and are typed in other ways.
var spelled = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th",
	'ı': "i", 'ħ': "h"}

// fold appends the words of a text as a search compares them: each after a blank, in lower case and
// without accents. Apostrophes fall out, all else that is no letter and no digit ends a word; so
// does each letter of a script that writes no blanks.
func fold(b []byte, text string) []byte {
	inside := false // a word
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

// maxWords is how many words of a search count.
const maxWords = 8

// A Wording is what a search looks for: words, or their beginnings.
type Wording struct {
	whole string   // folded
	words []string // each after a blank; the longest first
}

// NewWording reads a search; nil when it has no word.
func NewWording(text string) *Wording {
	whole := string(fold(nil, text))
	if whole == "" {
		return nil
	}
	w := &Wording{whole: whole}
	for word := range strings.SplitSeq(whole[1:], " ") {
		if len(w.words) == maxWords {
			break
		}
		w.words = append(w.words, " "+word)
		if last := len(w.words) - 1; len(w.words[last]) > len(w.words[0]) {
			w.words[0], w.words[last] = w.words[last], w.words[0]
		}
	}
	return w
}
