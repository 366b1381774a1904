package pagetest

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/townline/townline/pkg/lang"
)

// English finds English sentences on pages in other languages.
type English struct {
	sentences map[string][]pattern // by the language of the page
}

// A pattern matches a text that contains a sentence with its placeholders filled.
type pattern struct {
	key string
	re  *regexp.Regexp
}

var placeholder = regexp.MustCompile(`\\\{[0-9a-z]+\\\}`)

// NewEnglish reads the words of the parts of a site. A sentence that has the same words in the
// other language is not looked for.
func NewEnglish(t testing.TB, parts ...fs.FS) *English {
	t.Helper()
	words := map[string]lang.Words{}
	for _, tag := range []string{"en", "es", "fr"} {
		words[tag] = lang.Words{}
		for _, part := range parts {
			if err := words[tag].Read(part, tag); err != nil {
				t.Fatal(err)
			}
		}
	}
	e := &English{sentences: map[string][]pattern{}}
	for _, tag := range []string{"es", "fr"} {
		own := map[string]bool{}
		for _, text := range words[tag] {
			own[strings.ToLower(text)] = true
		}
		for key, text := range words["en"] {
			quoted := regexp.QuoteMeta(text)
			count := len(strings.FieldsFunc(placeholder.ReplaceAllString(quoted, ""), isBetweenWords))
			filled := placeholder.ReplaceAllString(quoted, ".{1,200}?")
			switch {
			case own[strings.ToLower(text)] || count == 0:
				continue
			case count == 1: // one word must be the whole text, because names have it too
				filled = "^" + placeholder.ReplaceAllString(quoted, `[0-9.,]+`) + "$"
			default:
				filled = `(?:^|[^\pL])` + filled + `(?:$|[^\pL])`
			}
			e.sentences[tag] = append(e.sentences[tag], pattern{key: key, re: regexp.MustCompile("(?i)" + filled)})
		}
	}
	return e
}

func isBetweenWords(r rune) bool { return !unicode.IsLetter(r) && r != '’' }

// Find returns the keys of the English sentences that a page shows, with the text around them.
func (e *English) Find(page string) []string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	var texts []string
	tag := ""
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.TextNode && !slices.Contains([]string{"script", "style", "code"}, n.Parent.Data):
			texts = append(texts, n.Data)
		case n.Type == html.ElementNode:
			for _, a := range n.Attr {
				switch {
				case n.Data == "html" && a.Key == "lang":
					tag = a.Val
				case slices.Contains([]string{"alt", "title", "aria-label", "placeholder", "content"}, a.Key):
					texts = append(texts, a.Val)
				}
			}
		}
	}
	var found []string
	for _, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		for _, p := range e.sentences[tag] {
			if p.re.MatchString(text) {
				found = append(found, p.key+": "+text)
			}
		}
	}
	return found
}
