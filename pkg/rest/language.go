package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// langParam is the query parameter of the language. A page is in a language of its site; any other
// answer is in that of its data, or in a translation that the client asks for.
const langParam = "lang"

const langDoc = "Language of names, headsigns and other texts, as a tag such as fr or fr-CA. It comes before " +
	"Accept-Language, which asks for the same. " +
	"Texts that have no translation into the language stay in their own."

// languageOfQuery returns the canonical tag of lang= in a query, "" if the language is unknown.
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

// chooseLanguage chooses one of the data's languages by the query, else by Accept-Language.
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
	if c.w != nil {
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

// Translated returns the language into which texts of the answer are translated, "" for none. For
// pages see [Call.Language].
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

// ReadLanguage returns the language of a page: by the query, else by Accept-Language, else the
// first of all. asked reports whether the query names it.
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

// Language returns the language of a page. If asked, the query names it and links repeat it.
func (c *Call) Language() (tag string, asked bool) { return c.lang, c.langAsked }
