package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/products"
)

// Portal is a portal in council.yaml.
type Portal struct {
	URL     string         `yaml:"url"`
	Pause   *time.Duration `yaml:"pause"`   // pause between two requests
	Contact string         `yaml:"contact"` // for the user agent, so that the portal's operators can reach us
	Product string         `yaml:"product"` // detected if it is empty
	// Name is the permanent name of the source. The ids of its meetings are stored under this name.
	// The default name is computed from product and address.
	Name string `yaml:"name"`
	Body string `yaml:"body"` // set if it differs from the other portals
	// From and To are the first and last local date on which the council used the portal. An empty
	// date means no limit.
	From      string                         `yaml:"from"`
	To        string                         `yaml:"to"`
	Documents []string                       `yaml:"documents"` // see Settings.Documents
	Kinds     map[string]portal.DocumentKind `yaml:"kinds"`
	// VoteWords maps the words of recorded votes to aye, nay, abstain, absent, recused or none.
	VoteWords map[string]string `yaml:"vote_words"`
	Token     string            `yaml:"token"` // for portals that require a token
}

// A PortalSource is a portal of the council that is ready to be opened.
type PortalSource struct {
	Portal
	Key      string         // key in council.yaml
	Product  portal.Product // has no name until it is detected
	Plain    bool           // the portal's ids are the numbers of the meetings
	From, To time.Time      // first and last day on which the council used the portal; zero means no limit

	ParseOptions portal.ParseOptions
}

func (s *Settings) Configured() bool { return s.Portal.URL != "" || len(s.Portals) > 0 }

// Sources returns the council's portals, the oldest first. It returns them even if there is an
// error in their settings.
func (s *Settings) Sources() ([]PortalSource, error) {
	var errs []error
	all := s.Portals
	if len(all) == 0 && s.Portal.URL != "" {
		all = []Portal{s.Portal}
	}
	var out []PortalSource
	for i, p := range all {
		key := "portal"
		if len(s.Portals) > 0 {
			key = fmt.Sprintf("portals[%d]", i)
		}
		src, err := s.source(key, p)
		errs = append(errs, err)
		out = append(out, src)
	}
	for i := range out {
		// The default for To is the day before the next portal begins.
		if i+1 < len(out) && all[i].To == "" && !out[i+1].From.IsZero() {
			out[i].To = out[i+1].From.AddDate(0, 0, -1)
		}
		if !out[i].From.IsZero() && !out[i].To.IsZero() && out[i].To.Before(out[i].From) {
			errs = append(errs, conf.Wrong(out[i].Key+".to", "%s is before its first day %s", out[i].To.Format(time.DateOnly),
				out[i].From.Format(time.DateOnly)))
		}
		// Only one portal's ids can be the numbers, because another portal uses the same ids for other
		// meetings.
		out[i].Plain = out[i].Product.Plain && !slices.ContainsFunc(out[:i], func(o PortalSource) bool { return o.Plain })
		if slices.ContainsFunc(out[:i], func(o PortalSource) bool { return o.Name != "" && o.Name == out[i].Name }) {
			errs = append(errs, conf.Wrong(out[i].Key+".name", "%q is the name of another portal, too", out[i].Name))
		}
	}
	return out, errors.Join(errs...)
}

func (s *Settings) source(key string, p Portal) (PortalSource, error) {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, conf.Wrong(key+"."+field, format, args...))
	}
	src := PortalSource{Portal: p, Key: key, ParseOptions: portal.ParseOptions{Zone: s.zone,
		Kinds: map[string]portal.DocumentKind{}}}
	src.Body = cmp.Or(strings.Join(strings.Fields(p.Body), " "), s.Body)
	u, err := url.Parse(strings.TrimSpace(p.URL))
	if p.URL == "" {
		bad("url", "required")
	} else if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		bad("url", "not an http or https URL")
		u = nil
	}
	if p.Pause != nil && (*p.Pause < 0 || *p.Pause > time.Hour) {
		bad("pause", "%s is not between 0s and 1h", *p.Pause)
	}
	var named bool
	src.Product, named = products.Named(p.Product)
	if p.Product != "" && !named {
		bad("product", "%q is not one of %s", p.Product, strings.Join(products.Names(), ", "))
	}
	if !named && u != nil {
		src.Product = products.ByAddress(u)
	}
	if src.Product.Name == "" && key == "portal" {
		src.Product = products.All()[0]
	}
	day := func(field, text string) (t time.Time) {
		if text != "" {
			t, err = time.ParseInLocation(time.DateOnly, text, s.zone)
			if err != nil {
				bad(field, "%q is not a day, written YYYY-MM-DD", text)
			}
		}
		return t
	}
	src.From, src.To = day("from", p.From), day("to", p.To)
	if src.Documents == nil {
		src.Documents = s.Documents
	}
	errs = append(errs, checkDocuments(key+".documents", p.Documents))
	for _, word := range slices.Sorted(maps.Keys(p.Kinds)) {
		if !slices.Contains(portal.Kinds(), p.Kinds[word]) {
			bad("kinds."+word, "%q is not one of %v", p.Kinds[word], portal.Kinds())
		}
		src.ParseOptions.Kinds[portal.FoldName(word)] = p.Kinds[word]
	}
	src.ParseOptions.Words, err = portal.NewWords(p.VoteWords)
	if err != nil {
		bad("vote_words", "%v", err)
	}
	src.identify(u)
	return src, errors.Join(errs...)
}

func checkDocuments(key string, names []string) error {
	var errs []error
	for i, d := range names {
		if strings.TrimSpace(d) == "" || strings.HasPrefix(d, "-") || d == "0" {
			errs = append(errs, conf.Wrong(fmt.Sprintf("%s[%d]", key, i),
				"%q is no kind of document, and no name that a portal "+
					"could give one", d))
		}
	}
	return errors.Join(errs...)
}

func (s *PortalSource) identify(address *url.URL) {
	if s.Name != "" || s.Product.Name == "" || address == nil {
		return
	}
	s.Name = s.Product.Name + "/" + cmp.Or(s.Product.Tenant(address),
		strings.ToLower(address.Host+strings.TrimRight(address.Path, "/")))
}

// Covers reports whether the council used the portal on a day.
func (s *PortalSource) Covers(t time.Time) bool {
	return t.IsZero() || (s.From.IsZero() || !t.Before(s.From)) && (s.To.IsZero() || t.Before(s.To.AddDate(0, 0, 1)))
}

// Page returns the address of a meeting's page on the portal from its number, or "" if it is
// unknown.
func (s *PortalSource) Page(number int64) string {
	if !s.Plain {
		return ""
	}
	return s.Product.Page(s.URL, strconv.FormatInt(number, 10))
}

// Open opens the portal. If necessary, it first detects the product. tries is the number of
// attempts for each request; 0 means the default. onRequest, if not nil, is called with each
// outcome.
func (s *PortalSource) Open(ctx context.Context, allowPrivate bool, tries int,
	onRequest func(portal.Outcome)) (portal.Reader, error) {
	cfg := portal.Config{URL: s.URL, Pause: time.Second, Contact: s.Contact, AllowPrivate: allowPrivate, Tries: tries,
		Token: s.Token, OnRequest: onRequest, ParseOptions: s.ParseOptions}
	if s.Pause != nil {
		cfg.Pause = *s.Pause
	}
	if s.Product.Name == "" {
		found, err := products.Find(ctx, cfg)
		if err != nil {
			return nil, err
		}
		s.Product = found.Product
		s.URL = found.URL
		cfg.URL = found.URL
		u, err := url.Parse(found.URL)
		if err != nil {
			return nil, fmt.Errorf("parse address of the portal: %w", err)
		}
		s.identify(u)
	}
	if len(s.Documents) == 0 {
		s.Documents = s.Product.Minutes
	}
	return s.Product.Open(ctx, cfg)
}

// ParseOptionsOf returns the parse options of a source. If the source is no longer configured, only
// the time zone is set.
func (s *Settings) ParseOptionsOf(name string) portal.ParseOptions {
	all, _ := s.Sources() // its error was reported when the settings were read
	for _, src := range all {
		if src.Name == name {
			return src.ParseOptions
		}
	}
	return portal.ParseOptions{Zone: s.zone}
}
