package doctor

import (
	"errors"
	"testing"
)

// full is a disk on which nothing can be written.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// A report that could not be written is no success.
func TestAReportThatIsLostIsAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []Command{{}, {JSON: true}} {
		if err := c.print(full{}, []finding{{Check: "disk", Status: statusOK}}); !errors.Is(err, errFull) {
			t.Errorf("JSON %t: %v", c.JSON, err)
		}
	}
}
