// Package conf reads environment variables and YAML files into structs, with errors that locate
// each mistake, and prints settings with secrets masked.
//
// Infrastructure (addresses, URLs, credentials) comes from the environment through Load; the data
// that a deployment serves comes from a file through ReadYAML. Callers pass the environment in, so
// that several services can run in one process with different settings.
package conf

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Environ is a set of environment variables by name.
type Environ map[string]string

func OS() Environ {
	return env.ToMap(os.Environ())
}

// With returns a copy of e with the variables of set. It ignores empty values, which stand for
// command line flags that were not set.
func (e Environ) With(set map[string]string) Environ {
	out := Environ{}
	maps.Copy(out, e)
	for k, v := range set {
		if v != "" {
			out[k] = v
		}
	}
	return out
}

// Validator is implemented by settings with rules beyond their types.
type Validator interface{ Validate() error }

// Load fills a T from e by the fields' `env` and `envDefault` tags (package caarlos0/env), checks
// their `oneof` tags and calls its Validate method, if any. The error names every invalid variable,
// but no value that may be secret.
func Load[T any](e Environ) (T, error) {
	cfg, err := env.ParseAsWithOptions[T](env.Options{Environment: e})
	if err != nil {
		return cfg, fmt.Errorf("read settings from the environment: %w", hideValues(err, reflect.TypeFor[T]()))
	}
	err = errors.Join(checkWords(cfg)...)
	if v, ok := any(&cfg).(Validator); ok && err == nil {
		err = v.Validate()
	}
	if err != nil {
		return cfg, fmt.Errorf("settings: %w", err)
	}
	return cfg, nil
}

// checkWords checks that each setting has one of the words of its `oneof` tag. An empty value is
// the default.
func checkWords(cfg any) (errs []error) {
	eachSetting(reflect.ValueOf(cfg), func(name string, f reflect.StructField, value reflect.Value) {
		words := strings.Split(f.Tag.Get("oneof"), ",")
		if words[0] != "" && value.String() != "" && !slices.Contains(words, value.String()) {
			errs = append(errs, fmt.Errorf(`%s must be "%s", not %q`, name, strings.Join(words, `" or "`), value.String()))
		}
	})
	return errs
}

func eachSetting(v reflect.Value, fn func(name string, f reflect.StructField, value reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("env"), ",")
		switch {
		case !f.IsExported() || name == "-":
		case name != "":
			fn(name, f, v.Field(i))
		case f.Type.Kind() == reflect.Struct:
			eachSetting(v.Field(i), fn)
		}
	}
}

// hideValues replaces the env library's errors, which quote values, by a list of the invalid
// variables and the expected types.
func hideValues(err error, t reflect.Type) error {
	var agg env.AggregateError
	if !errors.As(err, &agg) {
		return err
	}
	lines := make([]string, 0, len(agg.Errors))
	for _, e := range agg.Errors {
		var p env.ParseError
		if errors.As(e, &p) {
			lines = append(lines, fmt.Sprintf("%s is %s", variableOf(t, p.Name), wrongAs(p.Type)))
			continue
		}
		lines = append(lines, e.Error())
	}
	slices.Sort(lines)
	return errors.New(strings.Join(lines, "; "))
}

func wrongAs(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "not a duration: write 30s, 5m or 12h"
	case t.Kind() == reflect.Bool:
		return "not true or false"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return "not a whole number, or too large"
	}
	return "not a valid " + t.String()
}

func variableOf(t reflect.Type, field string) string {
	variable := field
	eachSetting(reflect.Zero(t), func(name string, f reflect.StructField, _ reflect.Value) {
		if f.Name == field {
			variable = name
		}
	})
	return variable
}

// A Setting is one effective value in the output of `townline config`.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Doc   string `json:"doc,omitempty"`
}

// Settings lists the fields of cfg (a struct or a pointer to one) with an `env` tag, nested structs
// included. Fields tagged `secret:"true"` and passwords in URLs are masked.
func Settings(cfg any) []Setting {
	var out []Setting
	eachSetting(reflect.Indirect(reflect.ValueOf(cfg)), func(name string, f reflect.StructField, v reflect.Value) {
		value := fmt.Sprint(v.Interface())
		if f.Tag.Get("secret") == "true" && value != "" {
			value = mask
		}
		out = append(out, Setting{Name: name, Value: MaskURL(value), Doc: f.Tag.Get("doc")})
	})
	return out
}

const mask = "******"

// MaskURL masks the password in a URL and query parameters named like credentials. Other text is
// returned unchanged.
func MaskURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" {
		return s
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "MASKED")
	} else if u.User != nil && u.Scheme == "nats" {
		// nats://TOKEN@host: a user without a password is a token.
		u.User = url.User("MASKED")
	}
	q := u.Query()
	changed := false
	for k := range q {
		low := strings.ToLower(k)
		if strings.Contains(low, "password") || strings.Contains(low, "token") || strings.Contains(low, "secret") ||
			strings.HasSuffix(low, "key") {
			q.Set(k, "MASKED")
			changed = true
		}
	}
	if changed {
		u.RawQuery = q.Encode()
	}
	return strings.ReplaceAll(u.String(), "MASKED", mask)
}
