package settings

import (
	"cmp"
	"errors"
	"net/url"
	"time"

	"github.com/townline/townline/pkg/conf"
)

// A Classifier is the model that labels agenda items. Without a URL, a list of terms labels them.
type Classifier struct {
	// URL is the base of an OpenAI-compatible API: https://api.openai.com/v1,
	// http://localhost:11434/v1 (Ollama), http://host:8000/v1 (vLLM). It may be a private address,
	// because the operator configures it and redirects are not followed.
	URL         string `yaml:"url"`
	Model       string `yaml:"model"`
	Key         string `yaml:"key"`         // a bearer token; may be empty
	Concurrency int    `yaml:"concurrency"` // number of concurrent questions; default 2
	// PerRun bounds the requests of one run, including retries. The default is 200. A request has at
	// most about 5,000 bytes of text and 2000 tokens of answer. The next run, minutes later,
	// continues.
	PerRun  int           `yaml:"per_run"`
	Timeout time.Duration `yaml:"timeout"` // for one question; default one minute
}

// Validate fills in defaults and reports all invalid keys.
func (s *Classifier) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, conf.Wrong("classifier"+key, format, args...))
	}
	if (s.URL == "") != (s.Model == "") {
		bad("", "url and model belong together")
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			bad(".url", "not an http or https URL")
		case u.User != nil || u.RawQuery != "" || u.Fragment != "":
			bad(".url", "the base of an API has no user, query or fragment; a key goes under key")
		}
	}
	for _, r := range []struct {
		name               string
		value              *int
		preset, least, max int
	}{
		{name: "concurrency", value: &s.Concurrency, preset: 2, least: 1, max: 64},
		{name: "per_run", value: &s.PerRun, preset: 200, least: 1, max: 1_000_000},
	} {
		*r.value = cmp.Or(*r.value, r.preset)
		if *r.value < r.least || *r.value > r.max {
			bad("."+r.name, "%d is not between %d and %d", *r.value, r.least, r.max)
		}
	}
	s.Timeout = cmp.Or(s.Timeout, time.Minute)
	if s.Timeout < time.Second || s.Timeout > time.Hour {
		bad(".timeout", "%s is not between 1s and 1h", s.Timeout)
	}
	return errors.Join(errs...)
}
