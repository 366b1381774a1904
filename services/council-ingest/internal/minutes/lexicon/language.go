package lexicon

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// Language is the language of a document.
type Language int

const (
	English Language = iota
	French
	Spanish
)

// The names of the languages in the table of words.
var languageNames = [...]string{English: "English", French: "French", Spanish: "Spanish"}

var (
	// frequent are words of each language of which no other language has many.
	frequent = inLanguages("frequent")
	// tellsLanguage are words of the heads of minutes, which are short, in one language only.
	tellsLanguage = inLanguages("tells language")
)

func inLanguages(row string) (lists [len(languageNames)]words.List) {
	for l, name := range languageNames {
		lists[l] = words.PlainIn(name, row)
	}
	return lists
}

// A Guess counts the frequent words of each language.
type Guess [3]int

// Add counts the words of a line.
func (g *Guess) Add(text string) {
	f, _ := FoldText(text)
	for w := range strings.FieldsSeq(f) {
		w = strings.Trim(w, ".,:;()")
		for l := English; l <= Spanish; l++ {
			if frequent[l].Is(w) {
				g[l]++
			} else if tellsLanguage[l].Is(w) {
				g[l] += 3
			}
		}
	}
}

// Language returns the language of most words, and whether that is plain English, without many words of another
// language.
func (g *Guess) Language() (best Language, plain bool) {
	for _, l := range []Language{French, Spanish} {
		if g[l] > g[best] && g[l] > 2 {
			best = l
		}
	}
	return best, best == English && max(g[French], g[Spanish])*4 < g[English]
}

// The honorifics of French and Spanish minutes, some of which look like initials.
var honorifics = map[Language]*regexp.Regexp{
	French:  words.Regexp(`(^|[\s,;:(–-])(?:(?i:{mr and mrs})|{Mrs}|{MRS})\s+(\p{Lu})`),
	Spanish: words.Regexp(`(^|[\s,;:(–-])(?:{Don}|{DON}|{don before name} |(?i:{degree of name})\.|C\.(?: ?C\.)?)\s*(\p{Lu})`),
}

// andTitled matches "and" before an honorific.
var andTitled = words.Regexp(`,? {joins titled} ((?:{Don}|{DON}|(?i:{degree of name})\.|C\.(?: ?C\.)?)\s*\p{Lu})`)

// WithoutHonorifics removes the honorifics of a language from a list of names.
func (l Language) WithoutHonorifics(text string) string {
	if form := honorifics[l]; form != nil && strings.ContainsAny(text, ".MDªd") {
		if l == Spanish {
			text = andTitled.ReplaceAllString(text, ", $1") // "Ann Doe Roe y D. Bob Poe", which is no name "Roe y Bob"
		}
		return form.ReplaceAllString(text, "$1$2")
	}
	return text
}

// Proxy matches whom an absent member asked to vote: "donne pouvoir à Monsieur Doe"
var Proxy = words.Regexp(`,? *\(?(?:{who gave} )?(?:{gives} {pouvoir}|{represented}) {to whom}` +
	` (?:{Proxy title} )?(?:\p{Lu}\.(?:-?\p{Lu}\.)? )?(?:(?i:{the maire})|\p{Lu}[\p{L}'’-]*(?: (?:{name particle})?` +
	`\p{Lu}[\p{L}'’-]*)*)\)?`)

// byProxy matches the remark that somebody votes for a member who is absent: "M. Doe par procuration".
var byProxy = words.Regexp(`(?i),? (?:\({by proxy}\)|{by proxy})`)

// WithoutProxies removes who votes for the absent members of a list.
func (l Language) WithoutProxies(text string) string {
	if !l.NamesProxy(text) {
		return text
	}
	return byProxy.ReplaceAllString(Proxy.ReplaceAllStringFunc(text, func(match string) string {
		if strings.HasSuffix(match, ")") && !strings.Contains(match, "(") {
			return ")" // of the bracket around the list
		}
		return ""
	}), "")
}

// NamesProxy reports whether a text speaks of somebody who votes for an absent member.
func (l Language) NamesProxy(text string) bool {
	return l == French && strings.ContainsAny(text, "prmPRM") && ofProxy.MatchString(text)
}

// ofProxy matches the words without which a text has no proxy.
var ofProxy = words.Regexp(`(?i)\b{part of proxy}`)

// honorificOffice matches an honorific before an article: "M. le Conseiller Dupont".
var honorificOffice = words.Regexp(`^(?:(?i:{mr and mrs})|{Mrs}|{MRS})\s+\p{Ll}`)

// IsHonorific reports whether what looks like the letter of an outline begins with an honorific: "M. Dupont",
// "M. le Maire".
func (l Language) IsHonorific(text string) bool {
	form := honorifics[l]
	return form != nil && (form.MatchString(text[:min(len(text), 12)]) || honorificOffice.MatchString(text))
}
