package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"

	"github.com/townline/townline/pkg/rest"
)

// A View is the data of a template: a struct that embeds [Head].
type View interface{ head() *Head }

// Head has the data that the layout needs. [Site.Head] sets the fields that follow from the
// request.
type Head struct {
	Lang      string
	Root      string // path of the site on its host; "" at the root
	Title     string
	Brand     string // name at the top of the page; "" for the site's default
	Nav       []Link
	Footer    []Link // pages that the footer links to
	Picture   string // address of a picture of 1200 × 630 pixels that other sites show with a link; "" if there is none
	Search    string // address of the search whose field is in the header; "" for none
	Linked    any    // JSON-LD for search engines
	About     string // one sentence for search engines and previews
	Canonical string // address with scheme and host, for search engines and previews
	OEmbed    string // address of the page's oEmbed description
	Accent    string // colour of links and icon, six hexadecimal digits; "" for the site's own
	Docs      string // address of the API's documentation
	Others    []Other
	// Names of assets that the page needs in addition to the site's own. Modules are scripts that
	// import others.
	Styles, Scripts, Modules []string
	Class                    string // class of the html element; "light" or "dark" forces a theme
	Bare                     bool   // omit header and footer, for kiosks
	Reload                   int    // seconds until a browser without script reloads; 0 means never
	Retry                    int    // seconds until any browser reloads; 0 means never
	Frame                    *Frame // set by [Site.Framed]
	Noticed                  bool   // the site has pages about accessibility and privacy
	Accessed                 bool   // print the day of the visit, which a script adds
	AccessedOn               string // the same in words, on a page that is made for each visit
	Unlisted                 bool   // tell search engines not to list the page

	host  string // scheme and host of the site
	here  string // address of the page without its language parameter; "" if it has none
	asked bool   // the address has a language parameter
}

// A Link leads to another page.
type Link struct {
	Text, Address string
	Here          bool // the link leads to the current page or a page above it
}

// An Other is another form of the page, such as JSON.
type Other struct{ Type, Title, Address string }

func (h *Head) head() *Head { return h }

// Head returns the head of a page. The caller sets the other fields.
func (s *Site) Head(c *rest.Call) Head {
	h := s.head(c)
	h.here = c.SelfQuery()
	if u, err := url.Parse(c.URL("")); err == nil && u.Host != "" {
		h.host = u.Scheme + "://" + u.Host
	}
	return h
}

// Printed returns the address of the page for readers of its print; "" if it has none.
func (h *Head) Printed() string {
	if h.here == "" {
		return ""
	}
	return h.host + h.Keep(h.here)
}

func (s *Site) head(c *rest.Call) Head {
	lang, asked := c.Language()
	return Head{Lang: lang, Root: c.Path(""), Brand: s.brand, Accent: s.accent, asked: asked, Noticed: s.noticed}
}

// To returns the address of another page, as in h.To("/f/{feed}", alias). The address keeps the
// language that the reader selected.
func (h *Head) To(template string, ids ...string) string {
	return h.Keep(rest.URL(h.Root, template, ids...))
}

// ToQuery is like To, with a query.
func (h *Head) ToQuery(query url.Values, template string, ids ...string) string {
	to := rest.URL(h.Root, template, ids...)
	if len(query) > 0 {
		to += "?" + query.Encode()
	}
	return h.Keep(to)
}

// Keep adds the language that the reader selected to an address of this site.
func (h *Head) Keep(address string) string {
	if !h.asked {
		return address
	}
	return inLanguage(address, h.Lang)
}

func inLanguage(address, lang string) string {
	mark := "?"
	if strings.Contains(address, "?") {
		mark = "&"
	}
	return address + mark + "lang=" + lang
}

// Asked reports whether the address names the language. Then forms must name it too.
func (h *Head) Asked() bool { return h.asked }

// A Choice is the same page in one language.
type Choice struct{ Lang, Name, Address string }

// Choices returns the page in every language. The current language has no address. It returns nil
// if the page itself has no address.
func (h *Head) Choices() []Choice {
	if h.here == "" {
		return nil
	}
	var all []Choice
	for _, lang := range Languages() {
		c := Choice{Lang: lang, Name: LanguageName(lang)}
		if lang != h.Lang {
			c.Address = inLanguage(h.here, lang)
		}
		all = append(all, c)
	}
	return all
}

// LanguageName returns the name of a language of pages, in itself.
func LanguageName(lang string) string { return languageNames[lang] }

var languageNames = map[string]string{"en": "English", "es": "Español", "fr": "Français"}

// parse checks the templates of all parts. The templates of a page are parsed with the words of a
// language when that is first used.
func (s *Site) parse(parts []fs.FS) error {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		sum.Write([]byte(s.files[name].address))
	}
	var errs []error
	blocks, pages := "", map[string]string{}
	for _, p := range parts {
		names, err := fs.Glob(p, "*.html")
		if err != nil {
			return fmt.Errorf("list templates: %w", err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(p, name)
			if err != nil {
				return fmt.Errorf("read template %s: %w", name, err)
			}
			sum.Write(text)
			if name == "layout.html" || strings.HasPrefix(name, "_") {
				blocks += string(text)
			} else {
				pages[name] = string(text)
			}
		}
	}
	for _, lang := range Languages() {
		for _, key := range slices.Sorted(maps.Keys(s.words[lang])) {
			sum.Write([]byte(key + s.words[lang][key]))
		}
		s.pages[lang] = map[string]func() (*template.Template, error){}
		for name, text := range pages {
			s.pages[lang][name] = sync.OnceValues(func() (*template.Template, error) {
				return template.New(name).Funcs(s.functions(lang)).Parse(blocks + text)
			})
		}
	}
	s.digest = hex.EncodeToString(sum.Sum(nil)[:8])
	for name, text := range pages {
		_, err := texttemplate.New(name).Funcs(s.functions("")).Parse(blocks + text)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (s *Site) functions(lang string) template.FuncMap {
	words := s.words[lang]
	return template.FuncMap{
		"t":     words.Say,
		"words": words.JSON,
		"asset": func(name string) (string, error) {
			if f := s.files[name]; f != nil {
				return f.address, nil
			}
			return "", fmt.Errorf("unknown file %q", name)
		},
	}
}
