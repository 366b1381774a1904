package merge

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// State is what the tables should hold of one meeting.
type State struct {
	Items      []record.Item // in document order, those of the outline between those of the minutes
	Attendance []record.Attendee
	Anomalies  []record.Anomaly
	// Source is what the votes were read from.
	Source council.ParseSource
	// Recorded says that the votes are the portal's record, not the minutes.
	Recorded bool
	// Reread says that what is stored was read from the same document.
	Reread bool
	// Kept says that what is stored stays, for its document cannot be read any more: nothing else is
	// set here but Anomalies to add.
	Kept bool
}

// Note adds an anomaly of the whole meeting, and returns it.
func (s *State) Note(code council.AnomalyCode, message string) *record.Anomaly {
	s.Anomalies = append(s.Anomalies, record.Anomaly{Item: -1, Kind: council.KindOf(code), Code: code, Message: message})
	return &s.Anomalies[len(s.Anomalies)-1]
}

// Names maps names as printed, folded, to the one name of the person.
type Names map[string]string

// NewNames reads the configured aliases: one name, and other spellings of it.
func NewNames(aliases map[string][]string) Names {
	n := Names{}
	for name, others := range aliases {
		n[council.FoldName(name)] = name
		for _, other := range others {
			n[council.FoldName(other)] = name
		}
	}
	return n
}

// Of returns the one name for a printed one, which is the printed one where nothing else is
// configured.
func (n Names) Of(printed string) string {
	if name, ok := n[council.FoldName(printed)]; ok {
		return name
	}
	return strings.Join(strings.Fields(printed), " ")
}

func (n Names) known(printed *string) *string { return council.Some(n.Of(council.Text(printed))) }
