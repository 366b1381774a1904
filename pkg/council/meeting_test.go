package council_test

import (
	"slices"
	"testing"

	"github.com/townline/townline/pkg/council"
)

func TestMeetingTypeOf(t *testing.T) {
	t.Parallel()
	own := map[string]council.MeetingType{"Retreat  of the Council": council.MeetingSpecial,
		"regular Workshop": council.MeetingOther}
	for raw, want := range map[string]council.MeetingType{
		"Regular Meeting":                    council.MeetingRegular,
		"REGULAR":                            council.MeetingRegular,
		"Closed Session/Regular Meeting":     council.MeetingRegular,
		"Special Meeting / Closed Session":   council.MeetingSpecial,
		"Emergency Meeting":                  council.MeetingSpecial,
		"Closed Session":                     council.MeetingClosed,
		"Executive Session":                  council.MeetingClosed,
		"Study Session":                      council.MeetingOther,
		"":                                   council.MeetingOther,
		"retreat of the council":             council.MeetingSpecial,
		"Regular Workshop":                   council.MeetingOther,
		"Regular Workshop on the Waterworks": council.MeetingRegular,
	} {
		if got := council.MeetingTypeOf(raw, own); got != want {
			t.Errorf("%q is %s, want %s", raw, got, want)
		}
	}
}

// The table is complete: all other transitions are invalid.
func TestStatusTransitions(t *testing.T) {
	t.Parallel()
	allowed := map[council.Status][]council.Status{
		council.StatusDiscovered:     {council.StatusAgendaOnly, council.StatusMinutesPending, council.StatusCancelled},
		council.StatusAgendaOnly:     {council.StatusMinutesPending, council.StatusCancelled},
		council.StatusMinutesPending: {council.StatusComplete, council.StatusParseError, council.StatusCancelled},
		council.StatusCancelled:      {council.StatusDiscovered, council.StatusAgendaOnly, council.StatusMinutesPending},
		council.StatusComplete:       {council.StatusParseError},
		council.StatusParseError:     {council.StatusComplete},
	}
	for _, from := range append(council.Statuses(), "unheard-of") {
		for _, to := range append(council.Statuses(), "unheard-of") {
			if got, want := from.MayBecome(to), slices.Contains(allowed[from], to); got != want {
				t.Errorf("%s to %s: %v, want %v", from, to, got, want)
			}
		}
	}
}

func TestEnumerationsListEveryValueOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []string
		want   int
	}{
		"meeting types": {council.MeetingType("").Values(), 4},
		"statuses":      {council.Status("").Values(), 6},
		"parse sources": {council.ParseSource("").Values(), 2},
		"topics":        {council.Topic("").Values(), 13},
		"results":       {council.Result("").Values(), 6},
		"positions":     {council.Position("").Values(), 5},
		"anomaly kinds": {council.AnomalyKind("").Values(), 4},
	} {
		if sorted := slices.Compact(slices.Sorted(slices.Values(c.values))); len(sorted) != c.want ||
			len(c.values) != c.want || sorted[0] == "" {
			t.Errorf("%s: %q, want %d different words", name, c.values, c.want)
		}
	}
}

func TestEveryAnomalyCodeIsDocumented(t *testing.T) {
	t.Parallel()
	seen := map[council.AnomalyCode]bool{}
	for _, r := range council.AnomalyRules() {
		if seen[r.Code] {
			t.Errorf("%s is listed twice", r.Code)
		}
		seen[r.Code] = true
		if !slices.Contains(council.AnomalyKinds(), r.Kind) || len(r.Meaning) < 20 {
			t.Errorf("%s: kind %q, meaning %q", r.Code, r.Kind, r.Meaning)
		}
		if got := council.KindOf(r.Code); got != r.Kind {
			t.Errorf("KindOf(%s) = %s, the list has %s", r.Code, got, r.Kind)
		}
	}
	if got := council.AnomalyCodes(); len(got) != len(seen) || !slices.Contains(got, council.CodeTallyMismatch) {
		t.Errorf("AnomalyCodes has %d codes, AnomalyRules has %d", len(got), len(seen))
	}
	if got := council.KindOf("made-up"); got != council.Error {
		t.Errorf("an unknown code is of kind %s", got)
	}
}

func TestConsentHeading(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string][2]bool{
		"CONSENT CALENDAR":                        {true, false},
		"Unanimous Consent":                       {true, false},
		"Consent Agenda (items may be removed)":   {true, false},
		"CONSENT CALENDAR – Items not removed":    {true, false},
		"ITEMS REMOVED FROM THE CONSENT CALENDAR": {false, true},
		"Items Pulled From Consent":               {false, true},
		"Consent Items Held for Discussion":       {false, true},
		"Non-Consent Items":                       {false, true},
		"Action Items":                            {false, false},
		"":                                        {false, false},
	} {
		if list, removed := council.ConsentHeading(heading); list != want[0] || removed != want[1] {
			t.Errorf("%q: %v %v, want %v", heading, list, removed, want)
		}
	}
}
