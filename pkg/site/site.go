// Package site has the shared parts of an API's pages: layout, styles, languages, files, headers
// and error pages. It is independent of stops and votes: an API adds its own templates, words and
// files with [New].
//
// # How to add a page
//
// A page is an endpoint of the API, declared with rest.Page, that shows the answers of other
// endpoints. It has three parts:
//
//   - a view: a struct that embeds [Head] and holds rows of the API;
//   - a template NAME.html that defines "main" and possibly other blocks;
//   - a function that calls the functions of the JSON endpoints, fills the view and returns
//     [Site.Render].
//
// Templates contain no sentences: {{t "stop.title" .Name}} reads words/en.txt, es.txt or fr.txt,
// which have the same keys, and {{words "board."}} passes the sentences with that prefix to a
// script. {{asset "board.js"}} is the address of a file. Links between pages use [Head.To], which
// keeps the language.
//
// # Rules
//
// A page is complete without script. Scripts and styles are files: the headers forbid inline code
// and other hosts. Scripts are ES2015, served as written. Colours, sizes and themes are the tokens
// of style/site.css. Third-party files are in vendored/ with their digests, which a test checks.
//
// Read next: template.go (views), words.go (languages), asset.go (files), policy.go (headers),
// frame.go and theme.go (pages in other sites).
package site

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
)

//go:embed layout.html error.html notice.html style words vendored assets
var own embed.FS

// A Site has the layout, words and files of the pages of one API.
type Site struct {
	files  map[string]*asset
	words  map[string]lang.Words
	pages  map[string]map[string]func() (*template.Template, error)
	digest string
	brand  string
	accent string // six hexadecimal digits; "" for the site's own
	choice *lang.Choice

	noticed   bool                  // the site has the pages of [Notices]
	errorHead func(*rest.Call) Head // nil if pages of errors have no menu
}

// New loads the site's own files and those of parts: templates (*.html; a leading underscore marks
// blocks for all pages), words (words/en.txt …) and files for browsers (assets/*). Its error lists
// all mistakes in templates.
func New(parts ...fs.FS) (*Site, error) {
	s := &Site{files: map[string]*asset{}, words: map[string]lang.Words{},
		pages:  map[string]map[string]func() (*template.Template, error){},
		choice: lang.New(Languages()[0], Languages()[1:])}
	all := append([]fs.FS{own}, parts...)
	var errs []error
	for _, p := range all {
		errs = append(errs, s.addAssets(p), s.addWords(p))
	}
	errs = append(errs, s.parse(all))
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("load pages: %w", err)
	}
	return s, nil
}

// SetBrand sets the name at the top of each page. Without a name, pages show the default title.
func (s *Site) SetBrand(name string) { s.brand = name }

// SetAccent sets the colour of links, buttons and the icon: six hexadecimal digits, with or without
// a leading hash. If the colour is unreadable, it is darkened or lightened. Call SetAccent before
// the site serves.
func (s *Site) SetAccent(text string) error {
	if !sixDigits.MatchString(text) {
		return fmt.Errorf("colour must be six hexadecimal digits such as 0b57a4, not %q", text)
	}
	s.accent = strings.TrimPrefix(text, "#")
	return s.addStyle(ThemeParams{Accent: &s.accent, Size: 100}.css())
}

const styleFile = "site.css"

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

// Languages returns the languages of pages; the first is the default.
func Languages() []string { return []string{"en", "es", "fr"} }

// Digest is a hash of everything that pages depend on except the data, for rest.Config.Revision. A
// nil Site has the digest "".
func (s *Site) Digest() string {
	if s == nil {
		return ""
	}
	return s.digest
}

// Serve returns the given pages and their files for a server.
func (s *Site) Serve(pages rest.Table) *rest.Site {
	return &rest.Site{
		Pages:     slices.Concat(pages, rest.Table{s.assetEndpoint()}, s.frameEndpoints()),
		Language:  Languages()[0],
		Languages: s.choice,
		Header:    Policy{}.Header(),
		Error:     s.errorPage,
	}
}

// SetErrorHead lets the pages of errors have the menu and the search of the others. Call it before
// the site serves.
func (s *Site) SetErrorHead(head func(c *rest.Call) Head) { s.errorHead = head }

type errorView struct {
	Head
	Status  int
	What    string
	Detail  string // of the API; in other languages than English the sentence error.detail.DETAIL, if there is one
	Faults  []rest.Fault
	Request string
}

func (s *Site) errorPage(c *rest.Call, e *rest.Error, request string) []byte {
	v := &errorView{Head: s.head(c), Status: e.Status, Detail: lang.Sentence(e.Detail), Faults: e.Faults, Request: request}
	words := s.words[v.Lang]
	v.What = words[fmt.Sprintf("error.%d", e.Status)]
	v.What = cmp.Or(v.What, words["error.other"])
	v.Title = v.What
	if v.Lang != Languages()[0] {
		v.Detail, v.Faults = words["error.detail."+e.Detail], slices.Clone(e.Faults)
		for i := range v.Faults {
			v.Faults[i].Message = "" // only the API has them, in English
		}
	}
	if c.Unattended() {
		v.Retry = retry
	}
	if kind := c.Framed(); kind != "" {
		v.Frame = &Frame{Kind: kind, State: FrameError}
	} else if s.errorHead != nil && !c.Unattended() {
		v.Head = s.errorHead(c)
		v.Title = v.What
		v.Canonical = ""
		v.Unlisted = true
	}
	html, err := s.Render("error.html", v)
	if err != nil { // a test renders the template, so this cannot fail
		return []byte(http.StatusText(e.Status))
	}
	return html
}

// retry is the number of seconds after which a screen reloads an error page.
const retry = 30

func (s *Site) Render(page string, view View) ([]byte, error) {
	return s.RenderBlock(page, "layout", view)
}

// RenderBlock renders one block of a page, for example for a script that requests it.
func (s *Site) RenderBlock(page, block string, view View) ([]byte, error) {
	bound := s.pages[view.head().Lang][page]
	if bound == nil {
		return nil, fmt.Errorf("unknown page %s in language %q", page, view.head().Lang)
	}
	t, err := bound()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, block, view); err != nil {
		return nil, fmt.Errorf("render page %s: %w", page, err)
	}
	return b.Bytes(), nil
}

// maxLogo is in bytes. It is small because the style sheet of every page contains the logo.
const maxLogo = 32 << 10

const logoHeight = 2

var viewBox = regexp.MustCompile(`<svg[^>]*\sviewBox="[-0-9.]+[ ,]+[-0-9.]+[ ,]+([0-9.]+)[ ,]+([0-9.]+)"`)

// SetLogo adds a picture to the top of each page, from a file: PNG, or SVG with a viewBox. Call it
// before the site serves.
func (s *Site) SetLogo(path string) error {
	picture, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the logo: %w", err)
	}
	if len(picture) > maxLogo {
		return fmt.Errorf("the logo has %d bytes, more than %d", len(picture), maxLogo)
	}
	media := "image/png"
	width := 0.0
	height := 0.0
	if m := viewBox.FindSubmatch(picture); m != nil {
		media = "image/svg+xml"
		width, _ = strconv.ParseFloat(string(m[1]), 64) // 0 after an error, which is rejected below
		height, _ = strconv.ParseFloat(string(m[2]), 64)
	} else if c, err := png.DecodeConfig(bytes.NewReader(picture)); err == nil {
		width, height = float64(c.Width), float64(c.Height)
	}
	if width <= 0 || height <= 0 || width > 10*height {
		return errors.New("the logo must be a PNG, or an SVG with a viewBox, at most ten times as wide as high")
	}
	return s.addStyle(fmt.Appendf(nil, ".top .brand { padding: .4rem 0 .4rem %.2frem; "+
		"background: url(\"data:%s;base64,%s\") no-repeat 0 50%% / auto %drem }\n",
		logoHeight*width/height+.6, media, base64.StdEncoding.EncodeToString(picture), logoHeight))
}
