package council

// Values lists the words of each enumeration, so that validation and description
// of an API share these lists.

// Values lists every meeting type.
func (MeetingType) Values() []string { return words(MeetingTypes()) }

// Values lists every status.
func (Status) Values() []string { return words(Statuses()) }

// Values lists every parse source.
func (ParseSource) Values() []string { return words(ParseSources()) }

// Values lists every topic.
func (Topic) Values() []string { return words(Topics()) }

// Values lists every result.
func (Result) Values() []string { return words(Results()) }

// Values lists every position.
func (Position) Values() []string { return words(Positions()) }

// Values lists every anomaly kind.
func (AnomalyKind) Values() []string { return words(AnomalyKinds()) }

func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
