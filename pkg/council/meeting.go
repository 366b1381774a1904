package council

import (
	"slices"
	"strings"
)

// MeetingType is the kind of a meeting as the API lists it (spec: Meeting,
// meeting_type).
type MeetingType string

// The meeting types.
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

// MeetingTypeOf reads the type as a portal writes it ("Special Meeting/Closed
// Session"). The deployment's own wordings, compared without regard to case,
// win. Otherwise the public part of a combined meeting decides: regular before
// special before closed, and anything else (workshops, study sessions) is
// other.
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

// Status is the state of a meeting between the calendar and parsed
// minutes (spec: Meeting.status).
type Status string

// The statuses, in the order a meeting passes them.
const (
	StatusDiscovered     Status = "discovered"      // on the calendar, nothing read yet
	StatusAgendaOnly     Status = "agenda_only"     // agenda read, meeting not over
	StatusMinutesPending Status = "minutes_pending" // meeting over, no approved minutes yet
	StatusComplete       Status = "complete"        // minutes archived and parsed
	StatusCancelled      Status = "cancelled"       // cancelled on the portal
	StatusParseError     Status = "parse_error"     // minutes archived, not parsed
)

// Statuses lists every status in the order of the API description.
func Statuses() []Status {
	return []Status{StatusDiscovered, StatusAgendaOnly, StatusMinutesPending, StatusComplete, StatusCancelled,
		StatusParseError}
}

// A meeting that was over before its agenda was read goes from discovered straight to
// minutes_pending. After complete a new document can be unreadable; the votes of the last good
// parse stay.
var transitions = map[Status][]Status{
	StatusDiscovered:     {StatusAgendaOnly, StatusMinutesPending, StatusCancelled},
	StatusAgendaOnly:     {StatusMinutesPending, StatusCancelled},
	StatusMinutesPending: {StatusComplete, StatusParseError, StatusCancelled},
	StatusCancelled:      {StatusDiscovered, StatusAgendaOnly, StatusMinutesPending},
	StatusComplete:       {StatusParseError},
	StatusParseError:     {StatusComplete},
}

// MayBecome reports whether a meeting may change from s to next. A status never becomes itself.
func (s Status) MayBecome(next Status) bool { return slices.Contains(transitions[s], next) }

// ParseSource is the kind of document that a vote was read from (spec: Vote.parse_source).
type ParseSource string

// The parse sources.
const (
	SourceHTML ParseSource = "html" // the portal's own vote record
	SourcePDF  ParseSource = "pdf"  // the approved minutes
)

// ParseSources lists every parse source.
func ParseSources() []ParseSource { return []ParseSource{SourceHTML, SourcePDF} }

// Topic is a machine label of an agenda item (spec: AgendaItem.topic).
type Topic string

// The thirteen topics.
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
