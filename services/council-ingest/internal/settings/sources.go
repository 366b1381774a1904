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

// Portal is where the council publishes, or did for a time.
type Portal struct {
	URL string `yaml:"url"`
	// Pause is the time between two requests.
	Pause *time.Duration `yaml:"pause"`
	// Contact is part of the user agent, for the portal's operators.
	Contact string `yaml:"contact"`
	// Product is its make; without it the address says it, or the portal is asked.
	Product string `yaml:"product"`
	// Name is what the source is called for good: the ids of its meetings hang on it. Without it, it
	// follows from product and address.
	Name string `yaml:"name"`
	// Body is the board at this portal where it has another name than at the others.
	Body string `yaml:"body"`
	// From and To are the local dates between which the portal is the council's, both included; empty
	// is open.
	From string `yaml:"from"`
	To   string `yaml:"to"`
	// Documents are those that are minutes at this portal; see Settings.
	Documents []string `yaml:"documents"`
	// Kinds are kinds of documents by the names that this council gives them.
	Kinds map[string]portal.DocumentKind `yaml:"kinds"`
	// VoteWords are positions by the words of this council's recorded votes: aye, nay, abstain,
	// absent, recused or none.
	VoteWords map[string]string `yaml:"vote_words"`
	// Token opens a portal that wants one.
	Token string `yaml:"token"`
}

// A PortalSource is one portal of the council in the form in which it is asked: as configured, and what
// follows from that.
type PortalSource struct {
	Portal
	// Key is where it stands in council.yaml.
	Key string
	// Product has no name until the portal was asked for it.
	Product portal.Product
	// Plain says that the portal's ids are the numbers of the meetings.
	Plain bool
	// From and To are the days between which the portal is the council's; the zero times are open.
	From, To time.Time
	// Reading is how its answers are read.
	ParseOptions portal.ParseOptions
}

// Configured reports whether there is any portal.
func (s *Settings) Configured() bool { return s.Portal.URL != "" || len(s.Portals) > 0 }

// Sources are the council's portals, the oldest first, and what is wrong with them.
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
		// A portal ends where the next begins, unless it says something else.
		if i+1 < len(out) && all[i].To == "" && !out[i+1].From.IsZero() {
			out[i].To = out[i+1].From.AddDate(0, 0, -1)
		}
		if !out[i].From.IsZero() && !out[i].To.IsZero() && out[i].To.Before(out[i].From) {
			errs = append(errs, conf.Wrong(out[i].Key+".to", "%s is before its first day %s", out[i].To.Format(time.DateOnly),
				out[i].From.Format(time.DateOnly)))
		}
		// The ids of one portal are the numbers; another of the same product would have the same ids for
		// other meetings.
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
	src := PortalSource{Portal: p, Key: key, ParseOptions: portal.ParseOptions{Zone: s.zone, Kinds: map[string]portal.DocumentKind{}}}
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
	if src.Product.Name == "" && key == "portal" { // as it always was
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

// checkDocuments reports names that no document can have.
func checkDocuments(key string, names []string) error {
	var errs []error
	for i, d := range names {
		if strings.TrimSpace(d) == "" || strings.HasPrefix(d, "-") || d == "0" {
			errs = append(errs, conf.Wrong(fmt.Sprintf("%s[%d]", key, i), "%q is neither a kind of document nor a name that a "+
				"portal could give one", d))
		}
	}
	return errors.Join(errs...)
}

// identify gives a source that has no name one of its product and address.
func (s *PortalSource) identify(address *url.URL) {
	if s.Name != "" || s.Product.Name == "" || address == nil {
		return
	}
	tenant := s.Product.Tenant(address)
	if tenant == "" {
		tenant = strings.ToLower(address.Host + strings.TrimRight(address.Path, "/"))
	}
	s.Name = s.Product.Name + "/" + tenant
}

// Covers reports whether a day is one on which the portal is the council's.
func (s *PortalSource) Covers(t time.Time) bool {
	return t.IsZero() || (s.From.IsZero() || !t.Before(s.From)) && (s.To.IsZero() || t.Before(s.To.AddDate(0, 0, 1)))
}

// Page is the portal's page of a meeting by its number; "" where the number is not the portal's.
func (s *PortalSource) Page(number int64) string {
	if !s.Plain {
		return ""
	}
	return s.Product.Page(s.URL, strconv.FormatInt(number, 10))
}

// Open opens the source; where nobody says of which product it is, it finds that out first. tries
// is how often a request is tried in all, 0 as often as is usual; asked, if set, is called with the
// outcome of each.
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
		s.Product, s.URL, cfg.URL = found.Product, found.URL, found.URL
		u, err := url.Parse(found.URL)
		if err != nil {
			return nil, fmt.Errorf("address of the portal: %w", err)
		}
		s.identify(u)
	}
	if len(s.Documents) == 0 {
		s.Documents = s.Product.Minutes
	}
	return s.Product.Open(ctx, cfg)
}

// ParseOptionsOf is how the answers of a source are read; that of the zone alone for one that is
// configured no more.
func (s *Settings) ParseOptionsOf(name string) portal.ParseOptions {
	all, _ := s.Sources() // what is wrong was reported when the settings were read
	for _, src := range all {
		if src.Name == name {
			return src.ParseOptions
		}
	}
	return portal.ParseOptions{Zone: s.zone}
}
