package council

import (
	"slices"
	"strings"
)

// ConsentHeading reports whether a heading begins the consent calendar, whose
// items are adopted by one vote, or the list of items that were removed from
// it for separate votes ("Items Removed from the Consent
// Calendar"). Both are false for every other heading.
func ConsentHeading(heading string) (list, removed bool) {
	h := strings.ToLower(heading)
	if len(h) > 80 && !strings.Contains(h[:40], "consent") || !strings.Contains(h, "consent") {
		return false, false
	}
	has := func(word string) bool { return strings.Contains(h, word) }
	if slices.ContainsFunc([]string{"may be", "unless", "will be", "can be", "not removed", "without"}, has) {
		return true, false // a note on what could be removed
	}
	off := slices.ContainsFunc([]string{"remov", "pull", "exclu", "withdrawn", "taken", "held from", "held for",
		"separate", "non-consent",
		"off consent", "off the", "from consent", "from the", "not on"}, has)
	return !off, off
}
