// Package lexicon has the words of minutes, and the forms that are similar in all towns.
//
// Words are data, with a real sample and its source: known.go has labels of votes, offices and headings
// of portals and clerks, package words the words of sentences by language, from which it makes patterns.
// council.yaml adds the words of one town. All words form one table that applies to every document,
// because no word has different meanings in two dialects.
//
// Its functions read one line or one cell: item numbers, file numbers, tallies, lists of names.
package lexicon

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// Words are the words of one dialect.
type Words struct {
	Name   string `yaml:"-"`
	Source string `yaml:"-"` // source of the sample
	Sample string `yaml:"-"`

	Labels  map[string][]string `yaml:"labels"`  // words by row, such as aye: [YEAS]
	Offices string              `yaml:"offices"` // separated by blanks
	// maps the words of attendance lists to Present, Absent, Late, Excused or Remote
	Status      map[string]string `yaml:"status"`
	Headings    []string          `yaml:"headings"`     // headings without a number
	Fates       []string          `yaml:"fates"`        // beginnings of lines that state an item's outcome
	BodyStarts  []string          `yaml:"body_starts"`  // beginnings of paragraphs below a title
	MotionStops []string          `yaml:"motion_stops"` // beginnings of lines that end a motion
	Rolls       []string          `yaml:"rolls"`        // words that announce a roll call, such as "by the following vote"
	// beginnings of headings that divide the list under the heading above
	Parts   []string `yaml:"parts"`
	Members []string `yaml:"members"` // labels on the cover before the names of all members
}

var statuses = []string{"Present", "Absent", "Late", "Excused", "Remote"}

func (w *Words) Validate() error {
	for _, row := range slices.Sorted(maps.Keys(w.Labels)) {
		if !slices.Contains(senseNames[Result:Labels], row) {
			return fmt.Errorf("labels.%s: a row is one of %s", row, strings.Join(senseNames[Result:Labels], ", "))
		}
	}
	for _, word := range slices.Sorted(maps.Keys(w.Status)) {
		if !slices.Contains(statuses, w.Status[word]) {
			return fmt.Errorf("status.%s: %q is not Present, Absent, Late, Excused or Remote", word, w.Status[word])
		}
	}
	return nil
}

// With returns the words of both dialects.
func (w Words) With(more Words) Words {
	labels, status := map[string][]string{}, map[string]string{}
	for _, one := range []Words{w, more} {
		for row, words := range one.Labels {
			labels[row] = slices.Concat(labels[row], words)
		}
		maps.Copy(status, one.Status)
	}
	w.Labels = labels
	w.Status = status
	w.Offices = strings.TrimSpace(w.Offices + " " + more.Offices)
	w.Headings = slices.Concat(w.Headings, more.Headings)
	w.Fates = slices.Concat(w.Fates, more.Fates)
	w.BodyStarts = slices.Concat(w.BodyStarts, more.BodyStarts)
	w.MotionStops = slices.Concat(w.MotionStops, more.MotionStops)
	w.Rolls = slices.Concat(w.Rolls, more.Rolls)
	w.Parts = slices.Concat(w.Parts, more.Parts)
	w.Members = slices.Concat(w.Members, more.Members)
	return w
}

// Known returns the built-in dialects.
func Known() []Words { return slices.Clone(known) }

// Dialect is the table of all words. It is immutable.
type Dialect struct {
	labels      map[string]label
	status      map[string]string
	small       map[string]bool // lower-case words that occur in titles
	headings    map[string]bool
	fates       []string
	bodyStarts  []string
	motionStops []string
	rolls       []string
	rollWords   []string // the longest word of each of Rolls; a line without any of them is skipped quickly
	parts       []string
	members     map[string]bool
	results     *council.ResultWords
	people      *person.Words
}

// The words of sentences are the same in all dialects, and slow to compile.
var (
	everyPattern   = sync.OnceValue(func() *Patterns { return newPatterns(words.Languages) })
	englishPattern = sync.OnceValue(func() *Patterns { return newPatterns("English Irish Welsh") })
)

// Patterns returns the words of sentences, in all languages.
func (d *Dialect) Patterns() *Patterns { return everyPattern() }

// English returns the English words of sentences.
func (d *Dialect) English() *Patterns { return englishPattern() }

// People returns the words of names and offices, with those of the town.
func (d *Dialect) People() *person.Words { return d.people }

type label struct {
	row  Sense
	from string
}

// New returns a table of the built-in dialects, a town's own words, and the town's words for
// results.
func New(own Words, results map[string]council.Result) *Dialect {
	d := &Dialect{labels: map[string]label{}, status: map[string]string{}, small: WordSet(strings.Fields(small)),
		headings: map[string]bool{}, members: map[string]bool{},
		results: council.NewResultWords(results), people: person.NewWords(strings.Fields(own.Offices)...)}
	own.Name = "council.yaml"
	for _, w := range append(Known(), own) {
		for row, words := range w.Labels {
			for _, word := range words {
				d.labels[strings.ToUpper(word)] = label{Sense(slices.Index(senseNames[:], row)), w.Name}
			}
		}
		for word, status := range w.Status {
			d.status[strings.ToLower(word)] = status
		}
		for _, h := range w.Headings {
			d.headings[strings.ToUpper(h)] = true
		}
		for _, f := range w.Fates {
			d.fates = append(d.fates, strings.ToUpper(f))
		}
		d.bodyStarts = append(d.bodyStarts, w.BodyStarts...)
		d.motionStops = append(d.motionStops, w.MotionStops...)
		d.rolls = append(d.rolls, w.Rolls...)
		for _, roll := range w.Rolls {
			longest := slices.MaxFunc(strings.Split(roll, " "), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
			if !slices.Contains(d.rollWords, longest) {
				d.rollWords = append(d.rollWords, longest)
			}
		}
		for _, p := range w.Parts {
			d.parts = append(d.parts, strings.ToUpper(p))
		}
		for _, m := range w.Members {
			d.members[strings.ToUpper(m)] = true
		}
	}
	return d
}

// A Sense is what a word says about a motion or a member.
type Sense int

// The senses of labels, in the order of most tables.
const (
	Unknown Sense = iota // the word is in no dialect
	Result
	Next // day to which the item was postponed
	Motion
	Mover    // words before a mover
	Seconder // words before a seconder
	Aye
	Nay
	Abstain
	Present // a row of those present, which is no position
	Absent
	Away
	Recused
	Remote // not a position in the vote
	Labels
)

// The senses of the words of sentences.
const (
	NotVoting Sense = Labels + iota
	Passing         // a row of those who pass when they are called
	Carried
	Failed
	Tabled
	Continued
	Referred
	Died      // the motion ended without a vote: no second, withdrawn
	Unanimous // everyone who voted was in favor
	Voice     // no names were taken
	Subject   // what an outcome is said of
	Named     // a document that an outcome is said of; needs a motion, a tally or a roll
	Lead      // label before an outcome
	Moves     // verb behind a mover
	Seconds   // verb behind a seconder

	Speaks // nothing but a vote, though its form was not read

	// In French and Spanish minutes the body decides, and seldom a member moves.
	Majority
	Decides  // verb of a body
	Rejects  // verb of a body that says no
	Body     // the body and what it decides about
	Doubtful // what was decided on another day, by another body, or not yet
	Put      // the motion is put, so that the vote above it is over
	Resolves // a motion is resolved, and its outcome can stand below
	AyeVotes // behind a count only
	NayVotes

	Requires  // what a vote needs, or may become
	OfVote    // next to figures, which are then a tally
	Counting  // in a text that has nothing but a tally
	Agreeing  // in a text that says no more than that all agreed
	Numbering // before figures that are a number or a date

	What    // what is moved, behind the verb
	Firm    // an outcome by itself
	Soft    // an outcome that also tells of what happens without a vote
	Between // between the subject of an outcome and its word
	Behind  // behind the word of an outcome that stands alone
	Weak    // a common word, which is a label only before names

	Spoken  // a member's vote behind the name
	Answer  // the same, if a dash or the like stands between them
	Verdict // the same, if the name is that of a member
	AyeAnswer
	NayAnswer
	AbstainAnswer
	AbstainVerb // what a member does, behind the name
	NayVerb
	AyeVerb
	NoVerb // a member does not vote

	// in labels of attendance
	Attending
	Missing
	Excusing
	Online
	Tardy
	Guests // those who are no members
	OfBody
	Presiding
	Negating
	Joining // no word of attendance

	// in sentences that can speak of a vote that was not taken here
	Acting     // what only those who vote do
	ActingOn   // the same, before what they decide about
	Acts       // the same, if a body is the subject; also a noun
	Object     // before what is decided about
	OfOthers   // before a body of somebody else
	Collective // a body, of this name
	OfTheBody  // members of any body
	Self       // other words about the body that meets
	PlaceWord  // a kind of place that a body is of
	Somebody   // those who vote, without a noun
	Clause     // before a clause
	Relative   // in place of the noun before it
	Aside      // between a subject and its verb
	Passive    // before what is decided, not who decides
	Condition  // before what did not happen
	Earlier    // before what happened before the meeting
	Elsewhere  // before what happened at another place
	There      // at another place
	NotYet     // before what is to be decided
	Inside     // before the body in which a vote was taken
	LongAgo    // on another day
	InMonth    // perhaps on another day
	Agent      // before who decided
	NoAgent    // how it was decided
	That       // before what somebody said
	RulesThat  // before what was decided
	Senses
)

// senseNames are the names of the senses in the table of words, and in council.yaml.
var senseNames = [Senses]string{"unknown", "result", "next", "motion", "mover", "seconder", "aye", "nay", "abstain",
	"present", "absent", "away", "recused", "remote",
	NotVoting: "not voting", Passing: "passing", Carried: "carried", Failed: "failed", Tabled: "tabled",
	Continued: "continued", Referred: "referred", Died: "died", Unanimous: "unanimous", Voice: "voice",
	Subject: "subject", Named: "named", Lead: "lead", Moves: "moves", Seconds: "seconds", Speaks: "speaks",
	Majority: "majority", Decides: "decides", Rejects: "rejects", Body: "body",
	Doubtful: "doubtful", Put: "put", Resolves: "resolves", AyeVotes: "aye votes", NayVotes: "nay votes",
	Requires: "requires", OfVote: "of vote", Counting: "counting", Agreeing: "agreeing", Numbering: "numbering",
	Acting: "acting", ActingOn: "acting on", Acts: "acts", Object: "object", OfOthers: "of others",
	Collective: "collective", OfTheBody: "of the body", Self: "self", PlaceWord: "place", Somebody: "somebody",
	Clause: "clause", Relative: "relative", Aside: "aside", Passive: "passive", Condition: "suppose",
	Earlier: "earlier", Elsewhere: "elsewhere", There: "there", Inside: "inside", NotYet: "not yet",
	LongAgo: "long ago", InMonth: "in month",
	Agent: "agent", NoAgent: "no agent", That: "saying that", RulesThat: "rules that",
	What: "what", Firm: "firm", Soft: "soft", Between: "between", Behind: "behind", Weak: "weak",
	Spoken: "spoken", Answer: "answer", Verdict: "verdict", AyeAnswer: "aye answer", NayAnswer: "nay answer",
	AbstainAnswer: "abstain answer", AbstainVerb: "abstain verb", NayVerb: "nay verb", AyeVerb: "aye verb",
	NoVerb: "no verb", Attending: "attending", Missing: "missing", Excusing: "excusing", Online: "online",
	Tardy: "tardy", Guests: "guests", OfBody: "of body", Presiding: "presiding", Negating: "negating",
	Joining: "joining",
}

func (l Sense) String() string {
	if l >= Labels {
		return senseNames[Unknown]
	}
	return senseNames[l]
}

// IsList reports whether a list of names follows the label.
func (l Sense) IsList() bool { return l >= Aye && l < Labels }
