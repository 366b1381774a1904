// Package site is what the pages of an API share: their layout, styles, languages, files and
// headers, and the pages of errors. It knows no stop and no vote: an API adds its own templates,
// words and files, see [New].
//
// # How a page is added
//
// A page is an endpoint of the API, made with rest.Page, that shows answers of other endpoints
// (pkg/rest says how it is kept and refused). It takes three things:
//
//   - a view: a struct that embeds [Head] and holds the rows of the API that the page shows;
//   - a template NAME.html among those of the API, which defines "main" and, if it wants, other
//     blocks;
//   - a function that calls the functions of the JSON endpoints, fills the view and returns
//     [Site.Render].
//
// A template writes no sentence of its own: {{t "stop.title" .Name}} takes it from words/en.txt,
// es.txt and fr.txt, which have the same keys, and {{words "board."}} gives a script the sentences
// that begin so. {{asset "board.js"}} is the address of a file, which names its content, so that
// browsers keep it for a year. Links between pages go through [Head.To], which keeps the language.
//
// # Rules
//
// A page is whole without script. Script and style come from files: the headers allow nothing
// inline, and no other host. Scripts are written as browsers get them, in ES2015. Colours, sizes
// and themes are the tokens of style/site.css. Files of others stand in vendored/ with their
// digests, which a test checks.
//
// Next: template.go (views and templates), words.go (languages), asset.go (files), policy.go
// (headers), frame.go and theme.go (pages that other sites show).
package site

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/rest"
)

//go:embed layout.html error.html style words vendored assets
var own embed.FS

// A Site is the pages of one API, without the functions that fill them.
type Site struct {
	files  map[string]*asset                                        // by name
	words  map[string]Words                                         // by language
	pages  map[string]map[string]func() (*template.Template, error) // by language and name
	digest string
	brand  string
	accent string // six hexadecimal digits; "" for the site's own
}

// New reads the site's own files and others: templates (*.html; names that begin with an underscore
// are blocks for all), words (words/en.txt …) and files that browsers load (assets/*). Its error
// names every template and every word that is wrong.
func New(parts ...fs.FS) (*Site, error) {
	s := &Site{files: map[string]*asset{}, words: map[string]Words{},
		pages: map[string]map[string]func() (*template.Template, error){}}
	all := append([]fs.FS{own}, parts...)
	var errs []error
	for _, p := range all {
		errs = append(errs, s.addAssets(p), s.addWords(p))
	}
	errs = append(errs, s.checkWords(), s.parse(all))
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	return s, nil
}

// SetBrand sets the name at the top of each page; without one it is the site's own word for itself.
func (s *Site) SetBrand(name string) { s.brand = name }

// SetAccent gives links, buttons and the icon of all pages a colour: six hexadecimal digits, with
// or without a hash before them. Where it could not be read on the ground it is made darker or
// lighter. Set it before the site serves.
func (s *Site) SetAccent(text string) error {
	if !sixDigits.MatchString(text) {
		return fmt.Errorf("%q is no colour of six hexadecimal digits, such as 0b57a4", text)
	}
	s.accent = strings.TrimPrefix(text, "#")
	return s.addStyle(ThemeParams{Accent: &s.accent, Size: 100}.css())
}

// styleFile is the style sheet that every page loads.
const styleFile = "site.css"

// addStyle appends to the style sheet of all pages, which so remains one file.
func (s *Site) addStyle(css []byte) error {
	before, err := s.files[styleFile].body()
	if err != nil {
		return err
	}
	all := slices.Concat(before, css)
	sum := sha256.Sum256(all)
	s.files[styleFile] = newAsset(styleFile, mediaTypes[".css"], sum[:], func() ([]byte, error) { return all, nil })
	s.digest += s.files[styleFile].hash
	return nil
}

var sixDigits = regexp.MustCompile(`^#?[0-9A-Fa-f]{6}$`)

// Languages are what pages can be had in; the first is for readers who ask for none of them.
func Languages() []string { return []string{"en", "es", "fr"} }

// Digest names all that pages are made of beside their data, for rest.Config.Revision. A site that
// there is not has none.
func (s *Site) Digest() string {
	if s == nil {
		return ""
	}
	return s.digest
}

// Serve is the site as a server takes it: with these pages and the files that they use.
func (s *Site) Serve(pages rest.Table) *rest.Site {
	return &rest.Site{
		Pages:     slices.Concat(pages, rest.Table{s.assetEndpoint()}, s.frameEndpoints()),
		Languages: Languages(),
		Header:    Policy{}.Header(),
		Error:     s.errorPage,
	}
}

// errorView is the page of an error.
type errorView struct {
	Head
	Status  int
	What    string // in words
	Detail  string // in English, as the API has it
	Faults  []rest.Fault
	Request string
}

// errorPage is [rest.Site.Error].
func (s *Site) errorPage(c *rest.Call, e *rest.Error, request string) []byte {
	v := &errorView{Head: s.head(c), Status: e.Status, Detail: e.Detail, Faults: e.Faults, Request: request}
	words := s.words[v.Lang]
	v.What = words[fmt.Sprintf("error.%d", e.Status)]
	v.What = cmp.Or(v.What, words["error.other"])
	v.Title = v.What
	if c.Unattended() {
		v.Retry = retry
	}
	if kind := c.Framed(); kind != "" {
		v.Frame = &Frame{Kind: kind, State: FrameError}
	}
	html, err := s.Render("error.html", v)
	if err != nil { // the template is the same each time, and a test renders it
		return []byte(http.StatusText(e.Status))
	}
	return html
}

// retry is after how many seconds a screen that got an error asks again.
const retry = 30

// Render writes a page with a view, which embeds [Head].
func (s *Site) Render(page string, view View) ([]byte, error) {
	return s.RenderBlock(page, "layout", view)
}

// RenderBlock writes one block of a page, such as what a script asks for again and again.
func (s *Site) RenderBlock(page, block string, view View) ([]byte, error) {
	bound := s.pages[view.head().Lang][page]
	if bound == nil {
		return nil, fmt.Errorf("there is no page %s in %q", page, view.head().Lang)
	}
	t, err := bound()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, block, view); err != nil {
		return nil, fmt.Errorf("page %s: %w", page, err)
	}
	return b.Bytes(), nil
}
