package reading

import (
	"regexp"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// kindRules are tried in order: the first whose words stand in a name says its kind.
var kindRules = []struct {
	words *regexp.Regexp
	kind  portal.Kind
}{
	{regexp.MustCompile(`(?i)\bcancell?(?:ed|ation)\b|\bnotice\b|\brecess\b`), portal.KindNotice},
	{regexp.MustCompile(`(?i)\b(?:final|council|summary of|record of|official) actions?\b|\baction (?:agenda|minutes|summary|report)\b|\bactions? taken\b|\bannotated agenda\b`), portal.KindActions},
	{regexp.MustCompile(`(?i)\bminutes\b|\bjournal\b`), portal.KindMinutes},
	{regexp.MustCompile(`(?i)\bpacket\b|\bagenda package\b`), portal.KindPacket},
	{regexp.MustCompile(`(?i)\bagenda\b`), portal.KindAgenda},
}

// KindOf returns what a document is for by its name. Names are words of the town: what the town's own table says of a name goes
// before what its words say to everybody. The format can be part of a name ("HTML Agenda"); it says nothing of the kind.
func KindOf(name string, own map[string]portal.Kind) portal.Kind {
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

// PapersOf reads from the name of a document how far it is; the state is "" where the name says nothing.
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

// IsPlaceholder reports whether a document's name says that it is none: "Select MEETING FILES to see the minutes".
func IsPlaceholder(name string) bool { return placeholders.MatchString(portal.Fold(name)) }
