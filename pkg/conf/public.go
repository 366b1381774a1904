package conf

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
)

// Public has what an operator tells the public about itself, the same on both halves: whom to ask,
// and what search engines may read.
type Public struct {
	Contact           string `env:"CONTACT_MAIL" doc:"Mail address for questions about the data, accessibility and privacy, on the pages /accessibility and /privacy and in /data.json, which does not exist without it."`
	Phone             string `env:"CONTACT_PHONE" doc:"Telephone number for the same questions, if any."`
	LogDays           int    `env:"LOG_DAYS" doc:"Days for which you keep the logs of these programs, for the page /privacy. The programs delete no logs. 0: the page does not say it."`
	Policy            string `env:"PRIVACY_POLICY" doc:"Address of your own privacy policy, https://…, to which the page /privacy links."`
	SecurityContact   string `env:"SECURITY_CONTACT" doc:"Where to report vulnerabilities: a mail address, or https://…; several with blanks between. Empty: there is no /.well-known/security.txt."`
	SecurityLanguages string `env:"SECURITY_LANGUAGES" envDefault:"en" doc:"Languages of those who read such reports: en, or en, es."`
	SearchEngines     string `env:"SEARCH_ENGINES" envDefault:"on" oneof:"on,off" doc:"on lets search engines read the pages; off asks them in /robots.txt to read nothing, for a host that is not public yet."`
}

// Validate reports contacts that nobody could use.
func (p *Public) Validate() error {
	var errs []error
	if p.Contact != "" && !plainMail(p.Contact) {
		errs = append(errs, fmt.Errorf("CONTACT_MAIL must be a mail address, not %q", p.Contact))
	}
	if _, err := p.SecurityContacts(); err != nil {
		errs = append(errs, err)
	}
	if strings.ContainsAny(p.SecurityLanguages+p.Phone, "\r\n") {
		errs = append(errs, errors.New("SECURITY_LANGUAGES and CONTACT_PHONE have one line"))
	}
	if u, err := url.Parse(p.Policy); p.Policy != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		errs = append(errs, fmt.Errorf("PRIVACY_POLICY must begin with https://, not %q", p.Policy))
	}
	if p.LogDays < 0 {
		errs = append(errs, errors.New("LOG_DAYS must not be negative"))
	}
	return errors.Join(errs...)
}

// plainMail reports whether s is a mail address and nothing else, such as clerk@town.example.
func plainMail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && strings.Contains(s[strings.LastIndexByte(s, '@'):], ".")
}

// SecurityContacts returns the addresses of SecurityContact as URIs.
func (p *Public) SecurityContacts() ([]string, error) {
	var all []string
	for _, c := range strings.Fields(p.SecurityContact) {
		if plainMail(strings.TrimPrefix(c, "mailto:")) {
			all = append(all, "mailto:"+strings.TrimPrefix(c, "mailto:"))
			continue
		}
		if u, err := url.Parse(c); err != nil || u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("SECURITY_CONTACT: %q is neither a mail address nor an address that begins with https://", c)
		}
		all = append(all, c)
	}
	return all, nil
}
