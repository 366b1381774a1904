package classify

import (
	"errors"
	"net/url"
	"time"

	"github.com/townline/townline/pkg/conf"
)

// Settings is the part `classifier` of council.yaml: the endpoint to ask. Without a URL Keywords answers.
type Settings struct {
	// URL is the base of an OpenAI-compatible API, as its documentation gives it: https://api.openai.com/v1, http://localhost:11434/v1 (Ollama),
	// http://host:8000/v1 (vLLM). It may be on a private or loopback address, TOWNLINE_ALLOW_PRIVATE or not: it is the operator's word and
	// leads nowhere else, since redirects are not followed.
	URL string `yaml:"url"`
	// Model is the model's name there.
	Model string `yaml:"model"`
	// Key is sent as a bearer token; empty for servers that want none.
	Key string `yaml:"key"`
	// Concurrency is how many questions are under way at a time; 2 unless set.
	Concurrency int `yaml:"concurrency"`
	// PerRun bounds the requests of one run, those that are tried again included; 200 unless set. With the limits of a request (about 5,000 bytes
	// of text, 2000 tokens of answer) it bounds the tokens of a run. What is left is asked by the next run, some minutes later.
	PerRun int `yaml:"per_run"`
	// Timeout bounds one question; a minute unless set. Models on small machines may need more.
	Timeout time.Duration `yaml:"timeout"`
}

// Validate fills in defaults and reports what is wrong, key by key as council.yaml has them.
func (s *Settings) Validate() error {
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
	}{{"concurrency", &s.Concurrency, 2, 1, 64}, {"per_run", &s.PerRun, 200, 1, 1_000_000}} {
		if *r.value == 0 {
			*r.value = r.preset
		}
		if *r.value < r.least || *r.value > r.max {
			bad("."+r.name, "%d is not between %d and %d", *r.value, r.least, r.max)
		}
	}
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	if s.Timeout < time.Second || s.Timeout > time.Hour {
		bad(".timeout", "%s is not between 1s and 1h", s.Timeout)
	}
	return errors.Join(errs...)
}
