package rest

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// langParam is the query parameter of the language. A page is in a language of its site. Any other
// answer is in the original language of its data, or in a translation that the client asks for.
const langParam = "lang"

const langDoc = "Language of names, headsigns and other texts, as a tag such as fr or fr-CA. It comes before " +
	"Accept-Language, which asks for the same. " +
	"Texts that have no translation into the language stay in their own."

// checkLanguage returns why lang= of a query is refused. Unknown languages are ignored.
func checkLanguage(query string) (why string) {
	text, why, given := bind.Lookup(query, langParam)
	if given && why == "" && !lang.WellFormed(text) {
		return "must be the tag of a language, such as fr"
	}
	return why
}

// ReadLanguage returns the language of an answer: by the query, else by Accept-Language, else own.
// asked reports whether the query names it.
func ReadLanguage(r *http.Request, own string, all *lang.Choice) (tag string, asked bool) {
	if text, _, given := bind.Lookup(r.URL.RawQuery, langParam); given {
		tag, asked = all.Find(text)
	}
	if !asked {
		tag = cmp.Or(all.Best(strings.Join(r.Header["Accept-Language"], ","), reply.Accepted), own)
	}
	return tag, asked
}
