package signal

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// A headline is a line that can be the heading of an item.
type headline struct {
	Number string
	Title  string
	Line   string // the first line of its paragraph, and the others
	Rest   string
	More   bool // there are others
	Strong bool // it has a number
	Label  bool // it begins with a word for an item: "RESOLUTION #23"
}

var (
	marker = words.Regexp(`^(\*?\(?(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]?|[A-Z]{1,2}[.)]|[a-z]\)|#\d{1,3}|[A-Z] [–-]|\([A-Za-z0-9]{1,3}\)|` +
		`[IVXL]{1,6}[.)]|[A-Z]{1,4}-?\d{1,4}(?:[.-]\d{1,4})?[a-z]?[.):]?|\d{1,3}/\d{2,4}|\d{1,2}\.?[ºª°]\.?[ –-]{0,3}` +
		`|[A-Za-z]{1,4}/?\d{1,4}(?:[/:.]\d{1,4}){1,3}|[A-Z]{1,3}/\d{1,4}|\d{1,3}\.?[A-Za-z]{1,2}[.)]|\d{4}-\d{2}` +
		`-\d{2,4}|(?i:{abbreviated resolution}\. ?{numero}\. ?)[\d-]+\.?))\s+(\S.*)$`)
	labelled = words.Regexp(`^(?:(?:{Item label}|{ITEM LABEL}) (?:(?i:{numero})\.?)? ?\d[\w./-]*|` +
		`{HEADING LABEL}|(?:{Agenda} )?{Heading word})\b(?: (?:{NUMERO}|{Numero})\.?)?[ :#]+\S`)
	tailCode = regexp.MustCompile(`^(\S.{3,120}?) \(([A-Z]-?\d{0,3}[a-z]?(?:/[A-Z]-?\d{1,3})?)\)$`)
)

// ofVote matches a label within an item, which is no title.
var ofVote = words.Regexp(`^(?i:{vote label}(?: ?/ ?{vote label})*(?: (?:{numero}\.? ?)?\d[\d/-]*\d)?|{vote on}(?: .*)?):?$`)

// detail matches a line about an item, below its title: "Presenter(s): Ann Doe, Harbor Manager".
var detail = words.Regexp(`^(?i:{detail label}): *\S`)

// callsDivision matches a line that announces a roll: "Division called by Cr Doe".
var callsDivision = words.Regexp(`^{division called}\b`)

// OfBody matches a line of the letterhead: the name of a body or a place, or the kind of meeting.
var OfBody = words.Regexp(`(?i)\b{letterhead}\b`)

// HeadingAt reads the heading that a paragraph begins with, or nil. apart says that no text stands
// directly above it.
func (r *Scanner) HeadingAt(p *Paragraph, apart bool) *headline {
	line, rest, more := CutLine(p.Text)
	h := &headline{Title: line, Line: line, Rest: rest, More: more, Label: labelled.MatchString(line)}
	f, _ := lexicon.FoldText(line)
	if FirmAlone.MatchString(f) || r.byMember(line) || r.Language != lexicon.English && opensDecision.MatchString(f) {
		return nil
	}
	m := marker.FindStringSubmatch(line)
	if m != nil {
		m[2] = strings.TrimLeft(m[2], ":–- ")
	}
	if m != nil && isNumber(m[1]) && isItemTitle(firstSentence(m[2])) && !r.Language.IsHonorific(line) &&
		!(len(m[1]) == 2 && m[1][1] == '.' && r.Doc.isInitial(line)) {
		h.Number = strings.Trim(m[1], " ")
		h.Title = m[2]
		h.Strong = true
		if more && len(line) > 50 && len(rest) < 400 && !sentenceLike(rest) {
			h.Title = council.Fold(h.Title + " " + rest)
		}
	} else if m := r.romanceItem(line); m != nil && isItemTitle(Clip(firstSentence(m[2]), 200)) {
		h.Number = m[1]
		h.Title = firstSentence(m[2])
		h.Strong = true
	} else if m := tailCode.FindStringSubmatch(line); m != nil && !more {
		h.Number = m[2]
		h.Title = m[1]
		h.Strong = true
	} else if !h.isHeading(p, apart) {
		return nil
	}
	return h
}

// runIn matches a title in capitals before the text of its item: "POLICE CONTRACT - A motion was made by Doe".
var runIn = regexp.MustCompile(`^(\p{Lu}[\p{Lu}\d '’&/,()-]{3,70}?)(?: ?[–—-]{1,2} +|: +)\p{Lu}`)

// leastRunIn is the number of different titles from which a document has them before its texts.
const leastRunIn = 3

// RunInTitle returns the title before the text of a paragraph, if that is how the document prints titles, or "".
func (r *Scanner) RunInTitle(p *Paragraph) string {
	if r.runIns == nil {
		r.runIns = map[int]string{}
		titles := map[string]bool{}
		for _, other := range r.Paras {
			if title := r.runInTitle(other); title != "" {
				r.runIns[other.Index], titles[title] = title, true
			}
		}
		if len(titles) < leastRunIn {
			clear(r.runIns)
		}
	}
	return r.runIns[p.Index]
}

func (r *Scanner) runInTitle(p *Paragraph) string {
	m := runIn.FindStringSubmatchIndex(p.Text)
	if m == nil || p.Table != nil || lexicon.IsCapitals(p.Text) {
		return ""
	}
	title := p.Text[m[2]:m[3]]
	f, _ := lexicon.FoldText(title)
	row, _, labelled := r.Doc.Dialect.Label(title+":", true)
	if lexicon.Letters(title) < 4 || labelled && row != lexicon.Unknown || ofVote.MatchString(title) ||
		detail.MatchString(p.Text) || Starter.MatchString(p.Text) || r.Words.Lead.MatchString(f) || noTitle.Is(f) {
		return ""
	}
	return title
}

// noTitle is true for words in capitals that begin a part of a decision or a list of names.
var noTitle = words.Plain("no run-in title")

// opensDecision matches the body above what it decides, which may be a line of its own: "Le Conseil communal de Doe".
var opensDecision = words.Regexp(`^{opening article} ?{deciding body}\b`)

// isNumber reports whether the capitals of a marker can number an item: "IV", "AA". "NO." and "SR." cannot.
func isNumber(label string) bool {
	letters := strings.Trim(label, "*().")
	if len(letters) != 2 || !isUpper(letters[0]) || !isUpper(letters[1]) || letters[0] == 'A' {
		return true
	}
	_, numbers := lexicon.ReadMarker(letters + ".")
	return numbers
}

// byMember reports whether a line names who introduced what stands below it: "BY COMMISSIONER DOE:".
func (r *Scanner) byMember(line string) bool {
	at := byName.FindStringIndex(strings.ToLower(line[:min(len(line), 8)]))
	if at == nil || at[0] > 0 {
		return false
	}
	n, length, ok := r.nameAt(line[at[1]:])
	return ok && r.IsPerson(n) && strings.Trim(line[at[1]+length:], " :.") == ""
}

// BehindTitle matches a motion or a decision that follows the title of an item within its sentence.
var BehindTitle = words.Regexp(`(?i)\s*[:.–—-]\s*{behind title}\b.*$`)

// firstSentence returns the first sentence of a line.
func firstSentence(text string) string {
	s := Sentences(text, Span{0, len(text)})
	if len(s) == 0 {
		return text
	}
	return text[s[0].From:s[0].To]
}

// FirmAlone matches a line that has nothing but an outcome, perhaps behind the number of its vote: it is no
// heading.
var FirmAlone = words.Regexp(`^[\s(\["'*-]*((?:{numbered vote}\.? ?(?:{numero}\.? ?)?#?[\d/.-]+|` +
	`[a-z]{1,3}\d{2,4}[/-]\d{1,4}) +)` +
	`?(?:{motion} )?{passed}(?: {unanimously})?[\s\d.,:;()\[\]/"'*!-]*$`)

// isItemTitle reports whether the text behind a number can be the title of an item.
func isItemTitle(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "\"“‘'([$*"))
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) || strings.HasPrefix(text, "That ") ||
		strings.HasPrefix(text, "THAT ") {
		return false
	}
	return !(strings.HasSuffix(text, ".") && sentenceLike(text))
}

// sentenceLike reports whether most words of a text are in lower case.
func sentenceLike(text string) bool {
	lower, words := 0, 0
	for w := range strings.FieldsSeq(text) {
		words++
		if w[0] >= 'a' && w[0] <= 'z' && len(w) > 3 {
			lower++
		}
	}
	return lower >= 3 && lower*2 > words
}

// isHeading reports whether a line without a number is a heading.
func (h *headline) isHeading(p *Paragraph, apart bool) bool {
	line := h.Line
	if p.hashed {
		return true
	}
	if f, _ := lexicon.FoldText(line); callsDivision.MatchString(f) {
		return false
	}
	if len(line) < 4 || len(line) > 140 || ofVote.MatchString(line) || detail.MatchString(line) ||
		strings.HasSuffix(line, ",") {
		return false
	}
	if h.Label {
		return true
	}
	if lexicon.IsCapitals(line) && lexicon.Letters(line) > 3 {
		return !strings.HasSuffix(line, ".") || len(line) < 60
	}
	if !apart || h.More || strings.ContainsAny(line[len(line)-1:], ".;,?!:)") || len(line) > 100 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.IsUpper(first) && !sentenceLike(line) && len(strings.Fields(line)) <= 14
}

// CutLine cuts a text behind its first line, and reports whether there are others.
func CutLine(s string) (string, string, bool) {
	for i := range len(s) {
		if s[i] == '\n' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}
