package reply

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Coding is a content coding of a body. Of codings with equal weight the last is chosen.
type Coding uint8

// The codings.
const (
	Identity Coding = iota
	gzipped
	zstded
)

// suffix makes the ETags of codings differ: a strong validator identifies bytes.
func (c Coding) suffix() string {
	switch c {
	case gzipped:
		return "-gzip"
	case zstded:
		return "-zstd"
	}
	return ""
}

func (c Coding) name() string {
	switch c {
	case gzipped:
		return "gzip"
	case zstded:
		return "zstd"
	}
	return "identity"
}

// Negotiate picks the coding of an answer from the lines of Accept-Encoding (RFC 9110, 12.5.3).
// Without a header, or if it refuses all our codings, the answer is plain.
func Negotiate(lines []string) Coding {
	if len(lines) == 0 {
		return Identity
	}
	if len(lines) == 1 { // the headers of browsers and Go, without parsing
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
	for _, line := range lines {
		for elem := range strings.SplitSeq(line, ",") {
			name, weight := weighted(elem)
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
	}
	best, most := Identity, q[Identity]
	if most == unsaid {
		most = 0 // acceptable, but a requested coding is preferred
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

// weighted cuts "name;q=0.5" and returns the name and its weight: 1 if it has
// none, 0 if it is malformed.
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
	return len(lines) > 0 && lines[0] == "application/json" || Names(lines, "application/json") || Names(lines, "application/*")
}

// Names reports whether an Accept header names a media type.
func Names(lines []string, media string) bool {
	for _, line := range lines {
		for elem := range strings.SplitSeq(line, ",") {
			if name, q := weighted(elem); q > 0 && strings.EqualFold(name, media) {
				return true
			}
		}
	}
	return false
}

// PrefersHTML reports whether an Accept header prefers text/html to JSON, as that of browsers does.
func PrefersHTML(lines []string) bool {
	html, json := 0.0, 0.0
	for _, line := range lines {
		for elem := range strings.SplitSeq(line, ",") {
			name, q := weighted(elem)
			switch {
			case strings.EqualFold(name, "text/html"):
				html = max(html, q)
			case strings.EqualFold(name, "application/json"), strings.EqualFold(name, "application/*"):
				json = max(json, q)
			}
		}
	}
	return html > json
}

// PreferredLanguage picks the language that an Accept-Language header likes best of those that there are, "" when it names none of
// them (RFC 9110, 12.5.4). A regional kind of a language, such as fr-CA, is taken for the language.
func PreferredLanguage(lines, all []string) string {
	best, most := "", 0.0
	for _, line := range lines {
		for elem := range strings.SplitSeq(line, ",") {
			name, q := weighted(elem)
			name, _, _ = strings.Cut(name, "-")
			for _, have := range all {
				if q > most && strings.EqualFold(name, have) {
					best, most = have, q
				}
			}
		}
	}
	return best
}

// maxLanguages is how many languages of a header are read. Browsers send a few.
const maxLanguages = 20

// Accepted returns the languages of an Accept-Language header in the order in which the client likes them, without those that it refuses.
func Accepted(header string) []string {
	type wish struct {
		name string
		q    float64
	}
	var all []wish
	for elem := range strings.SplitSeq(header, ",") {
		if name, q := weighted(elem); q > 0 && len(all) < maxLanguages {
			all = append(all, wish{name, q})
		}
	}
	slices.SortStableFunc(all, func(x, y wish) int { return cmp.Compare(y.q, x.q) })
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = w.name
	}
	return names
}
