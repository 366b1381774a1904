package gtfs

import "slices"

// A Severity is the importance of a finding.
type Severity string

// The severities of the canonical validator.
const (
	// Error means that the GTFS reference forbids it.
	Error Severity = "error"
	// Warning means that it is likely to harm riders.
	Warning Severity = "warning"
	// Info means that it may be intended.
	Info Severity = "info"
)

// Rank orders severities; the worst is lowest.
func (s Severity) Rank() int {
	switch s {
	case Error:
		return 0
	case Warning:
		return 1
	}
	return 2
}

// Effect is the effect of a finding on the import.
type Effect string

const (
	RowLeftOut  Effect = "row left out"
	CellEmptied Effect = "cell emptied"
	CellChanged Effect = "cell changed"
	FileSkipped Effect = "file skipped"
	Noted       Effect = "noted"
)

// A Rule explains the findings with one code.
type Rule struct {
	Code     Code
	Severity Severity
	// Effect is the default effect of the rule's findings.
	Effect Effect
	Reason string
	// Advice is for the producers of the feed.
	Advice string
}

// RuleOf returns the rule of a code. Stored reports of older releases may have unknown codes.
func RuleOf(code Code) (rule Rule, known bool) {
	rule, known = rulesByCode[code]
	if !known {
		rule = Rule{Code: code, Severity: Warning, Effect: Noted, Reason: "unknown finding"}
	}
	return rule, known
}

var rulesByCode = func() map[Code]Rule {
	all := map[Code]Rule{}
	for _, r := range Rules() {
		all[r.Code] = r
	}
	return all
}()

// Rules returns all rules.
func Rules() []Rule { return slices.Concat(canonicalRules[:], ownRules[:]) }
