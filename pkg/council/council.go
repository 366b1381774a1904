// Package council is the vocabulary of the council half: the closed lists of the votes API (meeting
// types, statuses, results, positions, topics, anomaly kinds and codes), the words by which minutes
// name them, the matching of people's names, and texts as tables hold them.
//
// It reads no file, opens no connection and knows no city: callers pass in the words of a city. The
// parser is council-ingest/internal/minutes; the tables are pkg/schema/council.
package council

// The Values methods are the enumerations of the API: for validation and description.

// Values lists every meeting type.
func (MeetingType) Values() []string { return Words(MeetingTypes()) }

// Values lists every status.
func (Status) Values() []string { return Words(Statuses()) }

// Values lists every parse source.
func (ParseSource) Values() []string { return Words(ParseSources()) }

// Values lists every topic.
func (Topic) Values() []string { return Words(Topics()) }

// Values lists every result.
func (Result) Values() []string { return Words(Results()) }

// Values lists every position.
func (Position) Values() []string { return Words(Positions()) }

// Values lists every anomaly kind.
func (AnomalyKind) Values() []string { return Words(AnomalyKinds()) }

// Words converts an enumeration to strings.
func Words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
