package run

import "github.com/townline/townline/pkg/conf"

// Validate reports what is wrong beyond types.
func (in *infra) Validate() error { return in.Tracing.Validate() }

// Settings are the settings that every service has, as it would read them from env.
// DATABASE_URL may be missing there: who asks need not have one.
func Settings(env conf.Environ) ([]conf.Setting, error) {
	const address = "DATABASE_URL"
	in, err := conf.Load[infra](conf.Environ{address: "-"}.With(env))
	if env[address] == "" {
		in.DatabaseURL = ""
	}
	return conf.Settings(in), err
}
