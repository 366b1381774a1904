package lexicon

import (
	"fmt"
	"sort"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// The words of lists of items.
var (
	except       = words.Plain("except")
	takesOff     = words.Plain("takes off")
	staysOn      = words.Plain("stays on")
	anItem       = words.Plain("item")
	itemCapitals = words.Plain("ITEM", "NUMBER MARK")
	betweenItems = words.Plain("between items")
	itemRange    = words.Plain("item range")
	stub         = words.Plain("stub")
	stubOf       = words.Plain("stub of")
	startsStub   = words.Plain("starts stub")
	numbersMark  = words.Regexp(`\b(?i:{number mark}) `)
)

// TakenOut returns the items that a paragraph names as removed from the consent calendar.
func TakenOut(text string) []string {
	if whole := lowerASCII(text); !except.In(whole) && !takesOff.In(whole) {
		return nil
	}
	text = numbersMark.ReplaceAllString(text, "")
	var out []string
	for sentence := range strings.SplitSeq(text, ". ") {
		l := lowerASCII(sentence)
		if except.In(l) {
			for _, w := range except.Words() {
				if i := strings.Index(l, w); i >= 0 {
					out = append(out, itemNames(sentence[i+len(w):])...)
				}
			}
			continue
		}
		if !takesOff.In(l) || staysOn.In(l) {
			continue
		}
		for at := 0; ; {
			_, end := anItem.Find(l[at:])
			if end < 0 {
				break
			}
			at += end
			out = append(out, itemNames(sentence[at:])...)
		}
	}
	return out
}

// Range returns the items that a consent motion names: "items A – F", "items B, D and E", "items
// 3.1 to 3.9".
func Range(text string) []string {
	l := lowerASCII(text)
	if i, _ := except.Find(l); i >= 0 {
		l, text = l[:i], text[:i]
	}
	_, end := anItem.Find(l)
	if end < 0 {
		return nil
	}
	out := itemNames(text[end:])
	sort.Strings(out)
	return out
}

// itemNames reads the item numbers after "item". Letters must be capitals, because "an item a
// member asked for" has no item number.
func itemNames(rest string) []string {
	f := strings.FieldsFunc(strings.TrimPrefix(rest, "s"), func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	var out []string
	through := false
	for k, w := range f {
		if k > 40 {
			break
		}
		switch word := strings.ToLower(strings.TrimRight(w, ":")); {
		case betweenItems.Is(word), word == "&", word == "#":
			continue
		case itemRange.Is(word), word == "-", word == "–":
			through = true
			continue
		}
		w = strings.Trim(strings.ReplaceAll(w, "–", "-"), ".:)#")
		if a, b, ok := strings.Cut(w, "-"); ok && isItemName(a) && isItemName(b) {
			out = append(out, between(a, b)...)
			continue
		}
		if !isItemName(w) {
			break
		}
		if through && len(out) > 0 {
			out = append(out, between(out[len(out)-1], w)[1:]...)
			through = false
			continue
		}
		out = append(out, w)
	}
	for i := range out {
		out[i] = strings.ToUpper(out[i])
	}
	return out
}

// isItemName accepts "C", "12", "3.C", "3.12", "7B" and "7b".
func isItemName(w string) bool {
	if a, b, dotted := strings.Cut(w, "."); dotted {
		return AllDigits(a) && len(a) <= 2 && isItemName(b)
	}
	if n := len(w); n >= 2 && n <= 3 && IsLetter(w[n-1]) && AllDigits(w[:n-1]) {
		return true
	}
	return len(w) == 1 && IsUpper(w[0]) || len(w) <= 3 && AllDigits(w)
}

func between(a, b string) []string {
	if head, tail, dotted := strings.Cut(a, "."); dotted {
		section, last, too := strings.Cut(b, ".")
		if !too {
			last = b // as in "3.1 to 9"
		} else if section != head {
			return []string{a, b}
		}
		out := between(tail, last)
		for i := range out {
			out[i] = head + "." + out[i]
		}
		return out
	}
	if len(a) == 1 && len(b) == 1 && IsUpper(a[0]) && a[0] <= b[0] {
		var out []string
		for letter := a[0]; letter <= b[0] && letter <= 'Z'; letter++ {
			out = append(out, string(letter))
		}
		return out
	}
	if AllDigits(a) && AllDigits(b) && Atoi(b) >= Atoi(a) && Atoi(b) < Atoi(a)+200 {
		var out []string
		for n := Atoi(a); n <= Atoi(b); n++ {
			out = append(out, fmt.Sprint(n))
		}
		return out
	}
	return []string{a, b}
}

// ItemName returns the number of an item without its final full stop: "3.C." becomes "3.C".
func ItemName(label string) string {
	name := strings.ToUpper(strings.Trim(label, ".(): "))
	for cut := true; cut; {
		name, cut = itemCapitals.CutWord(name)
	}
	return strings.TrimPrefix(name, "#")
}

// SameItem reports whether a name refers to the item with a label. A name without the number of the
// section means the last part of the label.
func SameItem(name, label string) bool {
	label = ItemName(label)
	if name == label {
		return label != ""
	}
	i := strings.LastIndexByte(label, '.')
	return i >= 0 && !strings.Contains(name, ".") && name == label[i+1:]
}

// lowerASCII is like strings.ToLower but never changes the length of s.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// IsStub reports whether a title only says that an item was removed from the consent calendar:
// "Item C moved to Recommended Actions".
func IsStub(title string) bool {
	l := strings.ToLower(title)
	return len(l) <= 120 && stub.In(l) && (stubOf.In(l) || startsStub.Begins(l))
}
