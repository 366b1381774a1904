package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
)

// takeOut marks the items of a consent list that were taken off it: the text
// under the heading says so ("Trustee Roe asked that item C be removed", "to
// approve the calendar, except items 3 and 5"), or the item stands a second
// time, further down, with a vote of its own. The vote on the list is none on
// them. It returns the items that stay.
func (s *scan) takeOut(sec *section, listed []*item) []*item {
	said := s.saidOut(sec)
	stay := listed[:0:0]
	for _, it := range listed {
		again := s.votedLater(it)
		named := false
		for _, name := range said {
			named = named || sameItemName(name, it.number)
		}
		if again == nil && !named {
			stay = append(stay, it)
			continue
		}
		it.pulled = true
		if again == nil && len(it.blocks) == 0 {
			s.report(council.CodeVoteMissing, -1, nil, it.page, strings.TrimSpace(it.number+" "+it.title)+": taken off the consent list, and no vote of its own is printed")
		}
	}
	return stay
}

// votedLater finds the second place of an item of a consent list: the same file
// number or the same title, with a vote, outside of any consent list or further
// down under the same heading.
func (s *scan) votedLater(it *item) *item {
	if s.voted == nil {
		s.voted = map[string][]*item{}
		for _, sec := range s.sections {
			for _, other := range sec.items {
				if len(other.blocks) > 0 {
					s.voted[other.file] = append(s.voted[other.file], other)
					title := council.FoldName(other.title)
					s.voted[title] = append(s.voted[title], other)
				}
			}
		}
	}
	for _, key := range []string{it.file, council.FoldName(it.title)} {
		same := s.voted[key]
		for _, other := range same[max(0, len(same)-maxList):] {
			if key == "" || other.line <= it.line || other.sec.consent && other.sec != it.sec {
				continue
			}
			if sameItem(it, other) {
				return other
			}
		}
	}
	return nil
}

// sameItem reports whether an item that stands further down is one of the
// consent list: by its file number, else by its title with its number, under
// the heading of removed items, or when the title is long enough to be no
// common one, such as "Approval of Minutes".
func sameItem(listed, later *item) bool {
	if listed.file != "" && later.file != "" {
		return listed.file == later.file && (later.sec != listed.sec || later.number == listed.number)
	}
	title := council.FoldName(listed.title)
	if title == "" || title != council.FoldName(later.title) {
		return false
	}
	if later.number != "" && sameItemName(itemName(later.number), listed.number) {
		return true
	}
	return later.sec != listed.sec && (later.sec.removed || strings.Count(title, " ") >= 5)
}

// onConsentList finds the item of an earlier consent list whose number and
// title stand again behind marker m: where it is voted on by itself.
func (s *scan) onConsentList(m marker) *item {
	it := s.listed[itemName(m.label)]
	if it == nil || m.text == "" {
		return nil
	}
	if s.sec.removed || it.pulled && it.sec != s.sec {
		return it
	}
	_, text := cutFileNumber(m.text, s.lastFile)
	head := council.FoldName(text)
	if len(head) > 30 {
		head = head[:30]
	}
	if len(head) >= 8 && strings.HasPrefix(council.FoldName(it.title), head) {
		return it
	}
	return nil
}

var (
	exceptWords = []string{"except", "excluding", "exception of", "minus ", "other than", "removing ", "pulling "}
	pullWords   = []string{"pulled", "removed", "pull ", "remove ", "taken off", "withdrawn from", "withdrawn by", "separately", "separate vote", "separate consideration", "separate discussion"}
	stayWords   = []string{"to the consent", "on the consent", "may be ", "returned", " no on ", "not removed", "not pulled", "not be removed"}
)

// saidOut lists the numbers of items that the text under a consent heading says
// were taken off the list, upper case.
func (s *scan) saidOut(sec *section) []string {
	end := len(s.lines)
	if sec.until > 0 {
		end = sec.until
	}
	var out []string
	for j := sec.line + 1; j < end && j < sec.line+400; {
		if s.lines[j].text == "" {
			j++
			continue
		}
		var parts []string
		for ; j < end && s.lines[j].text != ""; j++ {
			parts = append(parts, s.lines[j].text)
		}
		out = append(out, takenOut(joinLines(parts))...)
	}
	return out
}

// takenOut reads which items a paragraph says were taken off a list.
func takenOut(text string) []string {
	if !strings.Contains(text, "tem") && !strings.Contains(text, "xce") && !strings.Contains(text, "xclud") {
		return nil
	}
	text = strings.NewReplacer("No. ", "", "Nos. ", "", "no. ", "").Replace(text)
	var out []string
	for sentence := range strings.SplitSeq(text, ". ") {
		l := lowerASCII(sentence)
		if containsAny(l, exceptWords) {
			for _, w := range exceptWords {
				if i := strings.Index(l, w); i >= 0 {
					out = append(out, itemNames(sentence[i+len(w):])...)
				}
			}
			continue
		}
		if !containsAny(l, pullWords) || containsAny(l, stayWords) {
			continue
		}
		for at := 0; ; {
			i := strings.Index(l[at:], "item")
			if i < 0 {
				break
			}
			at += i + len("item")
			out = append(out, itemNames(sentence[at:])...)
		}
	}
	return out
}

// lowerASCII is strings.ToLower that keeps the length.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// itemName is the number of an item as it is spoken of: "3.C." is 3.C.
func itemName(label string) string {
	name := strings.ToUpper(strings.Trim(label, ".(): "))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "ITEM "), "NO. ")
	return strings.TrimPrefix(name, "#")
}

// sameItemName reports whether an item is meant by a name; a name without the
// number of the section means the item by its last part.
func sameItemName(name, label string) bool {
	label = itemName(label)
	if name == label {
		return label != ""
	}
	i := strings.LastIndexByte(label, '.')
	return i >= 0 && !strings.Contains(name, ".") && name == label[i+1:]
}
