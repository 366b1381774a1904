package conf

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/townline/townline/pkg/lang"
)

// DefaultTown is the name of a town that the operator has not named.
const DefaultTown = "Council votes"

// CouncilFile has the keys of council.yaml about pages. A variable of the environment that is set
// comes before its key.
type CouncilFile struct {
	Site    CouncilSite    `yaml:"site"`
	Embed   Embed          `yaml:"embed"` // without ancestors, COUNCIL_EMBED decides; an empty list means nobody
	Contact CouncilContact `yaml:"contact"`
	// TimeZone and Locale are those of the meetings.
	TimeZone string `yaml:"time_zone"`
	Locale   string `yaml:"locale"`
}

// CouncilSite is the town's own look of the pages.
type CouncilSite struct {
	Name  string `yaml:"name"`  // COUNCIL_TOWN
	Color string `yaml:"color"` // COUNCIL_COLOR
	Logo  string `yaml:"logo"`  // COUNCIL_LOGO
}

// CouncilContact says whom readers of the pages can ask.
type CouncilContact struct {
	Mail    string `yaml:"mail"`    // CONTACT_MAIL
	Phone   string `yaml:"phone"`   // CONTACT_PHONE
	Reports string `yaml:"reports"` // COUNCIL_MAIL
}

// Validate reports all invalid keys about pages.
func (f *CouncilFile) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) { errs = append(errs, Wrong(key, format, args...)) }
	if f.Site.Color != "" && !color.MatchString(f.Site.Color) {
		bad("site.color", "%q is not six hexadecimal digits, such as 0b57a4", f.Site.Color)
	}
	if strings.ContainsAny(f.Site.Name, "\r\n") {
		bad("site.name", "must have one line")
	}
	if strings.ContainsAny(f.Contact.Phone, "\r\n") {
		bad("contact.phone", "must have one line")
	}
	for key, mail := range map[string]string{"contact.mail": f.Contact.Mail, "contact.reports": f.Contact.Reports} {
		if mail != "" && !plainMail(mail) {
			bad(key, "must be a mail address, not %q", mail)
		}
	}
	f.Embed.validate(bad)
	return errors.Join(errs...)
}

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
