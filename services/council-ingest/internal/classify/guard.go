package classify

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

// guards is the version of the guards. Answers that were judged with another version are judged
// again.
const guards = "2"

// A Reason says why a part of an answer is hidden. Reasons are stored with the answer, and are
// counted.
type Reason string

// Each of the first four rejects the whole answer.
const (
	Declined      Reason = "declined"        // the model or its provider declined to answer
	Malformed     Reason = "malformed"       // not a single JSON object of the expected shape
	TopicUnknown  Reason = "topic-unknown"   // not a topic or "none"
	QuoteMissing  Reason = "quote-not-found" // the quote is not in the item
	SummaryShape  Reason = "summary-shape"   // too long or too short, several sentences, or markup
	SummaryFigure Reason = "summary-figure"  // a number, amount or date that is not in the item
	SummaryName   Reason = "summary-name"    // a name that is not in the item
	SummaryResult Reason = "summary-result"  // mentions a vote or an outcome
)

var reasons = []Reason{Declined, Malformed, TopicUnknown, QuoteMissing, SummaryShape, SummaryFigure, SummaryName,
	SummaryResult}

type verdict struct {
	Topic          council.Topic // "" means no topic
	Summary, Quote string
	Refused        []Reason
}

// judge removes all parts of a model's answer that the item does not support.
func judge(in Input, written string, declined bool) verdict {
	if declined {
		return verdict{Refused: []Reason{Declined}}
	}
	claimed, err := readClaim(written)
	if err != nil {
		return verdict{Refused: []Reason{Malformed}}
	}
	shown, summary := in.cut(), strings.TrimSpace(council.Text(claimed.Summary))
	v := verdict{Topic: council.Topic(claimed.Topic), Summary: council.Fold(summary), Quote: council.Fold(claimed.Quote)}
	if v.Topic == none {
		v.Topic = ""
	}
	switch {
	case v.Topic == "" && claimed.Topic != none, v.Topic != "" && !slices.Contains(council.Topics(), v.Topic):
		return verdict{Refused: []Reason{TopicUnknown}}
	case v.Topic == "" && summary == "": // an answer without claims needs no evidence
		return verdict{}
	case !isQuoted(v.Quote, shown):
		return verdict{Refused: []Reason{QuoteMissing}}
	}
	if summary != "" {
		v.Refused = faults(*claimed.Summary, shown)
	}
	if v.Refused != nil {
		v.Summary = ""
	}
	return v
}

type claim struct {
	Topic   string  `json:"topic"`
	Summary *string `json:"summary"`
	Quote   string  `json:"quote"`
}

var claimMembers = []string{"topic", "summary", "quote"}

// readClaim finds the only JSON object in an answer. If a server ignores the schema, a model may
// write its reasoning before the object, and code fences around it.
func readClaim(written string) (claim, error) {
	if at := strings.LastIndex(written, "</think>"); at >= 0 {
		written = written[at+len("</think>"):]
	}
	at := strings.IndexByte(written, '{')
	if at < 0 {
		return claim{}, errors.New("no object")
	}
	text := []byte(written[at:])
	var members map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&members); err != nil {
		return claim{}, err
	}
	if rest := text[dec.InputOffset():]; len(bytes.Trim(rest, "` \n\r\t")) > 0 {
		return claim{}, errors.New("more than one object")
	}
	for _, name := range claimMembers {
		if _, there := members[name]; !there {
			return claim{}, errors.New("no " + name)
		}
	}
	var c claim
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	return c, strict.Decode(&c)
}

const (
	leastQuote, mostQuote     = 3, 300
	leastSummary, mostSummary = 15, 240
)

func isQuoted(quote string, in Input) bool {
	if n := utf8.RuneCountInString(quote); n < leastQuote || n > mostQuote ||
		strings.IndexFunc(quote, unicode.IsLetter) < 0 {
		return false
	}
	return strings.Contains(in.Title, quote) || strings.Contains(in.Section, quote)
}

func faults(summary string, in Input) []Reason {
	given, stated := tokenize(in.Section+"\n"+in.Title), tokenize(summary)
	var out []Reason
	for _, check := range []struct {
		reason Reason
		holds  bool
	}{
		{SummaryShape, isOneSentence(summary, stated, given)},
		{SummaryFigure, figuresHold(stated, given)},
		{SummaryName, namesHold(stated, given)},
		{SummaryResult, !mentionsResult(stated, given)},
	} {
		if !check.holds {
			out = append(out, check.reason)
		}
	}
	return out
}

func isOneSentence(summary string, stated, given prose) bool {
	summary = strings.TrimSpace(summary)
	n := utf8.RuneCountInString(summary)
	if n < leastSummary || n > mostSummary || strings.ContainsAny(summary, "\n\r\t<>{}*_`|\\") ||
		strings.Contains(summary, "://") || !utf8.ValidString(summary) {
		return false
	}
	// Other scripts have numerals and similar letters that the following checks do not recognise.
	if strings.IndexFunc(summary, func(r rune) bool {
		return !unicode.IsPrint(r) || unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
	}) >= 0 {
		return false
	}
	for i := 1; i < len(stated); i++ {
		// "Mill St. Bridge" is one sentence if the item also has these words.
		if stated[i].opens && !given.has(stated[i-1].folded, stated[i].folded) {
			return false
		}
	}
	return true
}

func figuresHold(stated, given prose) bool {
	for i, w := range stated {
		if w.figure != "" && !slices.ContainsFunc(given, func(g token) bool { return g.figure == w.figure }) {
			return false
		}
		if w.figure == "" && slices.Contains(numberWords, w.folded) && !given.has(w.folded) {
			return false
		}
		// Month and day must also be adjacent in the item.
		if month := w.month(); month != "" && i+1 < len(stated) && stated[i+1].figure != "" {
			if !given.pairs(func(a, b token) bool { return a.month() == month && b.figure == stated[i+1].figure }) {
				return false
			}
		}
	}
	return true
}

var numberWords = strings.Fields(`two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
		sixteen seventeen eighteen nineteen twenty thirty
	forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half twice double triple first
	second third fourth fifth sixth seventh eighth ninth tenth
	zero nil couple dozens quarter quarters thirds one once hundreds thousands millions percent annual annually
	monthly quarterly weekly daily yearly biennial`)

func namesHold(stated, given prose) bool {
	for i := 0; i < len(stated); {
		if !stated[i].capital || stated[i].opens && slices.Contains(openers, stated[i].folded) {
			i++
			continue
		}
		var name []string
		for ; i < len(stated) && stated[i].capital && (len(name) == 0 || !stated[i].apart); i++ {
			name = append(name, stated[i].folded)
		}
		if !given.has(name...) && !(len(name) == 1 && slices.Contains(bodies, name[0])) {
			return false
		}
	}
	return true
}

// bodies are words for the council that a summary may use even if the item lacks them.
var bodies = []string{"city", "town", "council"}

// openers are words that may begin a sentence even if the item lacks them. Other capitalised words
// may be names.
var openers = strings.Fields(`a an the this these accepts acknowledges acquires adds adjusts adopts advances affirms
		agrees allocates allows amends announces annexes appoints appropriates
	approves asks assesses assigns authorizes awards begins bans calls cancels caps certifies changes clarifies
	closes commits completes concerns conducts confirms considers continues
	contracts corrects creates declares decides dedicates defines delays denies designates directs discusses
	dissolves elects eliminates enacts ends endorses enters establishes evaluates
	executes expands extends finances files fills funds grants hears hires honors implements imposes improves
	increases informs initiates installs introduces issues joins launches leases
	levies limits lowers makes modifies names nominates notes notifies opens opposes orders pays permits plans
	presents proclaims prohibits promotes proposes provides purchases puts
	raises ratifies receives recognizes recommends reduces refers refunds regulates rejects removes renames
	renews repeals replaces reports requests requires rescinds reserves responds
	restricts retains reviews revises sells sends sets settles starts submits supports suspends terminates
	transfers updates upgrades uses vacates waives`)

// mentionsResult reports whether a summary mentions a vote or its outcome in words that the item
// lacks.
func mentionsResult(stated, given prose) bool {
	return slices.ContainsFunc(stated, func(w token) bool {
		return slices.Contains(resultWords, w.folded) && !given.has(w.folded)
	})
}

var resultWords = strings.Fields(
	`vote votes voted voting unanimous unanimously aye ayes nay nays yea yeas abstain abstains
		abstained abstention recuse recused absent dissent dissents dissented
	approved adopted passed passes rejected denied defeated failed fails carried tabled postponed opposed enacted
	ratified majority minority tie moved seconded mover seconder motion`)

type prose []token

type token struct {
	folded  string // lower case, without accents and possessive
	figure  string // such as "$1250000", "5%", "2.5 million", "2026-27"; "" for words
	capital bool   // begins with a capital letter or has only capitals
	opens   bool
	apart   bool // follows a comma or similar
}

var scales = []string{"hundred", "thousand", "million", "billion"}

func tokenize(text string) prose {
	var out prose
	opens := true
	apart := false
	currency := ""
	for _, raw := range strings.Fields(strings.ReplaceAll(text, "\n", " . ")) {
		if raw == "." {
			opens = true
			continue
		}
		if raw == "$" {
			currency = raw // as in "$ 1,250"
			continue
		}
		body := strings.Trim(raw, `.,;:!?"'“”‘’()[]–—-/&…`)
		if body == "" {
			continue
		}
		apart = apart || !strings.HasPrefix(raw, body)
		if strings.ContainsFunc(body, unicode.IsNumber) { // "½" and "Ⅻ" are figures too
			out = append(out, token{figure: figureOf(currency + body), folded: fold(body), opens: opens, apart: apart})
		} else {
			// Hyphens and slashes separate words, so "Smith-Jones" matches "Smith - Jones".
			for i, part := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune("-–—/&", r) }) {
				part = strings.Trim(part, `.,'’"`)
				if part == "" {
					continue
				}
				first, _ := utf8.DecodeRuneInString(part)
				out = append(out, token{folded: fold(part), capital: unicode.IsUpper(first), opens: opens && i == 0, apart: apart &&
					i == 0})
				opens = false
			}
		}
		opens = endsSentence(raw, body)
		apart = !strings.HasSuffix(raw, body)
		currency = ""
	}
	return join(out)
}

// endsSentence reports whether the punctuation after a word ends a sentence. It does not after
// "No.", "St." and initials.
func endsSentence(raw, body string) bool {
	tail := strings.TrimRight(raw, `"'”’)`)
	switch {
	case strings.HasSuffix(tail, "!"), strings.HasSuffix(tail, "?"), strings.HasSuffix(tail, ";"):
		return true
	case !strings.HasSuffix(tail, "."):
		return false
	}
	return utf8.RuneCountInString(body) > 3 || strings.ContainsFunc(body, unicode.IsDigit)
}

// join joins "2.5" and "million" into one figure. It does the same for percentages and dollars.
func join(in prose) prose {
	var out prose
	for _, t := range in {
		if n := len(out); n > 0 && out[n-1].figure != "" && t.figure == "" {
			last := &out[n-1].figure
			switch {
			case slices.Contains(scales, t.folded):
				*last += " " + t.folded
				continue
			case t.folded == "percent":
				*last += "%"
				continue
			case t.folded == "dollars" && !strings.HasPrefix(*last, "$"):
				*last = "$" + *last
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// figureOf makes all notations of an amount equal: "$1,250.00" becomes "$1250".
func figureOf(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, ",", ""))
	s = strings.TrimSuffix(s, ".00")
	s = strings.TrimPrefix(s, "#")
	return strings.NewReplacer("–", "-", "—", "-", "’", "'").Replace(s)
}

func fold(w string) string {
	w = strings.ReplaceAll(plain(w), "’", "'")
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'"), ".", "")
}

func (p prose) has(words ...string) bool {
	for i := 0; i+len(words) <= len(p); i++ {
		if slices.EqualFunc(p[i:i+len(words)], words, func(t token, w string) bool { return t.folded == w }) {
			return true
		}
	}
	return false
}

func (p prose) pairs(match func(a, b token) bool) bool {
	for i := 1; i < len(p); i++ {
		if match(p[i-1], p[i]) {
			return true
		}
	}
	return false
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
	"november", "december"}

func (t token) month() string {
	if !t.capital || len(t.folded) < 3 {
		return ""
	}
	for _, m := range months {
		if t.folded == m || t.folded == m[:3] || t.folded == "sept" && m == "september" {
			return m[:3]
		}
	}
	return ""
}
