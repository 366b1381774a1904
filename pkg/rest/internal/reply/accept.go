package reply

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Coding is a content coding of a body. If codings have equal weight, the last is chosen.
type Coding uint8

const (
	Identity Coding = iota
	gzipped
	zstded
)

// Negotiate chooses the coding of an answer from the lines of Accept-Encoding (RFC 9110, 12.5.3).
// If there is no header, or it refuses all our codings, the answer is plain.
func Negotiate(lines []string) Coding {
	if len(lines) == 1 { // fast path for the headers of browsers and Go
		switch lines[0] {
		case "gzip, deflate, br, zstd":
			return zstded
		case "gzip", "gzip, deflate", "gzip, deflate, br":
			return gzipped
		}
	}
	const unsaid = -1
	q := [3]float64{unsaid, unsaid, unsaid}
	star := float64(unsaid)
	for name, weight := range elements(lines) {
		switch {
		case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
			q[gzipped] = max(q[gzipped], weight)
		case strings.EqualFold(name, "zstd"):
			q[zstded] = max(q[zstded], weight)
		case strings.EqualFold(name, "identity"):
			q[Identity] = max(q[Identity], weight)
		case name == "*":
			star = max(star, weight)
		}
	}
	best, most := Identity, q[Identity]
	if most == unsaid {
		most = 0 // plain is acceptable, but a named coding is preferred
	}
	for _, c := range []Coding{gzipped, zstded} {
		w := q[c]
		if w == unsaid {
			w = star
		}
		if w > 0 && w >= most {
			best, most = c, w
		}
	}
	return best
}

func elements(lines []string) iter.Seq2[string, float64] {
	return func(yield func(name string, q float64) bool) {
		for _, line := range lines {
			for elem := range strings.SplitSeq(line, ",") {
				if !yield(weighted(elem)) {
					return
				}
			}
		}
	}
}

// weighted splits "name;q=0.5" into name and weight. The weight is 1 if it is absent, 0 if it is
// malformed.
func weighted(elem string) (name string, q float64) {
	name, params, more := strings.Cut(elem, ";")
	name = strings.TrimSpace(name)
	q = 1
	for more {
		var param string
		param, params, more = strings.Cut(params, ";")
		key, val, _ := strings.Cut(strings.TrimSpace(param), "=")
		if !strings.EqualFold(strings.TrimSpace(key), "q") {
			continue
		}
		w, err := strconv.ParseFloat(strings.TrimSpace(val), 64)
		if err != nil || !(w >= 0 && w <= 1) {
			return name, 0
		}
		q = w
	}
	return name, q
}

// NamesJSON reports whether an Accept header names application/json or application/*.
// "*/*" is not enough.
func NamesJSON(lines []string) bool {
	return len(lines) > 0 && lines[0] == "application/json" || weightOf(lines, "application/json", "application/*") > 0
}

// Names reports whether an Accept header names a media type.
func Names(lines []string, media string) bool { return weightOf(lines, media) > 0 }

// weightOf returns the largest weight of the names in a header, or 0 if the header has none of
// them.
func weightOf(lines []string, names ...string) (most float64) {
	for name, q := range elements(lines) {
		if q > most && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			most = q
		}
	}
	return most
}

// PrefersHTML reports whether an Accept header prefers text/html to JSON, as browsers do.
func PrefersHTML(lines []string) bool {
	return weightOf(lines, "text/html") > weightOf(lines, "application/json", "application/*")
}

// maxLanguages bounds the languages that are read; browsers send a few.
const maxLanguages = 20

// Accepted returns the languages that an Accept-Language header accepts, in order of preference.
func Accepted(header string) []string {
	weights, names := map[string]float64{}, []string(nil)
	for name, q := range elements([]string{header}) {
		if q > 0 && len(names) < maxLanguages {
			names, weights[name] = append(names, name), max(weights[name], q)
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(weights[y], weights[x]) })
	return names
}
