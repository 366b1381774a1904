package council

import (
	"strconv"
	"strings"
)

// ItemKeys hands out the natural keys of one meeting's items. A key depends on
// what the document calls the item, not on where it stands, so that a re-parse
// keeps every id, also when an item is put in above. The zero value is ready.
type ItemKeys struct {
	seen map[string]int
}

// Key returns the natural key of the next item in document order: by its file
// number where it has one, else by its title, else by its printed number. A
// second item of the same name gets "#2". Within one meeting it is unique.
func (k *ItemKeys) Key(fileNumber, title, number string) string {
	key := "file:" + foldWords(fileNumber)
	if foldWords(fileNumber) == "" {
		key = "title:" + cut(foldWords(title), 120)
		if foldWords(title) == "" {
			key = "number:" + foldWords(number)
		}
	}
	if k.seen == nil {
		k.seen = map[string]int{}
	}
	k.seen[key]++
	if n := k.seen[key]; n > 1 {
		key += "#" + strconv.Itoa(n)
	}
	return key
}

// VoteKey is the natural key of a vote: its item's key and the motion's order
// within the item (spec: Vote.motion_seq).
func VoteKey(itemKey string, motionSeq int) string { return itemKey + "/" + strconv.Itoa(motionSeq) }

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
