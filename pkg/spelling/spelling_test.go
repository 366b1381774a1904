package spelling

import "testing"

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, known string
		errors       int
		ok           bool
	}{
		{"barrington", "barrington", 0, true},
		{"barington", "barrington", 1, true},  // a letter is missing
		{"termnial", "terminal", 1, true},     // two letters are swapped
		{"prinecss", "princess", 1, true},     // likewise
		{"gardn", "garden", 1, true},          // five letters: one error
		{"gardnn", "garden", 1, true},         // a letter is replaced
		{"gadn", "garden", 0, false},          // four letters: one error at most
		{"elm", "elms", 0, false},             // three letters: none
		{"", "a", 0, false},                   // nothing typed
		{"montague", "montagne", 1, true},     // replaced
		{"montagu", "mountaigne", 0, false},   // too long
		{"straße", "strasse", 2, true},        // letters, not bytes
		{"university", "universal", 0, false}, // three errors
		{"lacewod", "lacewood", 1, true},      // doubled letter
		{"quinpoool", "quinpool", 1, true},    // a letter too many
		{"spirng gardn", "spring garden", 2, true},
	} {
		n, ok := Errors([]rune(c.typed), []rune(c.known))
		if ok != c.ok || ok && n != c.errors {
			t.Errorf("%q for %q: %d, %v; want %d, %v", c.typed, c.known, n, ok, c.errors, c.ok)
		}
	}
}
