// Package settings reads council.yaml: the portals, words and names of one council. It also opens
// portals, but it sends no requests itself and does not depend on the database. Start with
// Settings; sources.go has the portals.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

// Settings is council.yaml.
type Settings struct {
	Portal Portal `yaml:"portal"`
	// Portals are the portals that the council has used one after another, the oldest first. They
	// replace Portal.
	Portals []Portal `yaml:"portals"`
	// Body is the body whose meetings are stored. It is the portal's name of the body in any case, or
	// the end of the name if that is unique.
	Body string `yaml:"body"`
	// Bodies are further bodies whose meetings are stored; see bodies.go.
	Bodies []Body `yaml:"bodies"`
	// Division is the town's Open Civic Data division.
	Division string `yaml:"division"`
	// TimeZone is the IANA name of the time zone of the meetings.
	TimeZone string `yaml:"time_zone"`
	// Locale is the region whose format English dates and times on the pages have, such as en-US or
	// en-GB.
	Locale string `yaml:"locale"`
	// Site, Embed and Contact are about the pages of council-api.
	Site    conf.CouncilSite    `yaml:"site"`
	Embed   conf.Embed          `yaml:"embed"`
	Contact conf.CouncilContact `yaml:"contact"`
	// Documents lists the documents that are minutes, in order of preference. An entry is a kind or
	// the portal's name (for IQM2, the Type of FileOpen).
	Documents []string `yaml:"documents"`
	// MeetingTypes maps the portal's words to meeting types.
	MeetingTypes map[string]council.MeetingType `yaml:"meeting_types"`
	// Dialect extends the words of minutes: labels of vote tables, offices, headings. `townline
	// council dialect` shows their effect.
	Dialect lexicon.Words `yaml:"dialect"`
	// Results extends the words of result lines.
	Results map[string]council.Result `yaml:"results"`
	// Members has the members by name. A name means one person on all bodies. "Jane Doe @ Planning
	// Commission" is the name of a person on one body.
	Members map[string]Member `yaml:"members"`
	// PageFurniture lists beginnings of lines that belong to no item.
	PageFurniture []string `yaml:"page_furniture"`
	// Classifier is the model that labels agenda items. The default is a list of terms.
	Classifier Classifier `yaml:"classifier"`

	zone  *time.Location
	store *objects.Store
}

// Read reads council.yaml, and the settings of the object store from the environment. If path is
// "", it returns the defaults, which have no portal.
func Read(path string, env conf.Environ) (*Settings, error) {
	s := &Settings{}
	var err error
	if path == "" {
		err = s.fill()
	} else {
		err = conf.ReadYAML(path, env, s)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: let COUNCIL_CONFIG name a file like deploy/council.yaml, or unset it", err)
	}
	if err != nil {
		return s, err
	}
	store, err := conf.Load[objects.Config](env)
	if err != nil {
		return s, err
	}
	s.store, err = objects.Open(store)
	return s, err
}

func (s *Settings) Zone() *time.Location { return s.zone }

// Store returns the object store of documents, or nil if Postgres has the documents.
func (s *Settings) Store() *objects.Store { return s.store }

// Minutes returns the options for parsing minutes. paged says that the text has pages.
func (s *Settings) Minutes(paged bool) minutes.Options {
	var roster []string
	for _, name := range slices.Sorted(maps.Keys(s.Members)) {
		if printed, _ := SpellingOn(name); !slices.Contains(roster, printed) {
			roster = append(roster, printed)
		}
	}
	return minutes.Options{Roster: roster, Dialect: s.Dialect, Results: s.Results,
		Furniture: s.PageFurniture, Paged: paged}
}

// Validate fills in defaults and reports all invalid keys.
func (s *Settings) Validate() error {
	pages := conf.CouncilFile{Site: s.Site, Embed: s.Embed, Contact: s.Contact}
	err := errors.Join(s.fill(), pages.Validate())
	if !s.Configured() {
		err = errors.Join(err, conf.Wrong("portal.url", "required"))
	}
	return err
}

// checkWords reports words with an unknown meaning. prefix is the prefix of their keys.
func checkWords(prefix string, types map[string]council.MeetingType, results map[string]council.Result,
	words lexicon.Words) error {
	var errs []error
	for word, t := range types {
		if !slices.Contains(council.MeetingTypes(), t) {
			errs = append(errs, conf.Wrong(prefix+"meeting_types."+word, "%q is not one of %v", t,
				council.MeetingTypes()))
		}
	}
	for word, r := range results {
		if !slices.Contains(council.Results(), r) {
			errs = append(errs, conf.Wrong(prefix+"results."+word, "%q is not one of %v", r, council.Results()))
		}
	}
	if err := words.Validate(); err != nil {
		errs = append(errs, conf.Wrong(prefix+"dialect", "%v", err))
	}
	return errors.Join(errs...)
}

func (s *Settings) fill() error {
	var errs []error
	bad := func(key, format string, args ...any) { errs = append(errs, conf.Wrong(key, format, args...)) }
	s.Body = strings.Join(strings.Fields(s.Body), " ")
	if s.Body == "" && len(s.Bodies) == 0 {
		s.Body = "City Council"
	}
	s.TimeZone = cmp.Or(s.TimeZone, "America/Los_Angeles")
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil || s.TimeZone == "Local" {
		bad("time_zone", "%q is not a known time zone", s.TimeZone)
		zone = time.UTC
	}
	s.zone = zone
	if _, err := lang.ReadLocale(s.Locale); err != nil {
		bad("locale", "%w", err)
	}
	if len(s.Portals) > 0 && s.Portal.URL != "" {
		bad("portals", "give one portal as portal, or several as portals")
	}
	_, wrong := s.Sources()
	errs = append(errs, wrong, checkDocuments("documents", s.Documents))
	errs = append(errs, checkWords("", s.MeetingTypes, s.Results, s.Dialect), s.checkBodies())
	owner := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.Members)) { // sorted, so that errors have a stable order
		for _, spelling := range append([]string{name}, s.Members[name].Spellings...) {
			key := council.FoldName(spelling)
			if name, body := SpellingOn(spelling); body != "" {
				key = council.FoldName(name) + " @ " + council.FoldName(body)
			}
			if key == "" {
				bad("members."+name, "has an empty spelling")
			} else if before, ok := owner[key]; ok && before != name {
				bad("members."+name, "%q is claimed by both %q and %q", spelling, before, name)
			}
			owner[key] = name
		}
		if err := s.Members[name].check(); err != nil {
			bad("members."+name, "%w", err)
		}
	}
	errs = append(errs, s.Classifier.Validate())
	return errors.Join(errs...)
}
