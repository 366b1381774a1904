package search

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/rest"
)

// terms are a search as a Postgres tsquery.
type terms struct {
	Exact string // the search as typed; "" if it has no words
	Words string // like Exact, but the words of a phrase may be in any order, so that the index can find it
}

type query struct {
	terms
	Phrase bool
	Stems  []string // stems of the wanted words, and of their parts
	Typed  []string // folded words as typed
}

// The database stems words with its English dictionary.
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
	parsed.Typed = slices.Collect(FoldedWords(q))
	return parsed, err
}

// parse parses a result of websearch_to_tsquery: words and phrases ('a' <-> 'b'), some with "!",
// joined by & and |.
func parse(exact string) query {
	q := query{terms: terms{Exact: exact}}
	var either, all []string
	var chain []string // words of a phrase
	without := false
	end := func() {
		switch {
		case len(chain) == 1 && without:
			all = append(all, "!"+quoted(chain[0]))
		case len(chain) > 0 && !without:
			for _, lexeme := range chain {
				all = append(all, quoted(lexeme))
				q.Stems = append(q.Stems, Words(lexeme)...)
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
			if len(all) == 0 { // the search has only unwanted phrases
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

// unquote splits a tsquery after its first word. Quotes and backslashes in the word are doubled.
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

// Words splits a text at all characters except letters and digits.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

type passage struct {
	Printed string     `json:"-"`
	Snippet []TextPart `json:"snippet" db:"-" doc:"The place with the words, as printed."`
}

// snippetLength is the number of characters of about three lines on a page.
const snippetLength = 240

// extends reports whether a word is a typed word, or a typed word with an ending. In the dictionary
// "house" and "housing" have one stem, but readers distinguish them.
func extends(word, typed string) bool {
	return strings.HasPrefix(word, strings.TrimSuffix(typed, "s"))
}

// cut makes the snippets. One query finds the words of all texts that have a wanted stem. It only
// asks about words with the same first letter as a stem.
func (q *query) cut(ctx context.Context, c *rest.Call, found []*passage) error {
	begins := map[byte]bool{}
	var wide []string // as council.widen
	for _, stem := range q.Stems {
		begins[stem[0]] = true
		wide = append(wide, stem, stem+"al", stem+"ment")
	}
	asked, words := map[string]bool{}, []string{}
	for _, p := range found {
		for word := range FoldedWords(p.Printed) {
			if begins[word[0]] && !asked[word] {
				asked[word] = true
				words = append(words, word)
			}
		}
	}
	var like []string
	if len(words) > 0 {
		var err error
		like, err = likeStems.List(ctx, c, stems{words, wide})
		if err != nil {
			return err
		}
	}
	wanted := make(map[string]bool, len(like))
	for _, word := range like {
		wanted[word] = slices.ContainsFunc(q.Typed, func(typed string) bool { return extends(word, typed) })
	}
	for _, p := range found {
		p.Snippet = CutSnippet(p.Printed, wanted, snippetLength)
	}
	return nil
}
