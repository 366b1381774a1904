package council

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestRollInJSON(t *testing.T) {
	t.Parallel()
	roll := NewRoll([]string{"Ann Archer", "Ben & Co"}, nil, []string{"Dee Doe"})
	text, err := json.Marshal(roll)
	const want = `{"aye":["Ann Archer","Ben \u0026 Co"],"nay":[],"abstain":["Dee Doe"],"absent":[],"recused":[]}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	for _, form := range []string{want, `[{"member":"Ann Archer","position":"aye"},
		{"member":"Ben & Co","position":"aye"},{"member":"Dee Doe","position":"abstain"}]`} {
		var read Roll
		if err := json.Unmarshal([]byte(form), &read); err != nil || !slices.Equal(read, roll) {
			t.Errorf("%s decodes to %v, %v", form, read, err)
		}
	}
	if text, err = json.Marshal(Roll(nil)); err != nil ||
		string(text) != `{"aye":[],"nay":[],"abstain":[],"absent":[],"recused":[]}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestIsUnanimous(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		roll       Roll
		ayes, nays int
		want       bool
	}{
		{nil, 3, 0, true}, {nil, 3, 1, false}, {nil, 0, 0, false},
		{NewRoll([]string{"A"}), 0, 2, true}, {NewRoll([]string{"A"}, []string{"B"}), 3, 0, false},
		{NewRoll([]string{"A"}, nil, []string{"B"}), 3, 0, false}, {NewRoll(nil, nil, nil, []string{"A"}), 2, 0, true},
	} {
		if got := c.roll.IsUnanimous(c.ayes, c.nays); got != c.want {
			t.Errorf("%v with %d to %d: %t", c.roll, c.ayes, c.nays, got)
		}
	}
}
