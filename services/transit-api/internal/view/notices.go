package view

import (
	"html"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// notices are what is said of the stops, the severest first, what the operator says of them, then
// what is said of lines and agencies.
func (m *boardMaker) notices() {
	add := func(n Notice) {
		if n.Text != "" && !slices.ContainsFunc(m.Notices, func(o Notice) bool { return o.Text == n.Text }) {
			m.Notices = append(m.Notices, n)
		}
	}
	alerts := func(own bool) {
		for i := range m.data.Alerts {
			if a := &m.data.Alerts[i]; own == (len(a.StopIDs) > 0) {
				add(newNotice(m.Lang, a.SeverityLevel, a.HeaderText, a.DescriptionText, a.URL))
			}
		}
	}
	alerts(true)
	for _, note := range m.data.Notes {
		add(Notice{Text: Plain(note)})
	}
	alerts(false)
}

// Notices are alerts in a language.
func Notices(lang string, alerts []board.DepartureAlert) []Notice {
	m := boardMaker{Board: &Board{Head: site.Head{Lang: lang}}, data: &BoardData{Alerts: alerts}}
	m.notices()
	return m.Notices
}

// newNotice is an alert in a language.
func newNotice(lang string, severity *string, header, description, link *realtime.TranslatedString) Notice {
	n := Notice{Severe: text(severity, "") == "SEVERE", Text: translated(lang, header),
		More: translated(lang, description), Link: translated(lang, link)}
	if n.Text == "" {
		n.Text, n.More = n.More, ""
	}
	return n
}

// translated is a text of a feed in a language.
func translated(lang string, t *realtime.TranslatedString) string {
	if t == nil {
		return ""
	}
	all := make([]Translation, len(t.Translation))
	for i, x := range t.Translation {
		all[i] = Translation{text(x.Language, ""), x.Text}
	}
	return Plain(translation(lang, all))
}

// maxPlain is how many characters of a text of others are shown.
const maxPlain = 1000

// Plain is the text of what may be HTML, in one line.
func Plain(s string) string {
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
