package signal

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

// A Paragraph is text without a break: wrapped lines of a sentence, or the lines of one row. Breaks
// are blank lines and lines that begin like a row, a motion, an outcome or an item.
type Paragraph struct {
	Text   string // lines joined by line feeds
	Fold   string // the same in lower case without accents
	at     []int  // offset in text of each byte of fold; nil if they are equal
	Starts []int  // offset of each line in text
	Lines  []lines.Line
	First  int  // index of the first line in the document
	Index  int  // of the paragraph
	Blank  bool // a blank line or a page break stands above
	hashed bool // a heading of Markdown
	Table  *Table
}

// Line returns the line at an offset of text.
func (p *Paragraph) Line(offset int) lines.Line {
	n := 0
	for n+1 < len(p.Starts) && p.Starts[n+1] <= offset {
		n++
	}
	return p.Lines[n]
}

// Words returns a part of the text as the words of an outcome.
func (p *Paragraph) Words(s Span) string {
	return Clip(strings.TrimLeft(council.Fold(p.Text[s.From:s.To]), "•·▪● "), 300)
}

// Offset returns the offset in text of a byte of fold.
func (p *Paragraph) Offset(folded int) int {
	switch {
	case p.at == nil:
		return folded
	case folded >= len(p.at):
		return len(p.Text)
	}
	return p.at[folded]
}

// Folded is the inverse of offset.
func (p *Paragraph) Folded(offset int) int {
	if p.at == nil {
		return offset
	}
	lo, hi := 0, len(p.at)
	for lo < hi {
		if mid := (lo + hi) / 2; p.at[mid] < offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

const (
	maxParagraph = 12_000 // bytes of a paragraph; a longer one is cut in two
	MaxMotion    = 3_000  // bytes of the text of a motion
)

// bold matches bold text in Markdown. A line of underscores is a gap of a form.
var bold = regexp.MustCompile(`__([^_\s](?:[^_]*[^_\s])?)__`)

// blankFilled matches a vote that was filled into the blank before a name: "__A__ Ann Doe".
var blankFilled = regexp.MustCompile(`^_+ ?(\p{Lu}\p{L}{0,6}) ?_+ +`)

var markdown = strings.NewReplacer("**", "", "`", "")

// Paragraphs joins the lines of a document.
func (r *Scanner) Paragraphs(all []lines.Line, tables map[int]*Table) []*Paragraph {
	var out []*Paragraph
	var p *Paragraph
	blank := true
	double := doubleSpaced(all)
	add := func(i int, ln lines.Line, text string, hashed bool) {
		if p == nil || hashed || p.hashed || len(p.Text) > maxParagraph || r.breaks(p, text, blank || ln.NewPage) {
			p = &Paragraph{First: i, Blank: blank || ln.NewPage, hashed: hashed}
			out = append(out, p)
		}
		if p.Text != "" {
			text = r.unbroken(p, text)
			p.Text += "\n"
		}
		p.Starts = append(p.Starts, len(p.Text))
		p.Text += text
		p.Lines = append(p.Lines, ln)
		blank = false
	}
	for i, ln := range all {
		if t := tables[i]; t != nil {
			out = append(out, &Paragraph{First: i, Blank: true, Table: t, Starts: []int{0}, Lines: r.Doc.Lines[i : i+1 : i+1]})
			p, blank = nil, true
			continue
		}
		text := ln.Text
		hashed := strings.HasPrefix(strings.TrimLeft(text, "#"), " ") && text[0] == '#' // "#24-10" is a number
		if hashed {
			text = strings.TrimLeft(text, "# ")
		}
		text = strings.TrimPrefix(text, "> ") // a quotation of Markdown
		if strings.ContainsAny(text, "*_`") {
			text = blankFilled.ReplaceAllString(text, "$1  ")
			text = strings.TrimSpace(markdown.Replace(bold.ReplaceAllString(text, "$1")))
		}
		if text == "" || strings.Trim(text, "_-=~*. ") == "" {
			blank = true
			continue
		}
		if double && blank && p != nil && !ln.NewPage {
			before := p.Text[p.Starts[len(p.Starts)-1]:]
			blank = len(before) < 60 || strings.ContainsAny(before[len(before)-1:], ".:;!?)”\"")
		}
		if before, outcome := atMargin(text); outcome != "" {
			add(i, ln, before, hashed)
			text, hashed = outcome, false
		}
		add(i, ln, text, hashed)
	}
	for k, p := range out {
		p.Index = k
		p.Text = undotted(joinedCounts(p.Text))
		p.Fold, p.at = lexicon.FoldText(p.Text)
	}
	return out
}

// atMargin cuts an outcome in capitals from the end of a line, where it stands at the right margin: "b) Culvert at the
// mill          CARRIED".
func atMargin(text string) (before, outcome string) {
	at := strings.LastIndex(text, "   ")
	if at < 0 || at+3 == len(text) || !lexicon.IsCapitals(text[at+3:]) {
		return text, ""
	}
	if f, _ := lexicon.FoldText(text[at+3:]); !FirmAlone.MatchString(f) {
		return text, ""
	}
	return strings.TrimRight(text[:at], " "), text[at+3:]
}

var (
	dottedRows  = words.Regexp(`\b{Dotted ayes}\.[ \n]\p{Lu}[\p{L}'’-]+\.[ \n]\p{Lu}`)
	dottedLabel = words.Regexp(`\b{Dotted label}\.`)
	dottedNames = regexp.MustCompile(`^(?:[ \n]\p{Lu}[\p{L}'’-]+(?:[ \n]\p{Lu}[\p{L}'’-]+)?\.)+`)
)

// dottedCount matches the full stop between two counts of a tally: "3 Yeas. 2 Nays [Doe, Roe]. 1 Abstention."
var dottedCount = words.Regexp(`(?i)\b\d{1,2} (?:{ayes}|{nays}|{abstains}|{aways})(?: [(\[][^()\[\]]{3,90}[)\]])?(\.)[ \n]` +
	`\d{1,2} (?:{nays}|{abstains}|{aways})\b`)

// joinedCounts makes one sentence of the counts of a tally.
func joinedCounts(text string) string {
	for range 3 {
		m := dottedCount.FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		text = text[:m[2]] + "," + text[m[3]:]
	}
	return text
}

// undotted replaces the full stops of rows that have one behind each name: "Ayes. Doe. Roe. Nays. None."
func undotted(text string) string {
	if !dottedRows.MatchString(text) || !spokenMotion.MatchString(text) {
		return text
	}
	out := []byte(text)
	labels := dottedLabel.FindAllStringIndex(text, 200)
	for i, m := range labels {
		end := len(text)
		if i+1 < len(labels) {
			end = labels[i+1][0]
		}
		out[m[1]-1] = ':'
		names := dottedNames.FindString(text[m[1]:end])
		for at := range max(len(names)-1, 0) {
			if names[at] == '.' {
				out[m[1]+at] = ','
			}
		}
	}
	return string(out)
}

// doubleSpaced reports whether a blank line follows nearly every line, so that it ends no paragraph.
func doubleSpaced(lines []lines.Line) bool {
	text, adjacent := 0, 0
	for i, ln := range lines {
		if ln.Text == "" {
			continue
		}
		text++
		if i > 0 && lines[i-1].Text != "" && !ln.NewPage {
			adjacent++
		}
	}
	return text > 20 && adjacent*12 < text
}

var (
	Bullet = regexp.MustCompile(`^(?:[•·▪◦*➢✓o-]\s|\(?[a-zA-Z0-9]{1,2}[.)]\s|[ivxIVX]{1,5}[.)]\s|\d{1,3}/\d{2}\s|` +
		`\d{1,2}\.\p{Lu}\p{Ll})`)
	// starts matches the beginning of a row, a motion or an outcome on a line of its own.
	Starter = words.Regexp(`^(?i:{starts motion}(?: {starts behind}| {to} |:|  )|{starts}\b|{starts label}` +
		`\b[: ]|{action label}\b[.:]|{starts part}|(?:[a-z]{2,6} )?{decision}:|{starts before colon}:|{pour} ?:)`)
)

// tallyLine matches a line that ends in a tally: "RESOLUTION NO. 2023/12    5/0".
var tallyLine = words.Regexp(`^(?i:{no motion}|\(|\d).*\d{1,2} ?[/–-] ?\d{1,2}[).]?$`)

func lowerStart(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(first)
}

// rowStart matches the label of a row of names, or an outcome, that begins a line.
var rowStart = words.Regexp(`^(?:[A-Z][A-Z /]{1,30}:|(?i:{begins row}|{voting} [a-z]+)(?: \(\d+\))? ?:|` +
	`{BEGINS OUTCOME}|{Carried alone}|{Seconded by}|{Moved by})`)

// textOfMotion matches a line that begins with what is moved, below the names of those who move.
var (
	textOfMotion = words.Regexp(`^(?:{BEGINS TEXT}|{Begins text} )`)
	namesOnly    = words.Regexp(`^(?i:{names only})\b`)
)

// beginsLabel reports whether a line begins with words before a colon.
func beginsLabel(text string) bool {
	i := strings.IndexByte(text, ':')
	return i >= 0 && i <= 30
}

// slashLine matches a line that begins with the mover and the seconder: "Doe/Roe: SRD 598/18".
var slashLine = regexp.MustCompile(`^[A-Z][\p{L}'’.-]+ ?/ ?[A-Z][\p{L}'’-]+ ?:`)

// telling matches a line of a sentence about what happened.
var telling = lexicon.Compile(`\b{telling}\b`)

var endsInLabel = words.Regexp(`(?i)\b(?:{row label}|(?:\d{1,2}|{one}|{number}) {to})$`)

// pairLine matches a member and a vote: "A. Doe: Aye".
var pairLine = words.Regexp(`^[A-Z][^:]{1,40}(?::|  | -| –) *(?i:{ayes}|{nays}|{abstains}|{aways})\.?$`)

// movingLine matches a line that begins with who moves or seconds.
var movingLine = words.Regexp(`^\S+ (?:\S+ ){1,3}(?i:{moves or seconds})\b`)

// labelLine reports whether a line begins with the label of an outcome: "BOARD VOTE: …".
func (r *Scanner) labelLine(text string) bool {
	colon := strings.IndexByte(text, ':')
	if colon < 0 || colon > 24 {
		return false
	}
	f, _ := lexicon.FoldText(text[:colon+1])
	return r.Words.Lead.MatchString(f)
}

func (r *Scanner) opensWithOffice(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	office, name := r.people.CutOffice(word)
	return office != "" && name == ""
}

// ofNames reports whether a line begins with the initial of a name within a list: "Doe, B. Roe and" above "C. Poe".
func (r *Scanner) ofNames(p *Paragraph, text string) bool {
	return isInitialLine(text) || r.Doc.isInitial(text) || rowStart.MatchString(p.Text) && initialName.MatchString(text)
}

// initialName matches a line with nothing but a last name behind an initial.
var initialName = regexp.MustCompile(`^\p{Lu}\. \p{Lu}[\p{L}'’-]+\.?$`)

func isInitialLine(text string) bool {
	return len(text) > 3 && unicode.IsUpper(rune(text[0])) && text[1] == '.' &&
		strings.ContainsAny(text[:min(len(text), 40)], ",")
}

// shortLine reports whether a line ends before the right margin, so that it is no wrapped line.
func shortLine(text string) bool {
	return len(text) < 60 || strings.ContainsAny(text[len(text)-1:], ".:;)")
}

// isHeadingLine reports whether a line stands alone, though no blank line follows it.
func isHeadingLine(text string) bool {
	return strings.HasSuffix(text, ":") && len(text) < 60 && lexicon.IsCapitals(text)
}

// A Span is a part of a paragraph's text.
type Span struct{ From, To int }

var abbreviations = " no nos st mr mrs ms dr jr sr hon rev cllr clr cr ald inc co corp ltd ave blvd rd sec art vs " +
	"res ord approx ste gov sen rep sgt lt capt dept mt ft messrs mme mm m sra srta lic ing supt comm " +
	"vol pp pg p etc dª dña sres " +
	"shri smt adv tr trs e.g i.e u.s c.r.s h.b s.b fig ch dist prof esq "

// recitalNext matches what follows a recital: another one, or the motion. "Considérant que …; il est proposé par …"
var recitalNext = words.Regexp(`^(?i:\s*{recital in french}\b)`)

// Sentences splits a part of a paragraph into sentences.
func Sentences(text string, within Span) []Span {
	var out []Span
	from := within.From
	depth := 0
	for i := within.From; i < within.To; i++ {
		switch text[i] {
		case '(', '[':
			depth++
			continue
		case ')', ']':
			depth = max(depth-1, 0)
			continue
		case ' ', '\n':
			if depth > 0 || i == from || i+1 == within.To || strings.IndexByte("ANY", text[i+1]) < 0 ||
				!isLetterOrDigit(text[i-1]) || !rowBegins(text[i+1:min(i+30, within.To)]) {
				continue
			}
			out = append(out, Span{from, i})
			from = i + 1
			continue
		case ';':
			if !recitalNext.MatchString(text[i+1 : min(i+40, within.To)]) {
				continue
			}
		case '.', '!', '?':
		default:
			continue
		}
		if depth > 0 && i-from < 400 && strings.ContainsAny(text[i:min(i+200, within.To)], ")]") {
			continue
		}
		j := i + 1
		for j < within.To && strings.ContainsRune("\"'”’)]", rune(text[j])) {
			j++
		}
		for strings.HasPrefix(text[j:within.To], "”") || strings.HasPrefix(text[j:within.To], "’") {
			j += len("”")
		}
		if j < within.To && text[j] != ' ' && text[j] != '\n' {
			continue
		}
		if j < within.To && text[i] == '.' && !endsAt(text, i, j, from) {
			continue
		}
		j = afterBracket(text, j, within.To)
		out = append(out, Span{from, j})
		for j < within.To && (text[j] == ' ' || text[j] == '\n') {
			j++
		}
		from, i = j, j-1
	}
	if from < within.To && strings.TrimSpace(text[from:within.To]) != "" {
		out = append(out, Span{from, within.To})
	}
	return out
}

// rowBegins reports whether a text begins with the label of a row and a name.
func rowBegins(text string) bool {
	label := rowLabel.FindString(text)
	return label != "" && len(label) < len(text) && isUpper(text[len(label)])
}

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// ofSentence matches brackets behind a full stop that belong to the sentence before it: the tally or
// those who moved and seconded.
var ofSentence = words.Regexp(`^(?i:\s*\((?:\d{1,2}\s*[-–]\s*\d[^()]{0,60}|[^()/\d]{2,40}/[^()/\d]{2,40}` +
	`|{in brackets}\b[^()]{0,90})\)\.?)+`)

// afterBracket returns where a sentence ends whose full stop stands before j.
func afterBracket(text string, j, to int) int {
	if rest := strings.TrimLeft(text[j:to], " \n"); strings.HasPrefix(rest, "(") {
		return j + len(ofSentence.FindString(text[j:to]))
	}
	return j
}

// The counts of two positions with a full stop between them.
var (
	countBefore = words.Regexp(`(?i)\b(?:\d{1,2}|{one}|{number}) (?:{ayes}|{nays}|{abstains}|{aways})$`)
	countNext   = words.Regexp(`(?i)^(?:\d{1,2}|{one}|{number}) (?:{ayes}|{nays}|{abstains}|{aways})\b`)
)

// behindLetter matches what stands behind no initial: "items A and C. Trustee Doe seconded".
var behindLetter = words.Regexp(`^{Behind letter}\b`)

// endsAt reports whether the full stop at i ends a sentence that began at from. Text continues at
// j.
func endsAt(text string, i, j, from int) bool {
	k := i
	for k > from && text[k-1] != ' ' && text[k-1] != '\n' && text[k-1] != '(' {
		k--
	}
	word := strings.ToLower(text[k:i])
	if word == "" {
		return true
	}
	next := strings.TrimLeft(text[j:], " \n")
	r, _ := utf8.DecodeRuneInString(next)
	if unicode.IsLower(r) {
		return false
	}
	initial := word == "p" && isUpper(text[k]) && unicode.IsUpper(r) // P. Doe, who is no page
	if strings.Contains(" no nos sec p pp pg ch fig vol art dist ", " "+word+" ") && !initial {
		return !unicode.IsDigit(r) && !strings.ContainsRune("#_,", r)
	}
	if len(word) == 1 && behindLetter.MatchString(next) {
		return true
	}
	if strings.Contains(abbreviations, " "+word+" ") || len(word) == 1 && unicode.IsLetter(rune(word[0])) {
		return false
	}
	if k == from && (word == "proposed" || word == "seconded" || word == "moved" || word == "mover" ||
		word == "seconder") {
		return false // Proposed. Cllr Doe
	}
	if k == from && strings.Trim(word, "0123456789") == "" {
		return false // the number of an item
	}
	if countNext.MatchString(next) && countBefore.MatchString(text[from:i]) {
		return false // "FOUR AYES. ONE NAY."
	}
	return true
}
