package merge

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// State is the wanted content of one meeting.
type State struct {
	Items      []record.Item // from minutes and outline, in document order
	Attendance []record.Attendee
	Anomalies  []record.Anomaly
	Source     council.ParseSource
	Origin     council.VoteOrigin
	Reread     bool // the stored rows come from the same document
	// Shared has the folded names that mean one person on all bodies. Persons has the portal's ids of
	// people, by folded name.
	Shared       map[string]bool
	Persons      map[string]string
	PersonSource string
	// KeepStored keeps the stored rows and adds Anomalies. It is for a document that has become
	// unreadable. No other field is set.
	KeepStored bool
}

// Note adds an anomaly about the whole meeting, and returns the anomaly.
func (s *State) Note(code council.AnomalyCode, message string) *record.Anomaly {
	s.Anomalies = append(s.Anomalies, record.Anomaly{Item: -1, Kind: council.KindOf(code), Code: code, Message: message})
	return &s.Anomalies[len(s.Anomalies)-1]
}

// names lists the people whom the state names.
func (s *State) names() []string {
	var names []string
	for _, a := range s.Attendance {
		names = append(names, a.Name)
	}
	for _, it := range s.Items {
		for _, v := range it.Votes {
			names = append(names, v.Names()...)
		}
	}
	return names
}

// Names maps a folded spelling to the canonical name of the person.
type Names map[string]string

// NamesOnBody returns the members of council.yaml with their names on one body. The key "Jane Doe @
// Planning Commission" is a name on that body only. one has the names that mean one person on all
// bodies.
func NamesOnBody(aliases map[string][]string, body string) (names Names, one map[string]bool) {
	names, one = Names{}, map[string]bool{}
	on := func(spelling string) (string, bool) {
		name, of, only := strings.Cut(spelling, "@")
		return strings.TrimSpace(name), !only || council.FoldName(of) == council.FoldName(body)
	}
	for name, others := range aliases {
		plain, here := on(name)
		if !here {
			continue
		}
		one[council.FoldName(plain)] = one[council.FoldName(plain)] || !strings.Contains(name, "@")
		for _, spelling := range append([]string{plain}, others...) {
			if s, here := on(spelling); here {
				names[council.FoldName(s)] = plain
			}
		}
	}
	for name := range aliases { // a name for this body only means another person
		if plain, here := on(name); here && strings.Contains(name, "@") {
			one[council.FoldName(plain)] = false
		}
	}
	return names, one
}

// Of returns the canonical name for a printed name, or the printed name if there is none.
func (n Names) Of(printed string) string {
	if name, ok := n[council.FoldName(printed)]; ok {
		return name
	}
	return strings.Join(strings.Fields(printed), " ")
}
