package rest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/townline/townline/pkg/rest"
)

// Slices reads and seeks as other readers do, even if its source returns short slices. It requests
// at most 128 kB at once.
func TestSlices(t *testing.T) {
	t.Parallel()
	want := make([]byte, 700_001)
	for i := range want {
		want[i] = byte(i % 251)
	}
	for _, most := range []int64{100_003, 1 << 20} {
		read := func(_ context.Context, from, length int64) ([]byte, error) {
			if length > 128<<10 {
				t.Errorf("requested %d bytes", length)
			}
			return want[from : from+min(length, most)], nil
		}
		if err := iotest.TestReader(rest.Slices(t.Context(), int64(len(want)), read), want); err != nil {
			t.Error(err)
		}
	}
}

// A truncated or unreadable value gives an error, which is not io.EOF.
func TestSlicesThatEndEarly(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for _, end := range []error{nil, gone} {
		s := rest.Slices(t.Context(), 10, func(_ context.Context, from, _ int64) ([]byte, error) {
			if from > 0 {
				return nil, end
			}
			return []byte("abc"), nil
		})
		got, err := io.ReadAll(s)
		if wanted := map[bool]error{true: io.ErrUnexpectedEOF, false: gone}[end == nil]; !bytes.Equal(got, []byte("abc")) ||
			!errors.Is(err, wanted) {
			t.Errorf("%q, %v; want %v", got, err, wanted)
		}
	}
}
