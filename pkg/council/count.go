package council

import (
	"fmt"
	"strings"
)

// Count formats a number of things: "1 nay", "2 nays", "3 anomalies".
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if stem, is := strings.CutSuffix(one, "ly"); is {
		return fmt.Sprintf("%d %slies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, one)
}
