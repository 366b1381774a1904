package lang

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words maps keys to the sentences of one language. Their placeholders are numbers {0}, {1} … or
// the names of fields, such as {seconds}. A test in scripts/house compares the languages.
type Words map[string]string

// Say returns a sentence with its numbered placeholders filled. If there is a sentence KEY.one, it
// is that for {0} = 1, and in French for 0. An unknown key is an error, which ends the rendering. A
// test checks the keys in templates and code.
func (w Words) Say(key string, fill ...any) (string, error) {
	text, ok := w[key]
	if !ok {
		return "", fmt.Errorf("unknown words %q", key)
	}
	if len(fill) == 0 {
		return contract(text), nil
	}
	pairs := make([]string, 0, 2*len(fill))
	for i, v := range fill {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", fmt.Sprint(v))
	}
	if one := w[key+".one"]; one != "" && slices.Contains(strings.Split(w[singular], ","), pairs[1]) {
		text = one
	}
	return contract(strings.NewReplacer(pairs...).Replace(text)), nil
}

// Text is like Say, for code that fills views. It returns an unknown key unchanged.
func (w Words) Text(key string, fill ...any) string {
	text, err := w.Say(key, fill...)
	if err != nil {
		return key
	}
	return text
}

// Sentence returns a fragment as a sentence: with a capital letter and a full stop.
func Sentence(fragment string) string {
	first, size := utf8.DecodeRuneInString(fragment)
	if size == 0 {
		return ""
	}
	fragment = string(unicode.ToUpper(first)) + fragment[size:]
	if strings.HasSuffix(fragment, ".") || strings.HasSuffix(fragment, "!") || strings.HasSuffix(fragment, "?") {
		return fragment
	}
	return fragment + "."
}

// singular is the key of the numbers that a language writes with a singular.
const singular = " singular"

// Fields are the values of a sentence's named placeholders.
type Fields map[string]string

// Fill returns a sentence with its named placeholders filled. It returns an unknown key unchanged.
func (w Words) Fill(key string, fields Fields) string {
	pairs := make([]string, 0, 2*len(fields))
	for name, value := range fields {
		pairs = append(pairs, "{"+name+"}", value)
	}
	text := w[key]
	if text == "" {
		return key
	}
	return contract(strings.NewReplacer(pairs...).Replace(text))
}

// Decimal returns a number with the decimal mark of the language, which is the sentence
// site.decimal.
func (w Words) Decimal(v float64, places int) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', places, 64), ".", cmp.Or(w["site.decimal"], "."), 1)
}

// JSON returns the sentences whose keys begin with prefix, for scripts. The keys of the JSON object
// omit the prefix.
func (w Words) JSON(prefix string) (string, error) {
	some := map[string]string{}
	for key, text := range w {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			some[rest] = contract(text)
		}
	}
	b, err := json.Marshal(some)
	return string(b), err
}

// Read adds the sentences of words/TAG.txt: lines of the form "key = sentence", empty lines and #
// comments. If files have no words, it adds none.
func (w Words) Read(files fs.FS, tag string) error {
	name := "words/" + tag + ".txt"
	text, err := fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	w[singular] = "1"
	if tag == "fr" {
		w[singular] = "0,1"
	}
	var errs []error
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, sentence, ok := strings.Cut(line, "=")
		key, sentence = strings.TrimSpace(key), strings.TrimSpace(sentence)
		if _, twice := w[key]; !ok || twice || sentence == "" {
			errs = append(errs, fmt.Errorf("%s:%d: %q must be \"key = sentence\" with a new key", name, n+1, line))
		}
		w[key] = typeset(tag, sentence)
	}
	return errors.Join(errs...)
}

// typeset puts a narrow space that does not break where a language writes one: in French before high
// punctuation and inside quotation marks, in French and Spanish before the percent sign. The files
// have plain spaces there. It also marks the words that [contract] changes.
func typeset(tag, sentence string) string {
	switch tag {
	case "fr":
		sentence = frenchSpaces.Replace(highPunctuation.ReplaceAllString(sentence, narrow+"$1"))
		return strings.ReplaceAll(sentence, "de {", "de"+joint+"{")
	case "es":
		return strings.ReplaceAll(percentSpace.Replace(sentence), "las {", "las"+joint+"{")
	}
	return sentence
}

// contract finishes words that depend on what fills the placeholder after them: "de Alder" is
// "d’Alder" in French, "las 01:05" is "la 01:05" in Spanish. Whether an h is silent is unknown.
func contract(text string) string {
	if !strings.Contains(text, joint) {
		return text
	}
	text = beforeVowel.ReplaceAllString(text, "$1’$2")
	text = beforeOne.ReplaceAllString(text, "a $1")
	return strings.ReplaceAll(text, joint, " ")
}

const (
	narrow = "\u202f"
	joint  = "\ue000"
)

var (
	// The punctuation may be the whole sentence.
	highPunctuation = regexp.MustCompile(`(?:^| )([:;?!])`)
	frenchSpaces    = strings.NewReplacer("« ", "«"+narrow, " »", narrow+"»", " %", narrow+"%")
	percentSpace    = strings.NewReplacer(" %", narrow+"%")
	beforeVowel     = regexp.MustCompile(`(?i)\b(d)e` + joint + `([aeiouyàâäéèêëîïôöùûüœæ])`)
	beforeOne       = regexp.MustCompile(`as` + joint + `(0?1:)`)
)
