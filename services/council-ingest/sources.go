package councilingest

import (
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
	// Product is its make; without it the address tells, or the portal is asked.
	Product string `yaml:"product"`
	// Name is what the source is called for good: the ids of its meetings hang on it. Without it, it follows from product and address.
	Name string `yaml:"name"`
	// Body is the board at this portal where it has another name than at the others.
	Body string `yaml:"body"`
	// From and To are the local dates between which the portal is the council's, both included; empty is open.
	From string `yaml:"from"`
	To   string `yaml:"to"`
	// Documents are those that are minutes at this portal; see Settings.
	Documents []string `yaml:"documents"`
	// Kinds are kinds of documents by the names that this council gives them.
	Kinds map[string]portal.Kind `yaml:"kinds"`
	// VoteWords are positions by the words of this council's recorded votes: aye, nay, abstain, absent, recused or none.
	VoteWords map[string]string `yaml:"vote_words"`
	// Token opens a portal that wants one.
	Token string `yaml:"token"`
}

// A source is one portal of the council in the form in which it is read.
type source struct {
	Portal
	key       string         // where it stands in council.yaml
	product   portal.Product // without a name: it has to be asked for
	plain     bool           // the portal's ids are the numbers of the meetings
	body      string
	from, to  time.Time // the zero times are open
	documents []string
	reading   portal.Reading
}

// configured reports whether there is any portal.
func (s *Settings) configured() bool { return s.Portal.URL != "" || len(s.Portals) > 0 }

// sources are the council's portals, the oldest first, and what is wrong with them.
func (s *Settings) sources() ([]source, error) {
	var errs []error
	all := s.Portals
	if len(all) == 0 && s.Portal.URL != "" {
		all = []Portal{s.Portal}
	}
	var out []source
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
		if i+1 < len(out) && out[i].To == "" && !out[i+1].from.IsZero() {
			out[i].to = out[i+1].from.AddDate(0, 0, -1)
		}
		if !out[i].from.IsZero() && !out[i].to.IsZero() && out[i].to.Before(out[i].from) {
			errs = append(errs, conf.Wrong(out[i].key+".to", "%s is before its first day %s", out[i].to.Format(time.DateOnly), out[i].from.Format(time.DateOnly)))
		}
		// The ids of one portal are the numbers; another of the same product would have the same ids for other meetings.
		out[i].plain = out[i].product.Plain && !slices.ContainsFunc(out[:i], func(o source) bool { return o.plain })
		if slices.ContainsFunc(out[:i], func(o source) bool { return o.Name != "" && o.Name == out[i].Name }) {
			errs = append(errs, conf.Wrong(out[i].key+".name", "%q is the name of another portal, too", out[i].Name))
		}
	}
	return out, errors.Join(errs...)
}

func (s *Settings) source(key string, p Portal) (source, error) {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, conf.Wrong(key+"."+field, format, args...))
	}
	src := source{Portal: p, key: key, body: strings.Join(strings.Fields(p.Body), " "), documents: p.Documents, reading: portal.Reading{Zone: s.zone}}
	u, err := url.Parse(strings.TrimSpace(p.URL))
	if p.URL == "" {
		bad("url", "required")
	} else if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		bad("url", "not an http or https URL")
		u = nil
	}
	if src.Pause == nil {
		second := time.Second
		src.Pause = &second
	}
	if *src.Pause < 0 || *src.Pause > time.Hour {
		bad("pause", "%s is not between 0s and 1h", *src.Pause)
	}
	var named bool
	if src.product, named = products.Named(p.Product); p.Product != "" && !named {
		bad("product", "%q is not one of %s", p.Product, strings.Join(products.Names(), ", "))
	}
	if !named && u != nil {
		src.product = products.ByAddress(u)
	}
	if src.product.Name == "" && key == "portal" { // as it always was
		src.product = products.All()[0]
	}
	if src.body == "" {
		src.body = s.Body
	}
	for _, day := range []struct {
		field, text string
		into        *time.Time
	}{{"from", p.From, &src.from}, {"to", p.To, &src.to}} {
		if day.text == "" {
			continue
		}
		if *day.into, err = time.ParseInLocation(time.DateOnly, day.text, s.zone); err != nil {
			bad(day.field, "%q is not a day, written YYYY-MM-DD", day.text)
		}
	}
	if src.documents == nil {
		src.documents = s.Documents
	}
	errs = append(errs, checkDocuments(key+".documents", p.Documents))
	src.reading.Kinds = map[string]portal.Kind{}
	for _, word := range slices.Sorted(maps.Keys(p.Kinds)) {
		if !slices.Contains(portal.Kinds(), p.Kinds[word]) {
			bad("kinds."+word, "%q is not one of %v", p.Kinds[word], portal.Kinds())
		}
		src.reading.Kinds[portal.FoldName(word)] = p.Kinds[word]
	}
	if src.reading.Words, err = portal.NewWords(p.VoteWords); err != nil {
		bad("vote_words", "%v", err)
	}
	src.identify(u)
	return src, errors.Join(errs...)
}

// checkDocuments tells of names that no document can have.
func checkDocuments(key string, names []string) error {
	var errs []error
	for i, d := range names {
		if strings.TrimSpace(d) == "" || strings.HasPrefix(d, "-") || d == "0" {
			errs = append(errs, conf.Wrong(fmt.Sprintf("%s[%d]", key, i), "%q is neither a kind of document nor a name that a portal could give one", d))
		}
	}
	return errors.Join(errs...)
}

// identify gives a source that has no name one of its product and address.
func (s *source) identify(address *url.URL) {
	if s.Name != "" || s.product.Name == "" || address == nil {
		return
	}
	tenant := s.product.Tenant(address)
	if tenant == "" {
		tenant = strings.ToLower(address.Host + strings.TrimRight(address.Path, "/"))
	}
	s.Name = s.product.Name + "/" + tenant
}

// covers reports whether a day is one on which the portal is the council's.
func (s *source) covers(t time.Time) bool {
	return t.IsZero() || (s.from.IsZero() || !t.Before(s.from)) && (s.to.IsZero() || t.Before(s.to.AddDate(0, 0, 1)))
}

// page is the portal's page of a meeting by its number; "" where the number is not the portal's.
func (s *source) page(number int64) string {
	if !s.plain {
		return ""
	}
	return s.product.Page(s.URL, strconv.FormatInt(number, 10))
}

// config is how the source is asked.
func (s *source) config(allowPrivate bool, tries int, asked func(portal.Outcome)) portal.Config {
	return portal.Config{URL: s.URL, Pause: *s.Pause, Contact: s.Contact, AllowPrivate: allowPrivate, Tries: tries, Token: s.Token, Asked: asked, Reading: s.reading}
}

// open opens the source; where nobody says of which product it is, it finds that out first.
func (s *source) open(ctx context.Context, cfg portal.Config) (portal.Source, error) {
	if s.product.Name == "" {
		found, err := products.Find(ctx, cfg)
		if err != nil {
			return nil, err
		}
		s.product, s.URL, cfg.URL = found.Product, found.URL, found.URL
		u, err := url.Parse(found.URL)
		if err != nil {
			return nil, fmt.Errorf("address of the portal: %w", err)
		}
		s.identify(u)
	}
	if len(s.documents) == 0 {
		s.documents = s.product.Minutes
	}
	return s.product.Open(ctx, cfg)
}

// readingOf is how the answers of a source are read; that of the zone alone for one that is configured no more.
func (s *Settings) readingOf(name string) portal.Reading {
	all, _ := s.sources() // what is wrong was reported when the settings were read
	for _, src := range all {
		if src.Name == name {
			return src.reading
		}
	}
	return portal.Reading{Zone: s.zone}
}
