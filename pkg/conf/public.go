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
	Contact           string `env:"CONTACT_MAIL" doc:"Mail address for questions about the data, in /data.json, which does not exist without it."`
	Phone             string `env:"CONTACT_PHONE" doc:"Telephone number for the same questions, if any."`
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
