package person

import "github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"

// kindRows are the rows of the words of offices, of honorifics and of what is no name. They are compared in lower
// case, without accents and full stops; a hyphen separates words.
var kindRows = []struct {
	kind  kind
	words words.List
}{
	{honorific, words.Plain("honorific")},  // stands before a name and says nothing about an office
	{member, words.Plain("member office")}, // splits a list without commas, too: "Cllr Doe Cllr Roe"
	{chief, words.Plain("chief office")},
	{modifier, words.Plain("office modifier")},
	{link, words.Plain("office link")}, // never begins or ends an office
	{surname, words.Plain("surname office")},
	{suffix, suffixes},
	{particle, words.Plain("surname particle")},
	{month, words.Plain("month", "short month")},
	{weekday, words.Plain("weekday")},
	{never, words.Plain("no name")},
	{lone, words.Plain("no name alone")}, // a name next to an office: "Director Page"
}

var (
	nobody        = words.Plain("nobody")
	everyone      = words.Plain("everyone")
	initials      = words.Plain("INITIALS") // "LT Abbey"; the honorific is "Lt."
	ordinalEnding = words.Plain("ordinal ending")
	allOf         = words.Plain("all of them")
	whoAreAll     = words.Plain("who are all")
	surnameBehind = words.Plain("surname behind")
	placeInWords  = words.Plain("number") // "Magistrate District One"
	article       = words.Plain("article of office")
	behindOffice  = words.Plain("behind office")
	joinsNames    = words.Plain("joins names")
	givenToo      = words.Plain("Title and given name")
	shortOffices  = words.Plain("short office") // whole words, not the short form of one
	shortNames    = words.Plain("short given name")
	men           = words.Plain("men")
	people        = words.Plain("people")
	pluralInEs    = words.Plain("plural in es")
	noPlural      = words.Plain("no plural")
	french        = words.Plain("french office")
	filler        = words.Plain("office filler")
	deputy        = words.Plain("deputy of office")
	actingFor     = words.Plain("acting for")
	withDeputy    = words.Values("office with deputy")
	single        = words.Values("single office")
	suffixes      = words.Plain("name suffix")
	beforeMover   = words.Plain("BEFORE MOVER")
	verbEnding    = words.Plain("verb ending")
	noVerbEnding  = words.Plain("no verb ending")
	adverbEnding  = words.Plain("adverb ending")
	actingEnding  = words.Plain("acting ending")
	numbers       = words.Values("number")
)

// The words of texts without small letters. Blanks surround each of them.
const (
	// heads are offices that stand before a name in a sentence.
	heads = " mayor chair chairman chairwoman chairperson president vicechair vicechairman vicemayor vicepresident " +
		"reeve maire mairesse alcalde alcaldesa presidente presidenta presidente "
	// answers are votes and statuses, behind a name.
	answers = " aye ayes yea yes nay no abstain abstained abstention absent present excused late remote recused " +
		"approve oppose si oui non favor contra abstencion presente ausente "
	// rollLabels are words of the labels of names.
	rollLabels = " yeas nays noes abstaining abstentions attendance against opposed favour for by moved mover seconded " +
		"seconder second motion roll members voting pour contre presents absents excuses excusees ausentes " +
		"presentes asistentes attending "
	// movesWords are what a member does, right behind the name.
	movesWords = " moved moves motioned motions seconded seconds voted votes abstained recused dissented opposed "
	// motionWords stand before "by" and a name.
	motionWords = " motion moved motioned made offered introduced second seconded supported proposed presented " +
		"proposition propose proposee appuye appuyee seconde secondee propuesta secundado secundada secundada " +
		"mocion opposed "
	// shortened words end with a full stop that ends no sentence.
	shortened = " NO NOS ST AVE RD CT AM PM VS INC CO "
	// lastToo are words of offices that are last names, too, at the end of a name.
	lastToo = " ward place seat works division "
	// twoLetters are words, not initials.
	twoLetters = " OF TO IN ON BY AT AS IS IT BE OR AN WE HE ME MY NO SO UP US IF DO GO MR MS DR ST JR SR CR LT LE LA " +
		"DE DU ET UN EN AU CE IL SE SA SI NE NI OU EL LO AL ES HA MM ID SU YA "
	// joins are the words between two names.
	joins = " and et y e or "
	// verbs are what follows a name in a sentence, or cannot be one.
	verbs = " made makes said says took gave led read reads spoke withdrew felt thought went had has did does " +
		"would could should will found told brought began came left put set sat met knew saw sought stood " +
		"understood wrote spent sent held ran drew chose rose kept lost paid then if also again now asks " +
		"states notes thanks not rappelle indique propose expose precise informe demande presente donne " +
		"explique soumet declare ouvre leve remercie ajoute souhaite constate invite fait avoir apres vu " +
		"informa propone expone manifiesta declara abre da explica pregunta senala somete indica "
	// numbered are words before a number.
	numbered = " no number resolution resolutions ordinance ordinances bill item article motion reglement section " +
		"chapter ward district precinct numero "
	// spelt are words without a vowel that stand for one word.
	spelt = " ND MR MRS MS DR ST NTH CLLR CLLRS CR CRS SR JR LT PT SGT "
)
