package lang

import (
	"fmt"
	"slices"

	"golang.org/x/text/language"
)

// A Locale is how a place writes dates and times in English. Other languages have one form
// everywhere.
type Locale struct {
	MonthFirst bool // October 20, 2026
	Twelve     bool // 6:00 pm
}

// ReadLocale reads a tag such as en-US or en-GB; "" is en-US.
func ReadLocale(tag string) (Locale, error) {
	if tag == "" {
		tag = "en-US"
	}
	t, err := language.Parse(tag)
	region, confidence := t.Region()
	if err != nil || confidence != language.Exact {
		return Locale{}, fmt.Errorf("%q is not a language with a region, such as en-US or en-GB", tag)
	}
	american := []string{"US", "CA", "PH"}
	return Locale{
		MonthFirst: slices.Contains(american, region.String()),
		Twelve:     slices.Contains(append(american, "AU", "NZ", "IN"), region.String()),
	}, nil
}
