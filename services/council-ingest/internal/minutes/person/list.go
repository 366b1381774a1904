package person

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// Limits for hostile texts: bytes of a list, of a name, and names of a list.
const (
	maxText  = 20_000
	maxName  = 80
	maxNames = 400
)

// Name is one person as printed.
type Name struct {
	Text     string // without office, district and note; "" if only an office is printed
	Office   string // "Vice Mayor"; a plural before several names is given to each of them
	District string // "R-12"
	Note     string // the remark after the name: "arrived at 7:05 pm"
}

// List is the value of a row of names.
type List struct {
	Names    []Name
	Count    int      // number printed before the names, or instead of them; -1 if there is none
	Nobody   bool     // the row says that it has no names
	Everyone bool     // the row says that everyone who is present is meant
	Open     bool     // another name must follow: the list ends in a comma, "and" or half a word
	Rest     []string // parts that cannot be names
	Tail     string   // text after the sentence of the list
}

// IsFragment reports whether a text can be a part of a list of unknown names, broken anywhere: capitalised
// words without digits.
func (w *Words) IsFragment(text string) bool {
	if len(text) > 200 || strings.ContainsAny(text, ":[]$?!") {
		return false
	}
	names := 0
	for _, piece := range w.split(text) {
		words, offices := strings.Fields(piece.text), 0
		for k, word := range words {
			kinds := w.of(word)
			switch first, _ := utf8.DecodeRuneInString(word); {
			case kinds&title != 0 && !unicode.IsDigit(first), k > 0 && number(word) >= 0 && w.of(words[k-1])&title != 0:
				offices++ // Ward 3 Council Member
			case strings.ContainsAny(word, "0123456789"),
				!unicode.IsUpper(first) && first < utf8.RuneSelf && !strings.ContainsRune(`"('&`, first) && kinds&particle == 0:
				return false
			}
		}
		if len(words)-offices > 7 {
			return false
		}
		names += min(len(words), 1)
	}
	return names > 0
}

// Whole reports whether each part of the list was read.
func (l *List) Whole() bool { return !l.Open && len(l.Rest) == 0 }

// Join joins the lines of a list. A word that is broken at the end of a line is put together: its
// hyphen stays if a capital follows.
func Join(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		line = council.Fold(line)
		if line == "" {
			continue
		}
		s := b.String()
		first, _ := utf8.DecodeRuneInString(line)
		switch {
		case s == "":
		case strings.HasSuffix(s, "-") && !strings.HasSuffix(s, " -") && unicode.IsLower(first):
			b.Reset()
			b.WriteString(strings.TrimSuffix(s, "-"))
		case strings.HasSuffix(s, "-") && !strings.HasSuffix(s, " -"):
		default:
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}

// Row reads the value of a row that has nothing but names. Each part is a name, even one that no person has.
func (w *Words) Row(text string, members *Roster) List { return w.read(text, members, true) }

// List reads a list of names. Members, if not nil, are known people: their names are read even if
// they look like other words ("May").
func (w *Words) List(text string, members *Roster) List { return w.read(text, members, false) }

func (w *Words) read(text string, members *Roster, isRow bool) List {
	l := List{Count: -1}
	if len(text) > maxText {
		l.Rest = []string{council.Clip(text, maxName)}
		return l
	}
	if text = WithoutDegrees(council.Fold(text)); !isRow {
		text, l.Tail = w.CutSentence(text)
	}
	l.Count, text = CutCount(text)
	switch {
	case w.IsNobody(text):
		l.Nobody = l.Count <= 0
		return l
	case w.IsEveryone(text):
		l.Everyone = true
		return l
	}
	l.Open = IsOpen(text)
	text = w.joinSlash(pluralComma.ReplaceAllString(text, "$1 "))
	pieces := w.split(text)
	r := listReader{Words: w, members: members, list: &l, letters: !onlyParties(pieces), isRow: isRow}
	for _, piece := range pieces {
		if piece.begins {
			r.row = len(l.Names)
		}
		r.piece(piece.text, piece.inverted)
	}
	r.surnames()
	if len(l.Names) == 0 && len(l.Rest) == 0 && l.Count < 0 {
		if l.Nobody = r.nobody; !r.nobody {
			l.add(text)
		}
	}
	return l
}

// IsOpen reports whether another name must follow a line of a list.
func IsOpen(text string) bool {
	if blank := strings.LastIndexByte(text, ' '); blank >= 0 && joinsNames.Is(strings.ToLower(text[blank+1:])) ||
		strings.HasSuffix(text, ",") || strings.HasSuffix(text, ";") || strings.HasSuffix(text, " &") {
		return true
	}
	return len(text) > 1 && strings.HasSuffix(text, "-") && text[len(text)-2] != ' ' // half a word
}

// CutSentence cuts a text after its first sentence: "SKALA, THOMAS. VOTING NO: NO ONE." The full
// stops of initials, honorifics and suffixes do not end one.
func (w *Words) CutSentence(text string) (sentence, rest string) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case '.':
			if depth > 0 || i+1 < len(text) && text[i+1] != ' ' {
				continue
			}
			word := text[strings.LastIndexAny(text[:i], " ,;(")+1 : i]
			kinds := w.of(word)
			if utf8.RuneCountInString(word) < 2 || isInitial(word) || kinds&(suffix|honorific|particle) != 0 ||
				kinds&office != 0 && len(word) <= 5 && !shortOffices.Is(strings.ToLower(word)) || isShortened(word) {
				continue // J. Doe, Jr., Dr. Doe, Cllrs. Doe, Wm. Doe
			}
			return text[:i], strings.TrimSpace(text[i+1:])
		}
	}
	return text, ""
}

// isShortened reports whether a word is the short form of a given name.
func isShortened(word string) bool { return shortNames.Is(strings.ToLower(word)) }

// number returns the value of a number of at most two digits, or of its word, or -1.
func number(word string) int {
	word = strings.ToLower(word)
	if n, found := numbers[word]; found {
		return n
	}
	if word == "" || len(word) > 2 || strings.Trim(word, "0123456789") != "" {
		return -1
	}
	n := 0
	for _, c := range word {
		n = n*10 + int(c-'0')
	}
	return n
}

var counted = regexp.MustCompile(`^(?:\(?(\d{1,2})\)?|([A-Za-z]+) ?\((\d{1,2})\)|([A-Za-z]+))(?: ?[-–—:]+ ?| +|$)`)

// CutCount separates the number before the names: "3 - Doe", "(3) Doe", "Five (5)", "5".
func CutCount(text string) (count int, rest string) {
	m := counted.FindStringSubmatch(text)
	if m == nil {
		return -1, text
	}
	rest = text[len(m[0]):]
	if strings.HasSuffix(m[0], ":") && rest != "" && unicode.IsDigit(rune(rest[0])) {
		return -1, text // 5:25 PM
	}
	switch {
	case m[1] != "":
		return number(m[1]), rest
	case m[2] != "" && number(m[2]) == number(m[3]):
		return number(m[3]), rest
	case m[4] != "" && rest == "" && number(m[4]) >= 0:
		return number(m[4]), rest
	}
	return -1, text
}

// pluralComma matches the office of those behind it, and a comma that does not belong there: "and
// Commissioners, Ann Doe, …".
var pluralComma = words.Regexp(`(?i)((?:^|{and} )(?:{the} )?{plural members}), `)

// listReader reads the pieces of one list.
type listReader struct {
	*Words
	members *Roster
	list    *List
	letters bool   // a letter in parentheses is an initial, not a party
	isRow   bool   // each piece is a name
	plural  string // office before several names
	row     int    // first name of the row: behind a semicolon
	nobody  bool
}

var (
	slash        = regexp.MustCompile(`\p{L}+(?: /|/ | / )\p{L}+`)
	dash         = regexp.MustCompile(`\s*(?:-+|–|—)\s*`)
	tightInitial = regexp.MustCompile(`\b(\p{Lu})\.(\p{Lu}\p{Ll})`)
	bracketed    = regexp.MustCompile(`\s*[(\[]([^()\[\]]*)[)\]]?`)
	district     = words.Regexp(`^(?:[DRI]|{Party})?[- ]?(?:\d{1,3}{ordinal ending}?|[A-Z]{2})$|` +
		`^(?i:{seat word})\b.*$|^(?:\d{1,3}{ordinal ending}?) (?i:{seat word})$`)
	remark = words.Regexp(`(?i)^(.*?\S)\s*(?:[-–—]| :)\s*(\d{1,2}[:.]\d\d.*|{remark}.*)$`)
)

// seat is a word for the part of a town that a member stands for.
const seat = `(?i:{seat of})`

// seatOnly matches a district that is a piece of its own.
var seatOnly = words.Regexp(`^(?:` + seat + ` (?i:\d{1,3}|[ivx]{1,5}|[a-h])|(?i:{at large}))$`)

// fromAfar matches how a member attends, without a dash: "Doe by Zoom".
var fromAfar = words.Regexp(`(?i)^(.*?\S)\s+({from afar})$`)

func (r *listReader) piece(piece string, inverted bool) {
	l := r.list
	piece = strings.Trim(piece, " ,|•")
	if strings.Contains(piece, ".") {
		piece = tightInitial.ReplaceAllString(piece, "$1. $2") // J.Doe
	}
	if len(l.Names) >= maxNames || len(l.Rest) >= maxNames {
		return
	}
	if r.IsNobody(piece) {
		r.nobody = r.nobody || piece != ""
		return
	}
	n := Name{}
	if m := remark.FindStringSubmatch(piece); m != nil {
		piece, n.Note = m[1], m[2]
	} else if m := fromAfar.FindStringSubmatch(piece); m != nil {
		piece, n.Note = m[1], m[2]
	}
	piece = r.brackets(piece, &n)
	if before, after := r.cutDash(piece); seatOnly.MatchString(after) {
		piece, n.District = before, after
	} else if after != "" {
		piece, n.Office = before, join(n.Office, after)
	}
	words := strings.Fields(piece)
	switch last := len(l.Names) - 1; {
	case last >= 0 && seatOnly.MatchString(piece):
		l.Names[last].District = piece // Odile Brandt, Director, District I
		return
	case len(words) == 0:
		l.add(n.Note)
		return
	case len(words) == 1 && r.of(piece)&suffix != 0 && last >= 0 && l.Names[last].Text != "":
		l.Names[last].Text += ", " + strings.TrimSpace(piece)
		return
	case isInitials(words) && last >= 0 && l.Names[last].Text != "" &&
		(!strings.Contains(l.Names[last].Text, " ") || r.beginsParticle(l.Names[last].Text)):
		l.Names[last].Text = strings.Join(words, " ") + " " + l.Names[last].Text // Smith, J.
		return
	}
	if inverted {
		piece = r.invert(piece, &n)
	}
	r.name(piece, n)
}

// surnames turns an office that is a last name, too, into that of a member, if the others of the list are
// printed with last names only: "Doe, Justice, Roe".
func (r *listReader) surnames() {
	bare := 0
	for _, n := range r.list.Names {
		if n.Text != "" && n.Office != "" {
			return
		}
		if n.Text != "" {
			bare++
		}
	}
	for i, n := range r.list.Names {
		if _, match := r.members.Resolve(n); bare > 0 && n.Text == "" && r.of(n.Office)&surname != 0 && !match.Found() {
			r.list.Names[i] = Name{Text: n.Office, Note: n.Note}
		}
	}
}

// joinSlash joins the halves of an office: "Secretary / Treasurer".
func (w *Words) joinSlash(text string) string {
	if !strings.Contains(text, "/") {
		return text
	}
	return slash.ReplaceAllStringFunc(text, func(both string) string {
		before, after, _ := strings.Cut(both, "/")
		before, after = strings.TrimSpace(before), strings.TrimSpace(after)
		if w.of(before)&office == 0 || w.of(after)&office == 0 {
			return both
		}
		return before + "/" + after
	})
}

// cutDash cuts an office or a seat behind the dash after a full name: "Ana Doe-Clerk", "Cllr Ana Doe — Vice Chair".
func (w *Words) cutDash(piece string) (name, office string) {
	for _, at := range dash.FindAllStringIndex(piece, 4) {
		_, name := w.CutOffice(piece[:at[0]])
		if after := piece[at[1]:]; strings.Contains(name, " ") && (w.IsOffice(after) || seatOnly.MatchString(after)) &&
			w.hasForm(name, false) {
			return piece[:at[0]], after
		}
	}
	return piece, ""
}

// beginsParticle reports whether a last name of two words begins with a particle: "Nic Cormac".
func (w *Words) beginsParticle(name string) bool {
	first, rest, _ := strings.Cut(name, " ")
	return w.of(first)&particle != 0 && !strings.Contains(rest, " ")
}

// name adds a name that may have offices before and after it.
func (r *listReader) name(piece string, n Name) {
	office, name := r.CutOffice(piece)
	known := r.members.has(piece) && !(office != "" && r.members.has(name)) // Councillors Doe
	if known {
		office, name = "", piece
	} else {
		if name != "" {
			var trailing string
			name, trailing = r.cutTrailing(name)
			n.Office = join(n.Office, trailing)
		}
	}
	switch {
	case office != "" && r.plural != "" && name != "" && isHonorific(r.Words, office) &&
		!isHonorific(r.Words, r.plural):
		n.Office = join(office, join(r.plural, n.Office)) // Councillors Doe, Mrs Roe
	case office != "":
		r.plural = ""
		if s := r.Singular(office); s != office && (name != "" || len(r.list.Names) == 0) {
			office, r.plural = s, s
		}
		n.Office = join(office, n.Office)
	case n.Office == "":
		n.Office = r.plural
	}
	name = strings.Trim(name, " ,;:")
	if name != "" && !r.endsAbbreviated(name) {
		name = strings.TrimRight(name, ".")
	}
	n.Text = name
	switch {
	case name == "" && n.Office != "" && r.sharesOffice(n.Office):
	case name == "" && n.Office != "":
		r.list.Names = append(r.list.Names, n)
	case !known && !r.isRow && n.Office == "" && r.isAcronym(name):
		r.list.add(piece)
	case known || r.members.has(name) || r.hasForm(name, office != "" && !isHonorific(r.Words, office)):
		r.list.Names = append(r.list.Names, n)
	case r.isRow && name != "":
		r.list.Names = append(r.list.Names, n)
	default:
		r.list.add(piece)
	}
}

// sharesOffice gives an office in the plural to those of its row who stand before it: "Ana Doe, Bo Roe, Échevins;".
func (r *listReader) sharesOffice(plural string) bool {
	one := r.Singular(plural)
	row := r.list.Names[r.row:]
	if one == plural || len(row) < 2 ||
		slices.ContainsFunc(row, func(n Name) bool { return n.Text == "" || n.Office != "" }) {
		return false
	}
	for i := range row {
		row[i].Office = one
	}
	return true
}

// isAcronym reports whether a word in capitals behind a name is a degree or a firm, which no row of the table has: "Ann
// Doe, FACP". Last names in capitals stand behind others in capitals.
func (r *listReader) isAcronym(word string) bool {
	last := len(r.list.Names) - 1
	if len(word) < 2 || len(word) > 4 || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || last < 0 {
		return false
	}
	before := r.list.Names[last].Text
	lastName := before[strings.LastIndexByte(before, ' ')+1:]
	return strings.Contains(before, " ") && lastName != strings.ToUpper(lastName)
}

func isHonorific(w *Words, office string) bool {
	return w.of(office)&(member|chief) == 0 && !w.IsOffice(office)
}

func (w *Words) endsAbbreviated(name string) bool {
	word := name[strings.LastIndexByte(name, ' ')+1:]
	return w.of(word)&suffix != 0 || isInitial(strings.TrimRight(word, ".")) && strings.Contains(name, " ")
}

func (l *List) add(rest string) {
	if rest != "" && len(l.Rest) < maxNames {
		l.Rest = append(l.Rest, council.Clip(rest, maxName))
	}
}

func join(a, b string) string { return strings.Trim(a+", "+b, ", ") }

func isInitials(words []string) bool {
	for _, word := range words {
		if !isInitial(word) || !strings.HasSuffix(word, ".") && len(words) > 1 {
			return false
		}
	}
	return true
}

// invert turns "Smith, Jane" around; "Smith, Mayor" has an office, "Smith, Jr." a suffix.
func (r *listReader) invert(piece string, n *Name) string {
	name, after, found := strings.Cut(piece, ",")
	after = strings.TrimSpace(after)
	switch {
	case !found:
		return piece
	case r.IsOffice(after):
		n.Office = after
		return name
	case r.of(after)&suffix != 0:
		return name + ", " + after
	case seatOnly.MatchString(after):
		n.District = after
		return name
	}
	if first, office, more := strings.Cut(after, ","); more && r.IsOffice(office) {
		n.Office, after = strings.TrimSpace(office), first
	}
	if !strings.Contains(strings.TrimSpace(name), " ") && r.hasForm(after+" "+name, false) {
		return after + " " + name
	}
	return piece
}

// brackets moves the text in parentheses to its field: a district, an initial, or a note. A
// nickname within a name stays.
func (r *listReader) brackets(piece string, n *Name) string {
	for range 4 {
		at := bracketed.FindStringSubmatchIndex(piece)
		if at == nil {
			break
		}
		inside := strings.TrimSpace(piece[at[2]:at[3]])
		before := strings.TrimRight(piece[:at[0]], " -–—") // Doe – (arrived at 7:05)
		after := strings.TrimSpace(piece[at[1]:])
		switch {
		case r.letters && utf8.RuneCountInString(inside) == 1 && isInitial(inside) && r.isLastName(before):
			office, last := r.CutOffice(before)
			before = strings.TrimSpace(office + " " + inside + ". " + last) // Councillors Collins (B)
		case after == "" && r.IsOffice(before) && r.holder(inside) != "":
			before += " " + r.holder(inside) // The Mayor (Councillor Doe)
		case len(inside) == 1 && !r.letters, district.MatchString(inside):
			n.District = inside
		case after != "" && before != "" && !strings.ContainsFunc(inside, isOdd) && isNameWord(inside) &&
			r.of(inside)&(never|title) == 0:
			before += " “" + inside + "”"
		case r.IsOffice(inside):
			n.Office = inside
		default:
			n.Note = strings.TrimSpace(n.Note + " " + inside)
		}
		piece = strings.TrimSpace(before + " " + after)
	}
	return piece
}

// holder returns the name in brackets behind an office, without its own office, or "".
func (r *listReader) holder(inside string) string {
	if _, name := r.CutOffice(inside); name != "" && r.hasForm(name, true) && !district.MatchString(inside) {
		return name
	}
	return ""
}

// isLastName reports whether a text is one name, perhaps behind an office.
func (r *listReader) isLastName(text string) bool {
	_, name := r.CutOffice(strings.TrimSpace(text))
	return name != "" && !strings.Contains(name, " ")
}

var letterOnly = regexp.MustCompile(`\(([A-Z])\)`)

// onlyParties reports whether every letter in parentheses is that of a party: "Doe (D), Roe (R)".
func onlyParties(pieces []part) bool {
	for _, piece := range pieces {
		if m := letterOnly.FindStringSubmatch(piece.text); m != nil && !strings.ContainsAny(m[1], "DRI") {
			return false
		}
	}
	return true
}

// Singular returns the office of each of several people: "Councillors" is Councillor, "Membres du Conseil" Membre du
// Conseil.
func (w *Words) Singular(office string) string {
	words := strings.Fields(office)
	if len(words) == 0 {
		return office
	}
	at := len(words) - 1
	for i := 1; i < at; i++ {
		if w.of(words[i])&link != 0 && !isCapital(words[i]) {
			at = i - 1
		}
	}
	if noPlural.Is(strings.ToLower(strings.TrimSuffix(words[at], "."))) || strings.ContainsAny(words[at], "'’") {
		return office
	}
	last := strings.TrimSuffix(words[at], "s.") // Cllrs.
	if last != words[at] {
		last += "."
	}
	lower := strings.ToLower(last)
	switch {
	case men.Ends(lower):
		last = last[:len(last)-2] + string(last[len(last)-2]-'e'+'a') + last[len(last)-1:]
	case people.Ends(lower):
		last = last[:len(last)-5] + "erson"
	case pluralInEs.Ends(lower):
		last = last[:len(last)-2]
	case strings.HasSuffix(lower, "s") && strings.TrimRight(lower, "s") == lower[:len(lower)-1] &&
		(len(last) > 3 || len(last) == 3 && w.of(last)&member != 0):
		last = last[:len(last)-1]
	}
	words[at] = last
	return strings.Join(words, " ")
}

// advisory matches the office of or the remark about a person who advises and has no vote.
var advisory = words.Regexp(`(?i)\b{advises}\b`)

// Advises reports whether a person of a roll has no vote: "Doe (Advisory Vote)".
func (n Name) Advises() bool { return advisory.MatchString(n.Note) || advisory.MatchString(n.Office) }
