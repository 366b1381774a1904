package council

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{"0 nays": Count(0, "nay"), "1 nay": Count(1, "nay"),
		"2 nays": Count(2, "nay"), "2 anomalies": Count(2, "anomaly")} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
