// Package reading reads what the products of package portal write in the same ways: times without a
// zone, titles and pages in HTML, fields of JSON, words that call a meeting off, names of
// documents.
//
// It knows no product, no network and no database, and it never guesses: what it cannot read is
// empty. fragment.go turns HTML into text, json.go reads fields. Packages civicclerk and primegov
// use it; begin there.
package reading

import (
	"regexp"
	"strings"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// wallLength is the length of a day and a time: 2026-01-02T15:04:05.
const wallLength = len("2006-01-02T15:04:05")

// Wall reads a time that is local in zone, whatever stands behind the seconds: portals write local
// times and put a Z behind them. ok is false for what is no time, and for the years that such
// systems write for none.
func Wall(s string, zone *time.Location) (at time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) == len(time.DateOnly) {
		s += "T00:00:00"
	}
	if len(s) < wallLength {
		return time.Time{}, false
	}
	at, err := time.ParseInLocation("2006-01-02T15:04:05", s[:wallLength], zone)
	// 1900-01-01 and 0001-01-01 stand for no time at all; no portal has meetings of before 1901.
	if err != nil || at.Year() <= 1900 || at.Year() >= 9999 {
		return time.Time{}, false
	}
	return at, true
}

// Since is the first day of a list that is asked for in parts: as far back as needed, and a year at
// least.
func Since(w portal.Window) time.Time {
	since := w.Back
	if year := w.To.AddDate(-1, 0, 0); since.After(year) {
		since = year
	}
	if since.Before(w.From) {
		since = w.From
	}
	return since
}

var (
	cancelWords = regexp.MustCompile(`(?i)\bcancell?ed\b|\bcancell?ation\b|^no (?:\w+ )?meeting\b|- no (?:\w+ )?meeting$`)
	deferWords  = regexp.MustCompile(`(?i)\bpostponed\b|\bre-?scheduled (?:to|for)\b|\bmoved to \w+ \d`)
	// Operators try their systems out in public.
	testWords = regexp.MustCompile(
		`(?i)^\W*test(?:ing)?\b(?: (?:event|meeting|agenda|committee|streaming|stream|only|\d+|for)\b|\W*$)|\btest (?:event|meeting)\b|\bno autostart\b|\bdo not use\b`)
)

// StateOf reads from a title whether the meeting takes place, and the word that says so; the state
// is "" where the title says nothing.
func StateOf(title string) (s portal.State, word string) {
	title = portal.Fold(title)
	word = deferWords.FindString(title)
	if word != "" {
		return portal.Deferred, word
	}
	word = cancelWords.FindString(title)
	if word != "" {
		return portal.Cancelled, word
	}
	return "", ""
}

// IsTest reports whether a title is that of a test of the system, and of no meeting.
func IsTest(title string) bool { return testWords.MatchString(portal.Fold(title)) }

// stateParts are what a title says of the state beside the name: at its beginning or end, set off
// by a dash, in brackets, or bare.
var stateParts = regexp.MustCompile(
	`(?i)^\W*(?:cancell?ed|postponed)\b[\s:–—*-]*|[\s(*–—:-]*\b(?:cancell?ed|postponed)\b[\s)*!.]*$|[\s(–—-]+re-?scheduled (?:to|for)\b.*$|[\s(–—-]+notice of cancell?ation\W*$`)

// WithoutState is a title without the words for the state.
func WithoutState(title string) string {
	title = portal.Fold(title)
	if bare := strings.Trim(stateParts.ReplaceAllString(title, ""), " -–—:*"); bare != "" {
		return bare
	}
	return title
}

var (
	remark  = regexp.MustCompile(`\s*\([^()]*\)\s*$`)
	session = regexp.MustCompile(
		`(?i)[\s–—:,-]+(?:(?:(?:regular|special|emergency|annual|adjourned|joint|virtual|closed|organizational|informational|public|study|work|january|february|march|april|may|june|july|august|september|october|november|december)[\s-]+)*(?:meetings?|sessions?|worksessions?|workshops?|hearings?|retreat|agenda))+$`)
)

// BodyOf is the board that a title begins with, where nothing else says whose meeting it is: what
// is left without the state, a remark in brackets, and the words for the kind of session.
func BodyOf(title string) string {
	title = WithoutState(title)
	for _, part := range []*regexp.Regexp{remark, session} {
		if bare := strings.TrimSpace(part.ReplaceAllString(title, "")); bare != "" {
			title = bare
		}
	}
	return title
}

// TypeOf is what a title says beside the board: "Worksession" of "City Council Worksession".
func TypeOf(title, body string) string {
	title = remark.ReplaceAllString(WithoutState(title), "")
	if len(title) > len(body) && strings.EqualFold(title[:len(body)], body) {
		return strings.Trim(title[len(body):], " -–—:,")
	}
	if strings.EqualFold(title, body) {
		return ""
	}
	return title
}

// kindRules are tried in order: the first whose words stand in a name says its kind.
var kindRules = []struct {
	words *regexp.Regexp
	kind  portal.DocumentKind
}{
	{regexp.MustCompile(`(?i)\bcancell?(?:ed|ation)\b|\bnotice\b|\brecess\b`), portal.KindNotice},
	{regexp.MustCompile(
		`(?i)\b(?:final|council|summary of|record of|official) actions?\b|\baction (?:agenda|minutes|summary|report)\b|\bactions? taken\b|\bannotated agenda\b`), portal.KindActions},
	{regexp.MustCompile(`(?i)\bminutes\b|\bjournal\b`), portal.KindMinutes},
	{regexp.MustCompile(`(?i)\bpacket\b|\bagenda package\b`), portal.KindPacket},
	{regexp.MustCompile(`(?i)\bagenda\b`), portal.KindAgenda},
}

// KindOf returns what a document is for by its name. Names are words of the town: what the town's
// own table says of a name goes before what its words say to everybody. The format can be part of a
// name ("HTML Agenda"); it says nothing of the kind.
func KindOf(name string, own map[string]portal.DocumentKind) portal.DocumentKind {
	if kind, ok := own[portal.FoldName(name)]; ok {
		return kind
	}
	for _, r := range kindRules {
		if r.words.MatchString(name) {
			return r.kind
		}
	}
	return portal.KindOther
}

var (
	draftWords   = regexp.MustCompile(`(?i)\bdraft\b|\bunapproved\b|\bpending approval\b|\bproposed\b`)
	revisedWords = regexp.MustCompile(`(?i)\brevised\b|\bamended\b|\bcorrected\b|\bupdated\b`)
	finalWords   = regexp.MustCompile(`(?i)\bfinal\b|\bapproved\b|\badopted\b|\bsigned\b`)
)

// PapersOf reads from the name of a document how far it is; the state is "" where the name says
// nothing.
func PapersOf(name string) portal.Papers {
	for _, r := range []struct {
		words *regexp.Regexp
		state portal.PaperState
	}{{draftWords, portal.Draft}, {revisedWords, portal.Revised}, {finalWords, portal.Final}} {
		if word := r.words.FindString(name); word != "" {
			return portal.Papers{State: r.state, Word: word}
		}
	}
	return portal.Papers{}
}

// placeholders are names of files that only lead to the files.
var placeholders = regexp.MustCompile(`(?i)^\W*(?:please )?(?:select|see|click)\b.*\bfiles?\b`)

// IsPlaceholder reports whether a document's name says that it is none: "Select MEETING FILES to
// see the minutes".
func IsPlaceholder(name string) bool { return placeholders.MatchString(portal.Fold(name)) }
