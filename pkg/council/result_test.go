package council_test

import (
	"testing"

	"github.com/townline/townline/pkg/council"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	words := council.NewResultWords(nil)
	for raw, want := range map[string]council.Result{
		"ADOPTED [UNANIMOUS]":                council.Adopted,
		"Adopted as Amended [3-0-1]":         council.Adopted,
		"PASSED COMMITTEE [4 TO 0]":          council.Adopted,
		"accepted":                           council.Adopted,
		"CARRIED":                            council.Adopted,
		"APPROVED AS AMENDED":                council.Adopted,
		"Report Accepted and Placed on File": council.Adopted,
		"NOT ADOPTED [0 TO 5]":               council.Failed,
		"NOT  PASSED":                        council.Failed,
		"FAILED OF ADOPTION":                 council.Failed,
		"DEFEATED [8 TO 7]":                  council.Failed,
		"Denied":                             council.Failed,
		"TABLED":                             council.Tabled,
		"CONTINUED [UNANIMOUS]":              council.Continued,
		"POSTPONED":                          council.Continued,
		"HELD OVER":                          council.Continued,
		"NO ACTION":                          council.NoAction,
		"Withdrawn [4-0-2]":                  council.NoAction,
		"PLACED ON FILE":                     council.Other,
		"REFERRED TO COMMITTEE":              council.Other,
		"[4 TO 1]":                           council.Other,
		"":                                   council.Other,
		"ADPOTED":                            council.Other,
		"UPHELD":                             council.Other,
		"COMPASSED":                          council.Other,
	} {
		if got := words.Classify(raw); got != want {
			t.Errorf("%q is %s, want %s", raw, got, want)
		}
	}
}

func TestOwnResultWordsTakePrecedenceLongestFirst(t *testing.T) {
	t.Parallel()
	words := council.NewResultWords(map[string]council.Result{
		"Ordained":              council.Adopted,
		"passed":                council.Tabled,
		"Passed to be enrolled": council.Continued,
		" ":                     council.Failed,
	})
	for raw, want := range map[string]council.Result{
		"ORDAINED [7-2]":         council.Adopted,
		"Passed":                 council.Tabled,
		"PASSED to be  ENROLLED": council.Continued,
		"NOT ADOPTED":            council.Failed,
		"Adopted":                council.Adopted,
		"Placed on file":         council.Other,
	} {
		if got := words.Classify(raw); got != want {
			t.Errorf("%q is %s, want %s", raw, got, want)
		}
	}
}

func TestMisprint(t *testing.T) {
	t.Parallel()
	words := council.NewResultWords(map[string]council.Result{"ordained": council.Adopted})
	for raw, want := range map[string][2]string{
		"ADPOTED":         {"adpoted", "adopted"},
		"PASSED, TABLEED": {"tableed", "tabled"},
		"Ordaind":         {"ordaind", "ordained"},
		"ADOPTED":         {},
		"Placed on file":  {},
		"PASS":            {},
		"APPROVE":         {}, // the beginning of a word is a form of that word, not a misprint
	} {
		printed, meant := words.Misprint(raw)
		if got := [2]string{printed, meant}; got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
