package portal

import (
	"regexp"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
)

const localLayout = "2006-01-02T15:04:05"

// ParseLocal parses a time as local in zone. It ignores a suffix, because portals write local times
// with a Z. ok is false for the years that stand for a missing time.
func ParseLocal(s string, zone *time.Location) (at time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) == len(time.DateOnly) {
		s += "T00:00:00"
	}
	at, err := time.ParseInLocation(localLayout, s[:min(len(s), len(localLayout))], zone)
	if err != nil || at.Year() <= 1900 || at.Year() >= 9999 {
		return time.Time{}, false
	}
	return at, true
}

// ListFrom returns the first day of a list that is requested in parts. It is w.Back, but at least a
// year before w.To.
func ListFrom(w Window) time.Time {
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
	// Some operators publish meetings that are only tests.
	testWords = regexp.MustCompile(
		`(?i)^\W*test(?:ing)?\b(?: (?:event|meeting|agenda|committee|streaming|stream|only|\d+|for)\b|\W*$)|\btest (?:event|meeting)\b|\bno autostart\b|\bdo not use\b`)
)

// StateOf returns the state of a meeting and the word for the state, from the title. It returns ""
// if the title has no such word.
func StateOf(title string) (s State, word string) {
	title = council.Fold(title)
	word = deferWords.FindString(title)
	if word != "" {
		return Deferred, word
	}
	word = cancelWords.FindString(title)
	if word != "" {
		return Cancelled, word
	}
	return "", ""
}

// IsTest reports whether a title names a test and not a meeting.
func IsTest(title string) bool { return testWords.MatchString(council.Fold(title)) }

// stateParts matches words for the state at the beginning or end of a title, with their
// punctuation.
var stateParts = regexp.MustCompile(
	`(?i)^\W*(?:cancell?ed|postponed)\b[\s:–—*-]*|[\s(*–—:-]*\b(?:cancell?ed|postponed)\b[\s)*!.]*$|[\s(–—-]+re-?scheduled (?:to|for)\b.*$|[\s(–—-]+notice of cancell?ation\W*$`)

// WithoutState removes the words for the state from a title.
func WithoutState(title string) string {
	title = council.Fold(title)
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

// BodyOf guesses the body from a title. It removes the state, a remark in brackets, and the words
// for the kind of session.
func BodyOf(title string) string {
	title = WithoutState(title)
	for _, part := range []*regexp.Regexp{remark, session} {
		if bare := strings.TrimSpace(part.ReplaceAllString(title, "")); bare != "" {
			title = bare
		}
	}
	return title
}

// bodyWord matches a word that nearly every name of a body has. A name without such a word is
// truncated, or names a meeting.
var bodyWord = regexp.MustCompile(`(?i)\b(?:(?:sub-?)?committees?|commissions?|boards?|councils?|authority|agency|` +
	`panel|court|task ?force|work(?:ing)? ?group|district|corporation|trust|trustees|commissioners|supervisors|` +
	`selectmen|aldermen|legislature|assembly)\b`)

// IsBody reports whether a text names a body: it has a word such as committee.
func IsBody(text string) bool { return bodyWord.MatchString(text) }

// TypeOf returns the part of a title after the body, such as "Worksession" in "City Council
// Worksession".
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

// The first rule that matches a name decides.
var kindRules = []struct {
	words *regexp.Regexp
	kind  DocumentKind
}{
	{regexp.MustCompile(`(?i)\bcancell?(?:ed|ation)\b|\bnotice\b|\brecess\b`), KindNotice},
	{regexp.MustCompile(
		`(?i)\b(?:final|council|summary of|record of|official) actions?\b|\baction (?:agenda|minutes|summary|report)\b|\bactions? taken\b|\bannotated agenda\b`), KindActions},
	{regexp.MustCompile(`(?i)\bminutes\b|\bjournal\b`), KindMinutes},
	{regexp.MustCompile(`(?i)\bpacket\b|\bagenda package\b`), KindPacket},
	{regexp.MustCompile(`(?i)\bagenda\b`), KindAgenda},
}

// KindOf returns the kind of a document by its name. The town's own table takes precedence.
func KindOf(name string, own map[string]DocumentKind) DocumentKind {
	if kind, ok := own[FoldName(name)]; ok {
		return kind
	}
	for _, r := range kindRules {
		if r.words.MatchString(name) {
			return r.kind
		}
	}
	return KindOther
}

var (
	draftWords   = regexp.MustCompile(`(?i)\bdraft\b|\bunapproved\b|\bpending approval\b|\bproposed\b`)
	revisedWords = regexp.MustCompile(`(?i)\brevised\b|\bamended\b|\bcorrected\b|\bupdated\b`)
	finalWords   = regexp.MustCompile(`(?i)\bfinal\b|\bapproved\b|\badopted\b|\bsigned\b`)
)

// StatusOf returns the status that the name of a document states.
func StatusOf(name string) DocumentStatus {
	for _, r := range []struct {
		words *regexp.Regexp
		state DocumentState
	}{{draftWords, Draft}, {revisedWords, Revised}, {finalWords, Final}} {
		if word := r.words.FindString(name); word != "" {
			return DocumentStatus{State: r.state, Word: word}
		}
	}
	return DocumentStatus{}
}

var placeholders = regexp.MustCompile(`(?i)^\W*(?:please )?(?:select|see|click)\b.*\bfiles?\b`)

// IsPlaceholder reports whether a document's name points to other files, as in "Select MEETING
// FILES to see the minutes".
func IsPlaceholder(name string) bool { return placeholders.MatchString(council.Fold(name)) }
