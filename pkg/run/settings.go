package run

import "github.com/townline/townline/pkg/conf"

// Settings are the settings that every service has, with their defaults.
func Settings() ([]conf.Setting, error) {
	const address = "DATABASE_URL" // required, so it has no default
	in, err := conf.Load[infra](conf.Environ{address: "-"})
	if err != nil {
		return nil, err
	}
	all := conf.Settings(in)
	for i := range all {
		if all[i].Name == address {
			all[i].Value = ""
		}
	}
	return all, nil
}
