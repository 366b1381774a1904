package check

import (
	"cmp"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
)

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
func (s Severity) Rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// A Rule explains the findings with one code.
type Rule struct {
	Code     gtfs.Code
	Severity Severity
	Reason   string
	Advice   string // for the producers of the feed
}

// RuleOf returns the rule of a code. Stored reports of older releases may have unknown codes.
func RuleOf(code gtfs.Code) (rule Rule, known bool) {
	rule, known = rulesByCode[code]
	if !known {
		rule = Rule{Code: code, Severity: Warning, Reason: "unknown finding"}
	}
	return rule, known
}

var rulesByCode = func() map[gtfs.Code]Rule {
	all := map[gtfs.Code]Rule{}
	for _, r := range Rules() {
		all[r.Code] = r
	}
	return all
}()

// EffectOf returns the effect of findings that do not name theirs.
func EffectOf(code gtfs.Code) gtfs.Effect { return cmp.Or(effects[code], gtfs.Noted) }

var effects = func() map[gtfs.Code]gtfs.Effect {
	all := map[gtfs.Code]gtfs.Effect{}
	for _, of := range readRules {
		for _, r := range of.rules {
			all[r.Code] = of.effect
		}
	}
	return all
}()

// Rules returns all rules.
func Rules() []Rule {
	all := slices.Concat(checkRules, agencyRules, routeRules, stopRules, rangeRules, dayRules,
		tripRules, fileRules, shapeRules)
	for _, r := range readRules {
		all = append(all, r.rules...)
	}
	for _, r := range rowRules {
		all = append(all, r.Rule)
	}
	for _, r := range feedRules() {
		all = append(all, r.Rule)
	}
	return slices.DeleteFunc(all, func(r Rule) bool { return r.Reason == "" }) // another entry describes it
}
