package person_test

import (
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

func TestWithoutDegrees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mara Quill, MD, Vice-Chairperson":               "Mara Quill, Vice-Chairperson",
		"Ode Brandt, JD, LLM":                            "Ode Brandt",
		"Dr. Ann Doe, Ph.D., Chair; Bo Roe, D.O.":        "Dr. Ann Doe, Chair; Bo Roe",
		"Ann Doe Ed.D., Bo Roe CPA and Cal Poe, P.E.":    "Ann Doe, Bo Roe and Cal Poe",
		"Ann Doe, R.N., Bo Roe Jr., Esq. and Cal Poe MD": "Ann Doe, Bo Roe Jr. and Cal Poe",
		"Sam Danner, PA-C":                               "Sam Danner",
		"Ayes: Tran, Do, Lee":                            "Ayes: Tran, Do, Lee", // a name
		"Doe JD, Roe AB":                                 "Doe JD, Roe AB",      // initials
		"12 Elm Street, Baltimore, MD 21201":             "12 Elm Street, Baltimore, MD 21201",
		"Doe, do you agree":                              "Doe, do you agree",
	} {
		if got := person.WithoutDegrees(text); got != want {
			t.Errorf("WithoutDegrees(%q) = %q, want %q", text, got, want)
		}
	}
}
