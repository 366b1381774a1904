package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"

	"github.com/townline/townline/pkg/rest"
)

// A View is what a template shows: a struct that embeds [Head].
type View interface{ head() *Head }

// Head is what each page gives the layout. [Site.Head] fills in what follows from the request.
type Head struct {
	Lang  string // of the page
	Root  string // path before all others, "" unless the site is not at the root of its host
	Title string
	// Brand is the name at the top of each page; "" is that of the site.
	Brand string
	// Nav is the way to the main pages, at the top of each page; none leaves it out.
	Nav []Link
	// Linked is what the page is about, as JSON-LD for search engines; nil leaves it out.
	Linked any
	// About is one sentence for search engines and previews; "" leaves it out.
	About string
	// Canonical is the one address of the page, with scheme and host, for search engines and previews;
	// "" leaves it out.
	Canonical string
	// OEmbed is the address of what other sites embed in place of a link to the page; "" leaves it
	// out.
	OEmbed string
	// Accent is the colour of links and of the icon, six hexadecimal digits; "" is the site's own.
	Accent string
	// Docs is the address of the API's documentation; "" leaves out the link.
	Docs string
	// Others are the same facts in other forms, such as JSON.
	Others []Other
	// Styles and Scripts are names of assets beside the site's own. Modules are scripts that load
	// others.
	Styles, Scripts, Modules []string
	// Class is of the html element: "light" and "dark" force a theme.
	Class string
	// Bare leaves out everything but the page itself, for kiosks and embeds.
	Bare bool
	// Reload is after how many seconds a browser without script asks again; 0 is never, as people need
	// it.
	Reload int
	// Retry is the same for a page that no script keeps fresh, such as the error of a screen that
	// nobody touches.
	Retry int
	// Frame is set where other sites show the page; see [Site.Framed].
	Frame *Frame
	// Unlisted keeps search engines away.
	Unlisted bool

	here  string // address of the page without the language; "" where it has none
	asked bool   // the address names the language
}

// A Link is a way to another page.
type Link struct {
	Text, Address string
	Here          bool // it leads to the page itself, or to a page above it
}

// An Other is another form of what a page shows.
type Other struct{ Type, Title, Address string }

func (h *Head) head() *Head { return h }

// Head is the head of a page. Set the rest of it.
func (s *Site) Head(c *rest.Call) Head {
	h := s.head(c)
	h.here = c.SelfQuery()
	return h
}

func (s *Site) head(c *rest.Call) Head {
	lang, asked := c.Language()
	return Head{Lang: lang, Root: c.Path(""), Brand: s.brand, Accent: s.accent, asked: asked}
}

// To is the address of another page: h.To("/f/{feed}", alias). It keeps the language that the
// reader has chosen.
func (h *Head) To(template string, ids ...string) string {
	return h.with(rest.URL(h.Root, template, ids...))
}

// ToQuery is To with a query.
func (h *Head) ToQuery(query url.Values, template string, ids ...string) string {
	to := rest.URL(h.Root, template, ids...)
	if len(query) > 0 {
		to += "?" + query.Encode()
	}
	return h.with(to)
}

// Keep is an address of this site with the language that the reader has chosen.
func (h *Head) Keep(address string) string { return h.with(address) }

func (h *Head) with(address string) string {
	if !h.asked {
		return address
	}
	return inLanguage(address, h.Lang)
}

// inLanguage adds a language to an address.
func inLanguage(address, lang string) string {
	mark := "?"
	if strings.Contains(address, "?") {
		mark = "&"
	}
	return address + mark + "lang=" + lang
}

// Asked reports whether the address names the language, so that a form must name it too.
func (h *Head) Asked() bool { return h.asked }

// A Choice is the page in another language.
type Choice struct{ Lang, Name, Address string }

// Choices are the page in every language, its own without an address; none where the page has no
// address.
func (h *Head) Choices() []Choice {
	if h.here == "" {
		return nil
	}
	var all []Choice
	for _, lang := range Languages() {
		c := Choice{Lang: lang, Name: languageNames[lang]}
		if lang != h.Lang {
			c.Address = inLanguage(h.here, lang)
		}
		all = append(all, c)
	}
	return all
}

// languageNames are the languages in their own words.
var languageNames = map[string]string{"en": "English", "es": "Español", "fr": "Français"}

// parse checks the templates of all parts. A page is parsed with the words of a language when
// somebody first asks for it in that language.
func (s *Site) parse(parts []fs.FS) error {
	sum := sha256.New()
	for _, name := range s.assetNames() {
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
				return fmt.Errorf("template %s: %w", name, err)
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
		for _, key := range s.words[lang].keys() {
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

// functions are what templates may call.
func (s *Site) functions(lang string) template.FuncMap {
	words := s.words[lang]
	return template.FuncMap{
		"t":     words.Say,
		"words": words.JSON,
		"asset": func(name string) (string, error) {
			if f := s.files[name]; f != nil {
				return f.address, nil
			}
			return "", fmt.Errorf("there is no file %q", name)
		},
	}
}

// assetNames are the names of all files, in alphabetical order.
func (s *Site) assetNames() []string {
	names := make([]string, 0, len(s.files))
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
