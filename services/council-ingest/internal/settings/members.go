package settings

import (
	"cmp"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

// A Member is an entry of members in council.yaml: other spellings of the name, and what the town
// says of the person. A list stands for the spellings alone.
type Member struct {
	Spellings []string `yaml:"spellings"`
	// Office is a title such as Mayor, District that of a ward or district.
	Office   string `yaml:"office"`
	District string `yaml:"district"`
	// From and Until are the first and the last year in office; 0 if unknown.
	From  int `yaml:"from"`
	Until int `yaml:"until"`
}

// ShorthandKey implements conf.Shorthand.
func (Member) ShorthandKey() string { return "spellings" }

const maxFact = 120

func (m Member) check() error {
	for _, text := range []string{m.Office, m.District} {
		if utf8.RuneCountInString(text) > maxFact || text != "" && council.FoldName(text) == "" ||
			!utf8.ValidString(text) || hasControl(text) {
			return fmt.Errorf("%q is not an office or a district: write at most %d characters on one line", text, maxFact)
		}
	}
	for _, year := range []int{m.From, m.Until} {
		if year != 0 && (year < 1700 || year > 2200) {
			return fmt.Errorf("%d is not a year", year)
		}
	}
	if m.From > cmp.Or(m.Until, m.From) {
		return errors.New("until is before from")
	}
	return nil
}

func hasControl(text string) bool {
	for _, r := range text {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return true
		}
	}
	return false
}

// Spellings returns the other spellings of each member's name.
func (s *Settings) Spellings() map[string][]string {
	all := map[string][]string{}
	for name := range s.Members {
		all[name] = s.Members[name].Spellings
	}
	return all
}
