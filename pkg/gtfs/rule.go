package gtfs

// A Severity says how much a finding matters.
type Severity string

// The severities, as the canonical validator has them.
const (
	// Error: the GTFS reference forbids it.
	Error Severity = "error"
	// Warning: riders are likely to be served worse for it.
	Warning Severity = "warning"
	// Info: it may be meant.
	Info Severity = "info"
)

// Rank orders severities, the worst first.
func (s Severity) Rank() int {
	switch s {
	case Error:
		return 0
	case Warning:
		return 1
	}
	return 2
}

// Effect says what the import did about a finding.
type Effect string

// The effects.
const (
	RowLeftOut  Effect = "row left out"
	CellEmptied Effect = "cell emptied"
	CellChanged Effect = "cell changed"
	FileSkipped Effect = "file skipped"
	Noted       Effect = "noted"
)

// A Rule is what one code stands for.
type Rule struct {
	Code     Code
	Severity Severity
	// Effect that a finding has unless it states another.
	Effect Effect
	// Reason is a sentence about what is wrong.
	Reason string
	// Advice says what the people who make the feed should do.
	Advice string
}

// RuleOf returns the rule of a code. Versions of older releases may have codes that no rule has;
// known is false for them.
func RuleOf(code Code) (rule Rule, known bool) {
	rule, known = rulesByCode[code]
	if !known {
		rule = Rule{Code: code, Severity: Warning, Effect: Noted, Reason: "unknown finding"}
	}
	return rule, known
}

var rulesByCode = func() map[Code]Rule {
	all := map[Code]Rule{}
	for _, r := range rules {
		all[r.Code] = r
	}
	return all
}()

// Rules returns all rules, in the order of the documentation.
func Rules() []Rule { return append([]Rule(nil), rules[:]...) }
