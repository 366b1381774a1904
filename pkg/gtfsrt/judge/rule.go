package judge

import (
	"cmp"
	"slices"
)

// A Rule is a rule of MobilityData's gtfs-realtime-validator. It has the same code.
type Rule struct {
	Code    string // begins with E for errors, W for warnings
	Message string // empty if another entry of the code has the texts
	Advice  string // for the producers of the source
}

// Severity returns "error" or "warning".
func (r Rule) Severity() string {
	if r.Code[0] == 'E' {
		return "error"
	}
	return "warning"
}

// Address returns the address of the validator's documentation of the rule.
func (r Rule) Address() string {
	return "https://github.com/MobilityData/gtfs-realtime-validator/blob/master/RULES.md#" + r.Code
}

// Rules returns the rules that messages are checked with: errors first, then by code.
func Rules() []Rule {
	all := slices.Concat(rulesOf(headerRules), rulesOf(tripRules), rulesOf(runningRules), rulesOf(updateRules), callRules,
		rulesOf(vehicleRules), stopRules, rulesOf(alertRules), rulesOf(informedRules))
	all = slices.DeleteFunc(all, func(r Rule) bool { return r.Message == "" })
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

func rulesOf[T any](table []rule[T]) (all []Rule) {
	for _, r := range table {
		all = append(all, r.Rule)
	}
	return all
}
