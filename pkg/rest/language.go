package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// A page is in one of the languages of its site. Any other answer is in the language of its data,
// unless the data is translated into the language that the client asks for.

// langParam is the query parameter by which clients choose the language of an answer.
const langParam = "lang"

const langDoc = "Language of names, headsigns and other texts, as a tag such as fr or fr-CA. It comes before " +
	"Accept-Language, which asks for the same. " +
	"Texts that have no translation into the language stay in their own."

// languageOfQuery returns the language that a query asks for in its canonical form, "" if it is
// unknown.
func languageOfQuery(query string) (tag, why string) {
	text, why, given := bind.Lookup(query, langParam)
	switch {
	case given && why == "" && !lang.WellFormed(text):
		return "", "must be the tag of a language, such as fr"
	case given && why == "":
		tag, _ = lang.Canonical(text)
	}
	return tag, why
}

// chooseLanguage chooses the language of the answer among those of its data: by the query, else by
// Accept-Language.
func (c *Call) chooseLanguage() {
	all := c.gen.Languages
	if !c.e.Translated {
		return
	}
	c.lang, c.langAsked = "", false
	if all == nil {
		return
	}
	if c.queryLang != "" {
		c.lang, c.langAsked = all.Find(c.queryLang)
		if c.langAsked {
			return
		}
	}
	if c.w != nil { // of a stream the header is sent
		c.w.Header()["Vary"] = c.s.varyLanguage
	}
	if lines := c.r.Header["Accept-Language"]; lines != nil {
		header := lines[0]
		if len(lines) > 1 {
			header = strings.Join(lines, ",")
		}
		c.lang = all.Best(header, reply.Accepted)
	}
}

// Translated is the language into which texts of the answer are translated; "" means not at all. A
// page has a language of its own, see [Call.Language].
func (c *Call) Translated() string {
	if c.e.page {
		return ""
	}
	return c.lang
}

func (c *Call) readLanguage(all []string) {
	if c.lang == "" {
		c.lang, c.langAsked = ReadLanguage(c.r, all)
	}
}

// ReadLanguage returns the language of a page, by the query, else by Accept-Language, else the
// first of all. It reports whether the query names it.
func ReadLanguage(r *http.Request, all []string) (tag string, asked bool) {
	text, _, _ := bind.Lookup(r.URL.RawQuery, langParam)
	if text = strings.ToLower(text); slices.Contains(all, text) {
		return text, true
	}
	tag = reply.PreferredLanguage(r.Header["Accept-Language"], all)
	if tag == "" {
		tag = all[0]
	}
	return tag, false
}

// Language is the language of a page, and whether the query names it; links of the page then repeat
// it.
func (c *Call) Language() (tag string, asked bool) { return c.lang, c.langAsked }
