package settings

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Body is an entry of bodies in council.yaml. It applies to the bodies that its name or pattern
// matches, and has their settings.
type Body struct {
	// Name is the portal's name of a body in any case, a pattern in which * stands for any letters, or
	// all.
	Name string `yaml:"name"`
	// Except lists names and patterns of bodies to which the entry does not apply.
	Except       []string                       `yaml:"except"`
	Documents    []string                       `yaml:"documents"`
	MeetingTypes map[string]council.MeetingType `yaml:"meeting_types"`
	Results      map[string]council.Result      `yaml:"results"`
	Dialect      lexicon.Words                  `yaml:"dialect"`
	// Time is the start of meetings, HH:MM. It is used if the portal only has their day.
	Time string `yaml:"time"`
}

// ShorthandKey allows an entry to be only a name.
func (Body) ShorthandKey() string { return "name" }

func matches(pattern, name string) bool {
	if strings.EqualFold(pattern, "all") {
		return true
	}
	parts := strings.Split(portal.FoldName(pattern), "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	ok, err := regexp.MatchString("^"+strings.Join(parts, ".*")+"$", portal.FoldName(name))
	return ok && err == nil
}

// entry returns the entry that applies to a body: the entry with exactly its name, or the first
// entry that matches.
func (s *Settings) entry(name string) *Body {
	var first *Body
	for i := range s.Bodies {
		b := &s.Bodies[i]
		if portal.FoldName(b.Name) == portal.FoldName(name) {
			return b
		}
		excepted := slices.ContainsFunc(b.Except, func(pattern string) bool { return matches(pattern, name) })
		if first == nil && !excepted && matches(b.Name, name) {
			first = b
		}
	}
	return first
}

// ReadsBody reports whether the setting bodies includes a body.
func (s *Settings) ReadsBody(name string) bool { return s.entry(name) != nil }

// NamesBody reports whether the setting bodies has exactly the name of a body.
func (s *Settings) NamesBody(name string) bool {
	b := s.entry(name)
	return b != nil && portal.FoldName(b.Name) == portal.FoldName(name)
}

// For returns the settings for one body. Its entry overrides the settings for all bodies.
func (s *Settings) For(name string) *Settings {
	b := s.entry(name)
	if b == nil {
		return s
	}
	one := *s
	if b.Documents != nil {
		one.Documents = b.Documents
	}
	one.MeetingTypes, one.Results = maps.Clone(s.MeetingTypes), maps.Clone(s.Results)
	if one.MeetingTypes == nil {
		one.MeetingTypes = map[string]council.MeetingType{}
	}
	if one.Results == nil {
		one.Results = map[string]council.Result{}
	}
	maps.Copy(one.MeetingTypes, b.MeetingTypes)
	maps.Copy(one.Results, b.Results)
	one.Dialect = s.Dialect.With(b.Dialect)
	return &one
}

// Start returns the start of a body's meeting for which the portal only has the day.
func (s *Settings) Start(name string, day time.Time) time.Time {
	b := s.entry(name)
	if b == nil || b.Time == "" || day.Hour() != 0 || day.Minute() != 0 {
		return day
	}
	at, _ := time.Parse("15:04", b.Time) // checkBodies has checked the time
	return time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), 0, 0, day.Location())
}

// SpellingOn splits a name of members that is valid for one body, such as "Jane Doe @ Planning
// Commission".
func SpellingOn(name string) (printed, body string) {
	printed, body, _ = strings.Cut(name, "@")
	return strings.TrimSpace(printed), strings.TrimSpace(body)
}

// division matches an Open Civic Data division id.
var division = regexp.MustCompile(`^ocd-division/country:[a-z]{2}(/[a-z_]+:[\pL\pN._~%-]+)*$`)

func (s *Settings) checkBodies() error {
	var errs []error
	if s.Division != "" && !division.MatchString(s.Division) {
		errs = append(errs, conf.Wrong("division", "%q is not like ocd-division/country:us/state:ky/place:louisville",
			s.Division))
	}
	for i, b := range s.Bodies {
		key := fmt.Sprintf("bodies[%d].", i)
		if strings.TrimSpace(b.Name) == "" {
			errs = append(errs, conf.Wrong(key+"name", "required: a name, a pattern with *, or all"))
		}
		if _, err := time.Parse("15:04", b.Time); b.Time != "" && err != nil {
			errs = append(errs, conf.Wrong(key+"time", "%q is not a time of day, written HH:MM", b.Time))
		}
		errs = append(errs, checkDocuments(key+"documents", b.Documents),
			checkWords(key, b.MeetingTypes, b.Results, b.Dialect))
	}
	return errors.Join(errs...)
}
