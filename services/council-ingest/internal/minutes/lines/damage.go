package lines

import (
	"iter"
	"regexp"
	"strings"
	"sync"
)

// Damage is a part of a text that cannot be read with certainty: a page, or a text without pages.
type Damage struct {
	From, To int    // numbers of its first and last line
	Page     int    // 0 for a text without pages
	Columns  bool   // nothing in it is sure: lines of two columns stand side by side
	Why      string // with words of it
}

const (
	leastBroken = 4  // different broken words of a damaged page
	oneIn       = 40 // a page is damaged if one of so many common words is broken
)

// misread returns the pages on which a machine misread many letters, or lost the blanks between words. It
// counts the common words of minutes that are broken: "thc", "m0tion", "rneeting", "ofthe", "coun cil".
func misread(all []Line) (out []Damage) {
	for page := range pages(all) {
		whole, broken := commonWords().count(page)
		if total := whole + broken.total; len(broken.words) >= leastBroken && broken.total*oneIn >= total {
			out = append(out, damageOf(page, "many of its words are broken: "+strings.Join(broken.words[:leastBroken], ", ")))
		}
	}
	return out
}

// damageOf returns the damage of a whole page.
func damageOf(page []Line, why string) Damage {
	return Damage{From: page[0].No, To: page[len(page)-1].No, Page: page[0].Page, Why: why}
}

// pages visits the lines of each page.
func pages(all []Line) iter.Seq[[]Line] {
	return func(yield func([]Line) bool) {
		for from := 0; from < len(all); {
			to := from + 1
			for to < len(all) && all[to].Page == all[from].Page {
				to++
			}
			if !yield(all[from:to]) {
				return
			}
			from = to
		}
	}
}

// common are the common words of minutes in English, French and Spanish.
const common = `the and that was were with for from this have has had been are all any not but they their will would
which there when who his her motion meeting council board minutes seconded approved approve carried moved present
absent second vote voted aye ayes mayor member members unanimously chairman commission committee clerk resolution
ordinance public discussion report agenda item regular approval adjourned following called order upon of to in on by
at as is it be or an le la les des et une dans pour par est sur avec que qui conseil séance délibération unanimité
présents absents maire conseillers el los las del con para por sesión acuerdo votos concejo ayuntamiento alcalde
presentes aprobado se`

// realWords are words that a common word becomes with another letter, and pairs of common words that are one.
const realWords = `on or of ot lo be he is as it to ace are car eon bos hos bad uno ari bas ct ln lt est al os sc bo mo
sa so pour pe de ce er ou cot cos pa po into onto ina bya ona toa ata fora asa toto sec sur las los cal col`

// confused are letters that a machine reads for others.
var confused = [...][2]string{{"l", "1"}, {"i", "l"}, {"o", "0"}, {"e", "c"}, {"c", "e"}, {"s", "5"}, {"b", "8"},
	{"m", "rn"}, {"a", "o"}, {"u", "ii"}, {"h", "b"}, {"n", "ri"}}

// digitInside matches a word with a digit for a letter.
var digitInside = regexp.MustCompile(`^(?:[a-zA-Z]?[a-z]+[0158]+[a-z]+|[0158][a-z]{3,}|[a-z]{3,}[0158])$`)

type vocabulary struct{ whole, broken map[string]bool }

// commonWords has the common words and what machines make of them. It is made once, for all documents.
var commonWords = sync.OnceValue(func() vocabulary {
	v := vocabulary{whole: map[string]bool{}, broken: map[string]bool{}}
	all := strings.Fields(common)
	for _, w := range all {
		v.whole[w] = true
	}
	for _, w := range all {
		for _, c := range confused {
			for at := 0; ; at++ {
				i := strings.Index(w[at:], c[0])
				if i < 0 {
					break
				}
				at += i
				v.broken[w[:at]+c[1]+w[at+len(c[0]):]] = true
			}
		}
	}
	for _, first := range strings.Fields("of to and in on by for that was at with is from be") {
		for _, second := range strings.Fields("the be was that to a and approve carried unanimously by of") {
			v.broken[first+second] = true
		}
	}
	for _, w := range append(all, strings.Fields(realWords)...) {
		delete(v.broken, w)
	}
	return v
})

type brokenWords struct {
	total int
	words []string // different ones, as printed
}

func (v vocabulary) count(page []Line) (whole int, out brokenWords) {
	seen := map[string]bool{}
	for _, ln := range page {
		last, lastWord := "", "" // the word before, if only a blank stands between
		for raw := range strings.FieldsSeq(ln.Text) {
			word := strings.Trim(raw, ".,;:()[]\"'“”‘’*|-–—")
			low := strings.ToLower(word)
			text := word
			switch {
			case v.whole[low]:
				whole++
				text = ""
			case v.broken[low] && (word == low || word[1:] == low[1:]),
				strings.ContainsAny(word, "0158") && digitInside.MatchString(word):
			case last != "" && len(low) > 0 && len(last+low) > 4 && v.whole[last+low]:
				text = lastWord + " " + word
			default:
				text = ""
			}
			if text != "" {
				if out.total++; !seen[text] {
					seen[text] = true
					out.words = append(out.words, text)
				}
			}
			last, lastWord = "", ""
			if word == raw {
				last, lastWord = low, word
			}
		}
	}
	return whole, out
}
