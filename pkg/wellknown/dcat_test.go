package wellknown

import "testing"

// A telephone number in the catalogue is an address, by the schema of DCAT-US 3.
func TestTelephone(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"+1 555 0100": "tel:+1-555-0100", "(555) 010-0100": "tel:555-010-0100",
		"555.0100": "tel:555-0100", "555-CITY": "", "555 0100 ext. 12": "", "": ""} {
		if got := telephone(number); got != want {
			t.Errorf("%q: %q, want %q", number, got, want)
		}
	}
}
