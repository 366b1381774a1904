package operator_test

import (
	"strings"
	"testing"

	"github.com/townline/townline/pkg/operator"
)

func TestManualRowsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op, file string
		cells    map[string]string
		want     string
	}{
		{"add", "fares", map[string]string{"fare_id": "1"}, "manual rows are possible in agency.txt, stops.txt"},
		{"add", "stops", map[string]string{"stop_name": "X"}, "stop_id is required"},
		{"add", "stop_times", map[string]string{"trip_id": "X"}, "trip_id and stop_sequence is required"},
		{"add", "stops", map[string]string{"stop_id": "X", "colour": "red"}, `no column "colour"; the columns are stop_id, stop_code`},
		{"add", "stops", map[string]string{"stop_id": "X", "stop_lat": "north"}, `stop_lat: "north"`},
		{"patch", "routes", map[string]string{"route_id": "X", "route_color": "red"}, `route_color: "red": The cell is not a colour`},
		{"patch", "stops", map[string]string{"stop_id": "X"}, "at least one column besides stop_id"},
		{"hide", "stops", map[string]string{"stop_id": "X", "stop_name": "Y"}, "give only stop_id"},
		{"add", "stops", map[string]string{"stop_id": "X", "stop_name": "a\x00b"}, "control characters"},
		{"move", "stops", map[string]string{"stop_id": "X"}, "neither add, patch nor hide"},
	} {
		if _, err := operator.NewManualRow(c.op, c.file, c.cells); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %v: %v, want %q", c.op, c.file, c.cells, err, c.want)
		}
	}
}
