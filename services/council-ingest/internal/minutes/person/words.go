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
	article       = words.Plain("article of office")
	behindOffice  = words.Plain("behind office")
	joinsNames    = words.Plain("joins names")
	givenToo      = words.Plain("Title and given name")
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
	numbers       = words.Values("number")
)
