// Package settings reads council.yaml: what is particular about one council, its words, its names
// and its portals.
//
// It decides which of the council's portals is asked for which days and how, and opens it. It asks
// nobody by itself, and knows no database. Start with Settings; sources.go has the portals.
package settings

import (
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
	"github.com/townline/townline/services/council-ingest/internal/classify"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
)

// Settings is what is particular about one council and its portal: council.yaml.
type Settings struct {
	Portal Portal `yaml:"portal"`
	// Portals are the council's portals one after the other, the oldest first, in place of Portal.
	Portals []Portal `yaml:"portals"`
	// Body is the board whose meetings are kept, as the portal writes it; compared without regard to
	// case. Where the portal has no such board, the only one whose name ends with it.
	Body string `yaml:"body"`
	// TimeZone is where the meetings take place (IANA name).
	TimeZone string `yaml:"time_zone"`
	// Locale is the region whose English dates and times the pages write, such as en-US or en-GB.
	Locale string `yaml:"locale"`
	// Documents are the documents that are minutes, by kind or by the name that the portal gives them
	// (for IQM2, the Type of FileOpen); the first that a meeting has is used.
	Documents []string `yaml:"documents"`
	// MeetingTypes are types as the portal writes them that mean another kind than their words say.
	MeetingTypes map[string]council.MeetingType `yaml:"meeting_types"`
	// Dialect are further words of minutes: labels of the table of a vote, offices, headings. townline
	// council dialect shows what they do.
	Dialect dialect.Words `yaml:"dialect"`
	// Results are further words of result lines.
	Results map[string]council.Result `yaml:"results"`
	// Members are people by their one name, with other spellings of it.
	Members map[string][]string `yaml:"members"`
	// PageFurniture are beginnings of lines that are printed on pages and belong to no item.
	PageFurniture []string `yaml:"page_furniture"`
	// Classifier is the model that labels agenda items; without one a list of terms does.
	Classifier classify.Settings `yaml:"classifier"`

	zone  *time.Location
	store *objects.Store
}

// Read reads council.yaml, and from the environment where documents are
// kept; an empty path means the defaults, which name no portal.
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
	kept, err := conf.Load[objects.Config](env)
	if err != nil {
		return s, err
	}
	s.store, err = objects.Open(kept)
	return s, err
}

// Zone is where the meetings take place.
func (s *Settings) Zone() *time.Location { return s.zone }

// Store is where documents are kept; nil: in Postgres.
func (s *Settings) Store() *objects.Store { return s.store }

// Minutes is how this council's minutes are to be read; paged says that the text has pages.
func (s *Settings) Minutes(paged bool) minutes.Options {
	return minutes.Options{Roster: slices.Sorted(maps.Keys(s.Members)), Dialect: s.Dialect, Results: s.Results,
		Furniture: s.PageFurniture, Paged: paged}
}

// Validate fills in defaults and reports everything that is wrong, key by key.
func (s *Settings) Validate() error {
	err := s.fill()
	if !s.Configured() {
		err = errors.Join(err, conf.Wrong("portal.url", "required"))
	}
	return err
}

func (s *Settings) fill() error {
	var errs []error
	bad := func(key, format string, args ...any) { errs = append(errs, conf.Wrong(key, format, args...)) }
	s.Body = strings.Join(strings.Fields(s.Body), " ")
	if s.Body == "" {
		s.Body = "City Council"
	}
	if s.TimeZone == "" {
		s.TimeZone = "America/Los_Angeles"
	}
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
	for words, t := range s.MeetingTypes {
		if !slices.Contains(council.MeetingTypes(), t) {
			bad("meeting_types."+words, "%q is not one of %v", t, council.MeetingTypes())
		}
	}
	for words, r := range s.Results {
		if !slices.Contains(council.Results(), r) {
			bad("results."+words, "%q is not one of %v", r, council.Results())
		}
	}
	if err := s.Dialect.Validate(); err != nil {
		bad("dialect", "%v", err)
	}
	owner := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.Members)) { // of two claims the later is named, each time the same
		for _, spelling := range append([]string{name}, s.Members[name]...) {
			key := council.FoldName(spelling)
			if key == "" {
				bad("members."+name, "has an empty spelling")
			} else if before, taken := owner[key]; taken && before != name {
				bad("members."+name, "%q is claimed by both %q and %q", spelling, before, name)
			}
			owner[key] = name
		}
	}
	errs = append(errs, s.Classifier.Validate())
	return errors.Join(errs...)
}
