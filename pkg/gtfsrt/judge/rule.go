package judge

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/lang"
)

// A Code names a rule of MobilityData's gtfs-realtime-validator. It begins with E for errors, W for
// warnings.
type Code string

// Codes returns the codes of all rules: errors first, then by code.
func Codes() []Code {
	var all []Code
	for key := range notice.English() {
		if code, ok := strings.CutPrefix(key, "rt."); ok && !strings.Contains(code, ".") {
			all = append(all, Code(code))
		}
	}
	slices.Sort(all)
	return all
}

// Severity returns "error" or "warning".
func (c Code) Severity() string {
	if strings.HasPrefix(string(c), "E") {
		return "error"
	}
	return "warning"
}

// Address returns the address of the validator's documentation of the rule.
func (c Code) Address() string {
	return "https://github.com/MobilityData/gtfs-realtime-validator/blob/master/RULES.md#" + string(c)
}

// Message returns what is wrong.
func (c Code) Message(say lang.Words) string { return say.Text("rt." + string(c)) }

// Advice returns what the people who make the source can do.
func (c Code) Advice(say lang.Words) string { return say.Text("rt." + string(c) + ".do") }

// Value describes an occurrence by its fields. The code must have words for it.
func (c Code) Value(say lang.Words, fields lang.Fields) string {
	return say.Fill("rt."+string(c)+".value", fields)
}
