package lines

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

var (
	// spokenAt matches the time of a line in a transcript: "[00:01:13] Clerk Poe: Member Doe?"
	spokenAt = regexp.MustCompile(`^\[\d{1,2}:\d\d(?::\d\d)?\]\s+`)
	// called matches the call of one member in a roll
	called = regexp.MustCompile(`^\p{Lu}[\p{L}.'’ -]{1,40}: (?:[\p{L}.'’-]+ ){0,4}([\p{L}'’-]+)\?$`)
	// answered matches what the member answers, and what the member says besides
	answered = words.Regexp(`^((?:[\p{L}.'’-]+ ){0,4}([\p{L}'’-]+): (?i:{roll answer}))\b[.,!]?\s*(.*)$`)
)

// loneTime matches the place of a topic in a recording, on a line of its own. minAlone is the number of them from which
// they are none of the text.
var loneTime = regexp.MustCompile(`^\[?\d{1,2}:\d{2}:\d{2}\]?$`)

const minAlone = 3

// minSpoken is the number of lines with a time from which a text is a transcript.
const minSpoken = 10

// cutTimes removes the times of a transcript, and the calls of a roll before the answers of their members, so
// that the answers stand below each other.
func cutTimes(all []Line) []Line {
	times, alone := 0, 0
	for _, ln := range all {
		if loneTime.MatchString(ln.Text) {
			alone++
		}
		if strings.HasPrefix(ln.Text, "[") && spokenAt.MatchString(ln.Text) {
			times++
		}
	}
	for i := range all {
		if alone >= minAlone && loneTime.MatchString(all[i].Text) {
			all[i].Text = "" // the next topic begins
		}
	}
	if times < minSpoken {
		return all
	}
	out := make([]Line, 0, len(all))
	name := ""
	for i, ln := range all {
		ln.Text = spokenAt.ReplaceAllString(ln.Text, "")
		if m := called.FindStringSubmatch(ln.Text); m != nil && i+1 < len(all) {
			next := answered.FindStringSubmatch(spokenAt.ReplaceAllString(all[i+1].Text, ""))
			if next != nil && strings.EqualFold(next[2], m[1]) {
				name = m[1]
				continue
			}
		}
		m := answered.FindStringSubmatch(ln.Text)
		if m == nil || !strings.EqualFold(m[2], name) {
			out, name = append(out, ln), ""
			continue
		}
		ln.Text, name = m[1], ""
		if out = append(out, ln); m[3] != "" {
			ln.Text = m[3]
			out = append(out, ln)
		}
	}
	return out
}
