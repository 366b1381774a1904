// Package council is the vocabulary of the council half: the enumerations of the votes API (meeting
// types, statuses, results, positions, topics, anomaly kinds and codes), the words by which minutes
// name them, matching of people's names, and limits of texts.
//
// words/ has the sentences about anomalies in each language. The package opens no connection.
// Callers pass in the words of a city. The parser is
// council-ingest/internal/minutes; the tables are pkg/schema/council.
package council

// Each Values method lists an enumeration for validation and the API description.

func (MeetingType) Values() []string { return Words(MeetingTypes()) }

func (Status) Values() []string { return Words(Statuses()) }

func (ParseSource) Values() []string { return Words(ParseSources()) }

func (VoteOrigin) Values() []string { return Words([]VoteOrigin{FromMinutes, FromRecord}) }

func (Topic) Values() []string { return Words(Topics()) }

func (Result) Values() []string { return Words(Results()) }

func (Position) Values() []string { return Words(Positions()) }

func (AnomalyKind) Values() []string { return Words(AnomalyKinds()) }

func Words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
