package search

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/snippet"
)

// terms are a search as the database reads it, in the form of tsquery.
type terms struct {
	Exact string // what was typed; "" if it has no words
	Words string // the same with each phrase as its words in any order: the index finds these without reading a text
}

// A query is a search with what its results are marked by.
type query struct {
	terms
	Phrase bool     // that Words cannot tell from its words
	Stems  []string // of the words that are wanted, and parts of them
	Typed  []string // the words as they were typed, folded
}

// The dictionary is English: what a word becomes in a search is for the database to say.
var (
	readWords = rest.SQL[typed, string](`SELECT websearch_to_tsquery('english', council.fold(@q))::text`)
	likeStems = rest.SQL[stems, string](`SELECT word FROM unnest(@words::text[]) word WHERE word = ANY (@stems::text[])
		OR ts_lexize('english_stem', word) && @stems::text[]`)
)

type (
	typed struct{ Q string }
	stems struct{ Words, Stems []string }
)

func readQuery(ctx context.Context, c *rest.Call, q string) (query, error) {
	exact, err := readWords.One(ctx, c, typed{q})
	parsed := parse(exact)
	parsed.Typed = slices.Collect(snippet.Words(q))
	return parsed, err
}

// parse reads what websearch_to_tsquery returns: words and phrases ('a' <-> 'b'), each with or
// without a "!", joined by & and, looser, by |.
func parse(exact string) query {
	q := query{terms: terms{Exact: exact}}
	var either, all []string
	var chain []string // a phrase
	without := false
	end := func() {
		switch {
		case len(chain) == 1 && without:
			all = append(all, "!"+quoted(chain[0]))
		case len(chain) > 0 && !without:
			for _, lexeme := range chain {
				all = append(all, quoted(lexeme))
				q.Stems = append(q.Stems, wordsIn(lexeme)...)
			}
		}
		q.Phrase = q.Phrase || len(chain) > 1
		chain, without = nil, false
	}
	for rest := exact; rest != ""; {
		switch rest[0] {
		case '\'':
			var lexeme string
			lexeme, rest = unquote(rest)
			chain = append(chain, lexeme)
			continue
		case '&':
			end()
		case '|':
			end()
			if len(all) == 0 { // nothing but phrases that are not wanted
				q.Words = exact
				return q
			}
			either, all = append(either, strings.Join(all, " & ")), nil
		case '!':
			without = true
		}
		rest = rest[1:]
	}
	end()
	if len(all) == 0 {
		q.Words = exact
		return q
	}
	q.Words = strings.Join(append(either, strings.Join(all, " & ")), " | ")
	return q
}

// unquote cuts the word off a tsquery that begins with one. Quotes and backslashes are doubled
// there.
func unquote(s string) (lexeme, rest string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] == '\'' || s[i] == '\\' {
			if i+1 == len(s) || s[i+1] != s[i] {
				return b.String(), s[i+1:]
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

func quoted(lexeme string) string {
	return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(lexeme) + "'"
}

// wordsIn are the parts of a text that snippets mark: letters and digits.
func wordsIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// A passage is the text in which the words were found.
type passage struct {
	Printed string             `json:"-"` // the whole of it
	Snippet []snippet.TextPart `json:"snippet" db:"-" doc:"The place with the words, as printed."`
}

// snippetLength is about three lines on a page.
const snippetLength = 240

// extends reports whether a word is one that was typed, or that word with an ending. The dictionary
// gives "house" and "housing" one stem; no reader takes one for the other.
func extends(word, typed string) bool {
	return strings.HasPrefix(word, strings.TrimSuffix(typed, "s"))
}

// cut makes the snippets. The database is asked once which words of all texts are forms of those
// that are wanted; only words that begin alike can be.
func (q *query) cut(ctx context.Context, c *rest.Call, found []*passage) error {
	begins := map[byte]bool{}
	for _, stem := range q.Stems {
		begins[stem[0]] = true
	}
	asked, words := map[string]bool{}, []string{}
	for _, p := range found {
		for word := range snippet.Words(p.Printed) {
			if begins[word[0]] && !asked[word] {
				asked[word] = true
				words = append(words, word)
			}
		}
	}
	var like []string
	if len(words) > 0 {
		var err error
		like, err = likeStems.List(ctx, c, stems{words, q.Stems})
		if err != nil {
			return err
		}
	}
	wanted := make(map[string]bool, len(like))
	for _, word := range like {
		wanted[word] = slices.ContainsFunc(q.Typed, func(typed string) bool { return extends(word, typed) })
	}
	for _, p := range found {
		p.Snippet = snippet.Cut(p.Printed, wanted, snippetLength)
	}
	return nil
}
