package conf

import (
	"fmt"
	"time"

	"github.com/townline/townline/pkg/lang"
)

// DefaultTown is the name of a town that the operator has not named.
const DefaultTown = "Council votes"

// Council has the settings of a council's pages.
type Council struct {
	Town     string `env:"COUNCIL_TOWN" envDefault:"Council votes" doc:"Name at the top of the council's pages, such as that of the town."`
	TimeZone string `env:"COUNCIL_TIME_ZONE" envDefault:"UTC" doc:"Time zone of times on the council's pages (IANA name), that of council.yaml. In UTC they say so."`
	Locale   string `env:"COUNCIL_LOCALE" envDefault:"en-US" doc:"Region whose English dates and times the council's pages write, locale in council.yaml: en-US is October 20, 2026 and 6:00 pm, en-GB 20 October 2026 and 18:00."`
}

func (c *Council) Place() (*time.Location, lang.Locale, error) {
	zone, err := time.LoadLocation(c.TimeZone)
	if err != nil || c.TimeZone == "Local" {
		return nil, lang.Locale{}, fmt.Errorf("COUNCIL_TIME_ZONE: %q is not a known time zone", c.TimeZone)
	}
	locale, err := lang.ReadLocale(c.Locale)
	if err != nil {
		return nil, lang.Locale{}, fmt.Errorf("COUNCIL_LOCALE: %w", err)
	}
	return zone, locale, nil
}
