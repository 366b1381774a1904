package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// manyHyphens is how many words must be broken for certain before a document
// counts as one that is hyphenated throughout.
const manyHyphens = 3

// mendHyphens puts words together that a printer of justified text has broken
// at the margin ("coun-" and "cil"): the whole word comes to stand on the
// second line. A hyphen that belongs to the word stays, and so does one of
// which it is not clear: the word must stand whole elsewhere in the document,
// or, where many such are found, one of the halves must be no word.
func mendHyphens(lines []Line) {
	var broken []int
	for i := range lines {
		if _, _, ok := brokenWord(lines, i); ok {
			broken = append(broken, i)
		}
	}
	if len(broken) == 0 {
		return
	}
	words := wordsOf(lines)
	certain := 0
	proven := func(head, tail string) bool {
		return words[strings.ToLower(head+tail)] && !words[strings.ToLower(head+"-"+tail)]
	}
	for _, i := range broken {
		if head, tail, _ := brokenWord(lines, i); proven(head, tail) {
			certain++
		}
	}
	for _, i := range broken {
		head, tail, _ := brokenWord(lines, i)
		likely := certain >= manyHyphens && len(tail) > 1 && !words[strings.ToLower(head+"-"+tail)] && !(words[strings.ToLower(head)] && words[strings.ToLower(tail)])
		if !likely && !proven(head, tail) {
			continue
		}
		next := nextOnPaper(lines, i)
		lines[i].Text = strings.TrimRight(strings.TrimSuffix(lines[i].Text, head+"-"), " ")
		lines[next].Text = head + lines[next].Text
	}
}

// brokenWord is the word that the end of line i breaks, in its two halves: both
// of small letters, or both of capitals. The first must not be all of its line.
func brokenWord(lines []Line, i int) (head, tail string, ok bool) {
	text, cut := strings.CutSuffix(lines[i].Text, "-")
	if !cut {
		return "", "", false
	}
	at := strings.LastIndexByte(text, ' ') + 1
	head = strings.TrimLeft(text[at:], "(\"“")
	next := nextOnPaper(lines, i)
	if at == 0 || len(head) < 2 || next < 0 {
		return "", "", false
	}
	tail = lines[next].Text
	if end := strings.IndexFunc(tail, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		tail = tail[:end]
	}
	last, _ := utf8.DecodeLastRuneInString(head)
	first, _ := utf8.DecodeRuneInString(tail)
	same := unicode.IsLower(last) && unicode.IsLower(first) || unicode.IsUpper(last) && unicode.IsUpper(first) && strings.ToUpper(head) == head
	return head, tail, same && strings.IndexFunc(head, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// nextOnPaper is the line after line i: the next one, or the first of the next
// page; -1 when a blank line follows.
func nextOnPaper(lines []Line, i int) int {
	if i+1 >= len(lines) || lines[i+1].Text == "" {
		return -1
	}
	return i + 1
}

// wordsOf is every word that stands whole in the document, in small letters,
// compounds as a whole.
func wordsOf(lines []Line) map[string]bool {
	words := map[string]bool{}
	for i, ln := range lines {
		fields := strings.Fields(ln.Text)
		for k, w := range fields {
			w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
			broken := k == len(fields)-1 && strings.HasSuffix(w, "-")
			rest := k == 0 && i > 0 && strings.HasSuffix(lines[i-1].Text, "-")
			if w != "" && !broken && !rest {
				words[strings.ToLower(strings.Trim(w, "-"))] = true
			}
		}
	}
	return words
}
