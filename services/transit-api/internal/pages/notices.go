package pages

import (
	"html"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"

	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// A Notice is an alert or what the operator says: one line, and the rest behind it.
type Notice struct {
	Severe bool
	Text   string
	More   string // further text
	Link   string
}

// Short is as much of the text as stands in a line that opens to show all.
func (n Notice) Short() string { return short(n.Text, maxName) }

// notices adds the alerts about the stops, the severest first, the notes of the operator, and the alerts about lines and agencies.
func (v *Board) notices() {
	v.Notices = noticesOf(v.Lang, v.data.Alerts, v.data.Notes)
}

func noticesOf(lang string, alerts []realtime.DepartureAlert, notes []string) (all []Notice) {
	add := func(n Notice) {
		if n.Text != "" && !slices.ContainsFunc(all, func(o Notice) bool { return o.Text == n.Text }) {
			all = append(all, n)
		}
	}
	about := func(stops bool) {
		for i := range alerts {
			if a := &alerts[i]; stops == (len(a.StopIDs) > 0) {
				add(newNotice(lang, a.SeverityLevel, a.HeaderText, a.DescriptionText, a.URL))
			}
		}
	}
	about(true)
	for _, note := range notes {
		add(Notice{Text: plain(note)})
	}
	about(false)
	return all
}

// newNotice is an alert in a language.
func newNotice(lang string, severity *string, header, description, link *realtime.TranslatedString) Notice {
	n := Notice{Severe: cell(severity) == "SEVERE", Text: plain(translation(lang, header)),
		More: plain(translation(lang, description)), Link: plain(translation(lang, link))}
	if n.Text == "" {
		n.Text, n.More = n.More, ""
	}
	return n
}

// translation is the text in a language: that one, else the one without a language, else English, else the first.
func translation(lang string, t *realtime.TranslatedString) string {
	best, text := 0, ""
	if t == nil {
		return ""
	}
	for _, x := range t.Translation {
		base, _, _ := strings.Cut(strings.ReplaceAll(cell(x.Language), "_", "-"), "-")
		rank := 1
		switch strings.ToLower(base) {
		case lang:
			rank = 4
		case "":
			rank = 3
		case "en":
			rank = 2
		}
		if rank > best {
			best, text = rank, x.Text
		}
	}
	return text
}

// maxPlain is how many characters of a text of others are shown.
const maxPlain = 1000

// plain is the text of what may be HTML, in one line.
func plain(s string) string {
	if strings.ContainsAny(s, "<&") {
		s = html.UnescapeString(bluemonday.StrictPolicy().AddSpaceWhenStrippingTag(true).Sanitize(s))
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return short(s, maxPlain)
}

// Characters of what stands in a row, however much a feed writes.
const (
	maxName = 200
	maxSign = 60 // of a line, a platform or a code
)

// short cuts a text to so many characters.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
