package run

import "github.com/townline/townline/pkg/conf"

// Validate reports mistakes beyond types.
func (in *infra) Validate() error { return in.Tracing.Validate() }

// Settings returns the settings that every service has, as it reads them from env.
// DATABASE_URL may be missing: the caller need not have one.
func Settings(env conf.Environ) ([]conf.Setting, error) {
	const address = "DATABASE_URL"
	in, err := conf.Load[infra](conf.Environ{address: "-"}.With(env))
	if env[address] == "" {
		in.DatabaseURL = ""
	}
	return conf.Settings(in), err
}
