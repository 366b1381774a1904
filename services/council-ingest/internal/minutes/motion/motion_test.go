package motion

import "testing"

func TestMotionKinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[Kind][]string{
		Main:  {"Mayor Brandt made the motion to approve the amendment of the plan", "Vance moved approval"},
		Amend: {"Mayor Brandt made the motion to amend the plan"},
		Other: {"Vance made a motion to table the item", "Vance moved to postpone it", "Vance made a substitute motion to buy none", "Vance moved the question"},
	} {
		for _, s := range want {
			if got := kindOf(s); got != text {
				t.Errorf("%q is of kind %d, want %d", s, got, text)
			}
		}
	}
}
