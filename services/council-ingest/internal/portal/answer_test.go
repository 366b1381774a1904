package portal

import (
	"errors"
	"strings"
	"testing"
)

// An answer of many tiny values, and a list of many pages, are refused before they fill the memory.
func TestAnswersWithoutEnd(t *testing.T) {
	t.Parallel()
	if _, err := DecodeList([]byte("[" + strings.Repeat("1,", maxValues+1) + "1]")); !errors.Is(err, ErrNotPortal) {
		t.Error(err)
	}
	if _, err := DecodeList([]byte(`[{"EventId":1,"EventBodyName":"Council"}]`)); err != nil {
		t.Error(err)
	}
	var l ListSize
	for n := range 9 {
		if err := l.Add(32 << 20); (err != nil) != (n == 8) {
			t.Errorf("page %d: %v", n, err)
		}
	}
}
