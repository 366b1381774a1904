package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilapi "github.com/townline/townline/services/council-api"
	councilingest "github.com/townline/townline/services/council-ingest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	rtpoller "github.com/townline/townline/services/rt-poller"
	transitapi "github.com/townline/townline/services/transit-api"
)

// Services returns the five services, by half.
func Services() []run.Service {
	return []run.Service{councilingest.Program(), councilapi.Program(), gtfsimport.Program(), rtpoller.Program(),
		transitapi.Program()}
}

// Configuration reads the environment and files as the services of a half do, or of both halves if
// half is empty. It returns every setting and every mistake, and opens nothing else.
func Configuration(s *Session, half string) ([]conf.Setting, []error) {
	all, errs := Environment(s.Env, half)
	if half != "transit" && s.Set.CouncilConfig != "" {
		_, err := councilingest.ReadSettings(s.Set.CouncilConfig, s.Env)
		errs = append(errs, Mistakes(err)...)
	}
	if half != "council" {
		errs = append(errs, Mistakes(transitapi.CheckConfig(s.Set.TransitConfig, s.Env))...)
	}
	all = slices.Insert(all, 0, conf.Setting{Name: "TOWNLINE_DATA", Value: s.Set.Data, Doc: "Folder of the private " +
		"servers."})
	return all, distinct(errs)
}

// Environment is Configuration without the files.
func Environment(env conf.Environ, half string) (all []conf.Setting, errs []error) {
	add := func(settings []conf.Setting, err error) {
		errs = append(errs, Mistakes(err)...)
		for _, set := range settings {
			if !slices.ContainsFunc(all, func(have conf.Setting) bool { return have.Name == set.Name }) {
				all = append(all, set)
			}
		}
	}
	add(run.Settings(env))
	for _, svc := range Services() {
		if slices.Contains(Halves(half), svc.Part) {
			add(svc.Settings(env))
		}
	}
	return all, distinct(errs)
}

// Mistakes returns the lines of a configuration error: each is a separate mistake.
func Mistakes(err error) (all []error) {
	if err == nil {
		return nil
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		all = append(all, errors.New(line))
	}
	return all
}

// distinct removes mistakes that several services report for the same setting.
func distinct(errs []error) (out []error) {
	reported := map[string]bool{}
	for _, err := range errs {
		if !reported[err.Error()] {
			reported[err.Error()] = true
			out = append(out, err)
		}
	}
	return out
}

// WrongConfiguration is the error of commands that need a correct configuration.
func WrongConfiguration(errs []error) error {
	return fmt.Errorf("the configuration is wrong:\n%w", errors.Join(errs...))
}

// Halves returns the parts of the schema that --only selects: both if it is empty.
func Halves(only string) []schema.Part {
	if only == "" {
		return []schema.Part{schema.Council, schema.Transit}
	}
	return []schema.Part{schema.Part(only)}
}
