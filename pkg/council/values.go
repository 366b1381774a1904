package council

// Values lists the words of each enumeration, so that validation and description
// of an API share these lists.

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

// Words are the words of an enumeration.
func Words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
