package council

import "testing"

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
		if list, removed := ConsentHeading(heading); list != want[0] || removed != want[1] {
			t.Errorf("%q: %v %v, want %v", heading, list, removed, want)
		}
	}
}
