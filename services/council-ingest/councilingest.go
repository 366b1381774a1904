// Package councilingest is the service that reads a town council's portal and
// keeps what was voted: calendar and meeting pages, minutes as published, the text
// of them, and the votes, members and contradictions found in that text.
//
// The way of a meeting: internal/portal fetches and reads the portal's pages,
// internal/pdftext turns a PDF into lines, internal/minutes turns lines into a
// record, internal/archive keeps the ground, internal/merge brings the tables to
// what the ground says, internal/classify says what items are about, internal/export writes the files for download. This
// package visits the meetings to read (ingest.go, visit.go), finds the board and the minutes on the portal (find.go),
// puts them in order (publish.go), decides a meeting's status (status.go), and is the service (run.go) and the operator's
// commands (ingest.go, load.go, reparse.go, check.go).
//
// It is the only writer of the Postgres schema council, and the API is the only
// reader that matters; they share nothing but the tables and one announcement.
package councilingest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/council-ingest/internal/classify"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
)

// Config is the service's infrastructure.
type Config struct {
	// File is council.yaml; without it the service waits for work and finds no portal.
	File         string        `env:"COUNCIL_CONFIG" doc:"council.yaml: the portal and the words of this council."`
	AllowPrivate bool          `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	Every        time.Duration `env:"COUNCIL_INGEST_EVERY" envDefault:"6h" doc:"How often the portal is read."`
	// Archive is where documents are kept instead of Postgres; [ReadSettings] reads it, too.
	Archive objects.Config
}

// Program describes the service to its binary, to townline up and to tests.
func Program() run.Service {
	return run.Typed[Config]{
		Name: "council-ingest", Part: schema.Council, Run: Run,
		Preflight: func(cfg Config, env conf.Environ) error {
			_, err := ReadSettings(cfg.File, env)
			return err
		},
	}.Service()
}

// Validate reports what is wrong with the settings.
func (c *Config) Validate() error {
	if c.Every < time.Minute {
		return fmt.Errorf("COUNCIL_INGEST_EVERY: %s is shorter than a minute", c.Every)
	}
	return c.Archive.Validate()
}

// Settings is what is particular about one council and its portal: council.yaml.
type Settings struct {
	Portal Portal `yaml:"portal"`
	// Portals are the council's portals one after the other, the oldest first, in place of Portal.
	Portals []Portal `yaml:"portals"`
	// Body is the board whose meetings are kept, as the portal writes it; compared without regard to case. Where the portal has no such board, the
	// only one whose name ends with it.
	Body string `yaml:"body"`
	// TimeZone is where the meetings take place (IANA name).
	TimeZone string `yaml:"time_zone"`
	// Documents are the documents that are minutes, by kind or by the name that the portal gives them (for IQM2, the Type of FileOpen); the first that a
	// meeting has is used.
	Documents []string `yaml:"documents"`
	// MeetingTypes are types as the portal writes them that mean another kind than their words say.
	MeetingTypes map[string]council.MeetingType `yaml:"meeting_types"`
	// Dialect are further words of minutes: labels of the table of a vote, offices, headings. townline council dialect shows what they do.
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
	store *objects.Store // nil: documents are kept in Postgres
}

// ReadSettings reads council.yaml, and from the environment where documents are
// kept; an empty path means the defaults, which name no portal.
func ReadSettings(path string, env conf.Environ) (*Settings, error) {
	s := &Settings{}
	var err error
	if path == "" {
		err = s.fill()
	} else {
		err = conf.ReadYAML(path, env, s)
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

// Validate fills in defaults and reports everything that is wrong, key by key.
func (s *Settings) Validate() error {
	err := s.fill()
	if !s.configured() {
		err = errors.Join(err, conf.Wrong("portal.url", "required"))
	}
	return err
}

func (s *Settings) fill() error {
	var errs []error
	bad := func(key, format string, args ...any) { errs = append(errs, conf.Wrong(key, format, args...)) }
	if s.Body = strings.Join(strings.Fields(s.Body), " "); s.Body == "" {
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
	if len(s.Portals) > 0 && s.Portal.URL != "" {
		bad("portals", "give one portal as portal, or several as portals")
	}
	_, wrong := s.sources()
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
