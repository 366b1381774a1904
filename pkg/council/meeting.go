package council

import (
	"slices"
	"strings"
)

// A MeetingType is the kind of a meeting (spec: Meeting.meeting_type).
type MeetingType string

const (
	MeetingRegular MeetingType = "regular"
	MeetingSpecial MeetingType = "special"
	MeetingClosed  MeetingType = "closed"
	MeetingOther   MeetingType = "other"
)

// MeetingTypes lists every meeting type in the order of the API description.
func MeetingTypes() []MeetingType {
	return []MeetingType{MeetingRegular, MeetingSpecial, MeetingClosed, MeetingOther}
}

// MeetingTypeOf parses a portal's meeting type ("Special Meeting/Closed Session"). The deployment's
// own words come first; case does not matter. A combined meeting has the type of its public part:
// regular comes before special, special before closed. Workshops, study sessions and unknown types
// are other.
func MeetingTypeOf(raw string, own map[string]MeetingType) MeetingType {
	fold := func(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
	folded := fold(raw)
	for words, t := range own {
		if fold(words) == folded {
			return t
		}
	}
	switch {
	case strings.Contains(folded, "regular"):
		return MeetingRegular
	case strings.Contains(folded, "special"), strings.Contains(folded, "emergency"):
		return MeetingSpecial
	case strings.Contains(folded, "closed"), strings.Contains(folded, "executive session"):
		return MeetingClosed
	}
	return MeetingOther
}

// A Status is the progress of a meeting from announcement to minutes (spec: Meeting.status).
type Status string

// The statuses, in the order in which a meeting has them.
const (
	StatusDiscovered     Status = "discovered"      // on the calendar; agenda not read yet
	StatusAgendaOnly     Status = "agenda_only"     // agenda read; meeting not over
	StatusMinutesPending Status = "minutes_pending" // meeting over; no approved minutes yet
	StatusComplete       Status = "complete"        // minutes archived and parsed
	StatusCancelled      Status = "cancelled"       // cancelled on the portal
	StatusParseError     Status = "parse_error"     // minutes archived, but not parsed
)

// Statuses lists every status in the order of the API description.
func Statuses() []Status {
	return []Status{StatusDiscovered, StatusAgendaOnly, StatusMinutesPending, StatusComplete, StatusCancelled,
		StatusParseError}
}

// A meeting that was over before its agenda was read goes from discovered to minutes_pending. A
// complete meeting can get an unreadable document; it keeps the votes of the last good parse.
var transitions = map[Status][]Status{
	StatusDiscovered:     {StatusAgendaOnly, StatusMinutesPending, StatusCancelled},
	StatusAgendaOnly:     {StatusMinutesPending, StatusCancelled},
	StatusMinutesPending: {StatusComplete, StatusParseError, StatusCancelled},
	StatusCancelled:      {StatusDiscovered, StatusAgendaOnly, StatusMinutesPending},
	StatusComplete:       {StatusParseError},
	StatusParseError:     {StatusComplete},
}

// MayBecome reports whether a meeting may change from s to next, which must differ.
func (s Status) MayBecome(next Status) bool { return slices.Contains(transitions[s], next) }

// A ParseSource is the kind of document that a vote was read from (spec: Vote.parse_source).
type ParseSource string

const (
	SourceHTML ParseSource = "html" // the portal's own vote record
	SourcePDF  ParseSource = "pdf"  // the approved minutes
)

// ParseSources lists every parse source.
func ParseSources() []ParseSource { return []ParseSource{SourceHTML, SourcePDF} }

// A VoteOrigin is the source of a vote.
type VoteOrigin string

const (
	FromMinutes VoteOrigin = "minutes"
	FromRecord  VoteOrigin = "record" // the portal's own data, while there are no minutes with votes
)

// A Topic is a machine label of an agenda item (spec: AgendaItem.topic).
type Topic string

const (
	TopicHousing      Topic = "housing"
	TopicLandUse      Topic = "land-use-zoning"
	TopicPublicSafety Topic = "public-safety"
	TopicBudget       Topic = "budget-finance"
	TopicUtilities    Topic = "utilities"
	TopicTransport    Topic = "transportation"
	TopicParks        Topic = "parks-recreation"
	TopicEconomy      Topic = "economic-development"
	TopicHomelessness Topic = "homelessness"
	TopicPersonnel    Topic = "personnel-labor"
	TopicContracts    Topic = "contracts-procurement"
	TopicGovernance   Topic = "governance-procedural"
	TopicOther        Topic = "other"
)

// Topics lists every topic in the order of the API description.
func Topics() []Topic {
	return []Topic{TopicHousing, TopicLandUse, TopicPublicSafety, TopicBudget, TopicUtilities, TopicTransport, TopicParks,
		TopicEconomy, TopicHomelessness, TopicPersonnel, TopicContracts, TopicGovernance, TopicOther}
}

// ConsentHeading reports whether a heading begins the consent calendar (list), whose items are
// adopted by one vote, or the list of items removed from it, such as "Items Removed from the
// Consent Calendar" (removed).
func ConsentHeading(heading string) (list, removed bool) {
	h := strings.ToLower(heading)
	for _, document := range []string{"order", "decree", "judgment", "agreement"} {
		h = strings.ReplaceAll(h, "consent "+document, document) // it settles a case
	}
	if len(h) > 80 && !strings.Contains(h[:40], "consent") || !strings.Contains(h, "consent") {
		return false, false
	}
	has := func(word string) bool { return strings.Contains(h, word) }
	if slices.ContainsFunc([]string{"may be", "unless", "will be", "can be", "not removed", "without"}, has) {
		return true, false // a note about items that may be removed
	}
	off := slices.ContainsFunc([]string{"remov", "pull", "exclu", "withdrawn", "taken", "held from", "held for",
		"separate", "non-consent", "off consent", "off the", "from consent", "from the", "not on"}, has)
	return !off, off
}
