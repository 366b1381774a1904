package lexicon

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// romance returns the words of some senses in French and Spanish.
func romance(of ...Sense) string { return wordsIn("French Spanish", of...) }

func wordsIn(languages string, of ...Sense) string {
	var all []string
	for _, s := range of {
		if w := words.In(languages, senseNames[s]); w != "" {
			all = append(all, w)
		}
	}
	return strings.Join(all, "|")
}

// Patterns are regular expressions made of the words. All match folded text (FoldText).
type Patterns struct {
	Outcome   *Pattern // a word of an outcome
	senses    map[Sense]*regexp.Regexp
	Label     *regexp.Regexp // the whole label of a row of names
	Subject   *Pattern
	Named     *Pattern
	Lead      *regexp.Regexp
	Moves     *Pattern
	MovedBy   *Pattern
	Seconds   *Pattern
	SecondBy  *Pattern
	Unanimous *Pattern
	Voice     *Pattern
	Died      *Pattern
	Counted   *Pattern // number before a position
	Counts    *Pattern // position before a number
	Position  *Pattern // a position, but no word that is frequent elsewhere
	Figure    *Pattern
	Speaks    *Pattern
	Majority  *Pattern
	Requires  *Pattern
	OfVote    *Pattern
	Between   *regexp.Regexp // what can stand between the subject and the word of an outcome
	Behind    *regexp.Regexp // what can follow the word of an outcome that stands alone
	Answer    *Pattern       // what can be a member's vote, next to the name
	Moved     *regexp.Regexp // what follows the verb of a motion
	// LabelWords has the words of labels of attendance.
	LabelWords map[string][]Sense
	counting   map[string]bool
	agreeing   map[string]bool
	numbering  *regexp.Regexp // the end of a text behind which a number stands
	rows       *Pattern       // the label of a row
	Romance    romanceExpr
	Elsewhere  elsewhereExpr
}

// romanceExpr has the words of bodies that decide in French and Spanish.
type romanceExpr struct {
	Unanimous, Majority, No, Yes, Later, Doubtful, Body, Put, Resolves *Pattern

	PutOff *Pattern // the verb and its word

	Side *Pattern // position before its names
	Of   *Pattern // position before "of" and a name
	// Verb is what a member does, behind the name, in a group for each of four positions.
	Verb *Pattern
}

// elsewhereExpr has the words of sentences about votes that were not taken in the meeting.
type elsewhereExpr struct {
	Acting, ActingOn, Acts, Clause                              *Pattern
	Condition, Earlier, LongAgo, That, RulesThat                *Pattern
	Aside, Passive, Relative, Where, NotYet                     *regexp.Regexp // at the end of a text
	Object, There, Agent, Recent, Inside                        *regexp.Regexp // at its beginning
	OfOthers, Collective, OfTheBody, Self, Place, Somebody, How *regexp.Regexp // a word
}

// newPatterns returns the grammar with the words of some languages.
func newPatterns(languages string) *Patterns {
	words := func(of ...Sense) string { return wordsIn(languages, of...) }
	word := func(of ...Sense) *Pattern { return Compile(`\b(?:` + words(of...) + `)\b`) }
	x := &Patterns{
		Outcome: word(Carried, Failed, Tabled, Continued, Referred),
		senses:  map[Sense]*regexp.Regexp{}, LabelWords: map[string][]Sense{},
		Subject: word(Subject), Named: word(Named), Moves: word(Moves), Seconds: word(Seconds),
		Lead:      regexp.MustCompile(`^(?:` + words(Lead) + `)\s*(?::|\.|[-–—]|  )\s*`),
		MovedBy:   Compile(`\b(?:` + words(Mover) + `)\b\s*[:.–—-]?\s*`),
		SecondBy:  Compile(`\b(?:` + words(Seconder) + `)\b\s*[:.–—-]?\s*`),
		Unanimous: word(Unanimous), Voice: word(Voice), Died: word(Died), Majority: word(Majority),
		Between:  regexp.MustCompile(`^(?:[\s,:;.()\-"']|\b(?:` + words(Between) + `|\d+)\b)*$`),
		Behind:   regexp.MustCompile(`^(?:[\s,:;.()\[\]\-"'!*/]|\b(?:` + words(Behind) + `|\d+)\b)*$`),
		Moved:    regexp.MustCompile(`^(?:[ ,]*(?:` + words(What) + `)\b|\s*[.:;\[]|\s*$|,)`),
		Answer:   word(Spoken, Answer, Verdict),
		Requires: word(Requires), OfVote: word(OfVote), counting: WordSet(strings.Split(words(Counting), "|")),
		agreeing:  WordSet(strings.Split(words(Agreeing), "|")),
		numbering: regexp.MustCompile(`(?:\b(?:` + words(Numbering) + `)|\$)\s*$`),
	}
	for s := Result; s < Senses; s++ {
		if w := words(s); w != "" {
			x.senses[s] = regexp.MustCompile(`^(?:` + w + `)$`)
		}
	}
	for _, re := range []*Pattern{x.Outcome, x.Subject, x.Named, x.Moves, x.MovedBy, x.Seconds, x.SecondBy, x.Unanimous} {
		re.Longest()
	}
	x.Lead.Longest()
	positions := words(Aye, Nay, Abstain, Absent, Recused, NotVoting, Present, Passing)
	x.Label = regexp.MustCompile(`^(?:` + positions + `)\b`)
	x.Label.Longest()
	sides := words(Aye, Nay, Abstain, Absent, Recused, NotVoting, AyeVotes, NayVotes)
	x.Counted = Compile(`\b(` + Figure + `|{nobody counted})(?: ?\((?:\d{1,3}|` + Figure + `)\))?[ (-]{0,12}` +
		`{before side}*(` + sides + `)\b`)
	x.Counts = Compile(`\b(` + sides + `)(?: {counted votes}| ?\(s\))?\s*(?:[-–—:=(]\s*)*(` + Figure + `|[oq])\b`)
	x.Position = Compile(`\b(?:` + sides + `)\b`).without(weakSide.Words()...)
	x.Speaks = word(Speaks)
	x.rows = Compile(`\b(?:` + words(Mover, Seconder, Aye, Nay, Abstain, Absent, NotVoting, Recused) + `)\b`)
	latin := func(of ...Sense) *Pattern { return Compile(`\b(?:` + romance(of...) + `)\b`) }
	x.Romance = romanceExpr{Unanimous: latin(Unanimous), Majority: latin(Majority), No: latin(Failed, Rejects),
		Yes: latin(Decides), Later: latin(Continued), Doubtful: latin(Doubtful), Body: latin(Body),
		PutOff: Compile(`\b(?:` + romance(Passive) + `) (?:` + romance(Continued) + `)\b`),
		Put:    latin(Put), Resolves: latin(Resolves),
		Side: Compile(`\b{votes for} (` + romance(Aye, Nay, AyeVotes, NayVotes) + `),? ` +
			`(?:{of names} |{article})?|\b(` + romance(Nay, Abstain) + `) ?: `),
		Of: Compile(`\b(` + romance(Nay, Abstain, Recused) + `),? {of names} `),
		Verb: Compile(`\b(?:(` + romance(AbstainVerb) + `)|(` + romance(NayVerb) + `)|(` + romance(AyeVerb) + `)|(` +
			romance(NoVerb) + `))\b`)}
	ends := func(of ...Sense) *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[ '])(?:` + words(of...) + `)[ ,]*$`)
	}
	is := func(of ...Sense) *regexp.Regexp { return regexp.MustCompile(`^(?:` + words(of...) + `)$`) }
	begins := func(of ...Sense) *regexp.Regexp { return regexp.MustCompile(`^(?:` + words(of...) + `)\b`) }
	x.Elsewhere = elsewhereExpr{Acting: word(Acting), ActingOn: word(ActingOn), Acts: word(Acts), Clause: word(Clause),
		Condition: word(Condition), LongAgo: word(LongAgo), That: word(That), RulesThat: word(RulesThat),
		Earlier: Compile(`\b(?:` + words(Earlier) + `) (?:(?:` + words(Aside) + `|{been}) )*(?:` +
			words(Carried, Failed, Rejects) + `|` + words(Acting, ActingOn, Moves) + `|{done earlier})\b`),
		Aside: ends(Aside), Passive: ends(Passive), Relative: ends(Relative), Where: ends(Elsewhere), NotYet: ends(NotYet),
		Object: begins(Object), There: begins(There), Agent: begins(Agent), Inside: begins(Inside),
		Recent:   begins(LongAgo, InMonth),
		OfOthers: is(OfOthers), Collective: is(Collective), OfTheBody: is(OfTheBody), Self: is(Self), Place: is(PlaceWord),
		Somebody: is(Somebody), How: begins(NoAgent)}
	for s := Attending; s <= Joining; s++ {
		for word := range strings.SplitSeq(words(s), "|") {
			x.LabelWords[word] = append(x.LabelWords[word], s)
		}
	}
	x.Figure = Compile(`\b(?:` + Figure + `|{nobody counted})\b`)
	return x
}

// Figure matches a count in digits or words.
var Figure = words.Folded(`\d{1,3}|{one}|{number}`)

// SenseOf returns the sense of a word of one of the given senses.
func (x *Patterns) SenseOf(word string, of ...Sense) (Sense, bool) {
	for _, s := range of {
		if r := x.senses[s]; r != nil && r.MatchString(word) {
			return s, true
		}
	}
	return 0, false
}

// Is reports whether a word has a sense.
func (x *Patterns) Is(word string, s Sense) bool {
	_, is := x.SenseOf(word, s)
	return is
}

// Positions are the senses of the rows of rolls.
var Positions = []Sense{Aye, Nay, Abstain, Absent, Recused, NotVoting, Present, Passing}

// PositionOf maps a sense to a position. Those who do not vote are absent; those present have none.
func PositionOf(s Sense) (council.Position, bool) {
	switch s {
	case Aye:
		return council.Aye, true
	case Nay:
		return council.Nay, true
	case Abstain:
		return council.Abstain, true
	case Absent, NotVoting:
		return council.Absent, true
	case Recused:
		return council.Recused, true
	}
	return "", false
}

// rowOf returns what a word means as the label of a row, in minutes of any town.
func (x *Patterns) rowOf(word string) (row Sense, known bool) {
	f := strings.ToLower(word)
	if !x.rows.beginsAt(f) {
		return Unknown, false
	}
	row, known = x.SenseOf(f, Seconder, Mover, Aye, Nay, Abstain, Absent, NotVoting, Recused)
	if row == NotVoting {
		row = Absent
	}
	return row, known
}

// Side returns the side of a word of those who vote in French or Spanish.
func (x *Patterns) Side(word string) Sense {
	switch s, _ := x.SenseOf(word, Recused, Abstain, Aye, AyeVotes); s {
	case Abstain, Aye, Recused:
		return s
	case AyeVotes:
		return Aye
	}
	return Nay
}

// FindMotion returns the position of the verb of a motion in folded text, and the verb: "moved" before what is
// moved, "made a motion". The position is -1 if there is none.
func (x *Patterns) FindMotion(f string) (at int, verb string) {
	for _, m := range x.Moves.FindAllStringIndex(f, 8) {
		if verb = f[m[0]:m[1]]; motionWord.In(verb) || x.Moved.MatchString(f[m[1]:]) {
			return m[0], verb
		}
	}
	return -1, ""
}

// Seconded reports whether folded text says that somebody seconded: a "second amendment" is none.
func (x *Patterns) Seconded(f string) bool {
	return slices.ContainsFunc(x.Seconds.FindAllStringIndex(f, 8), func(m []int) bool {
		return secondedWord.Begins(f[m[0]:])
	})
}

var (
	motionWord   = words.Plain("motion")
	secondedWord = words.Plain("seconded")
)
