package load

import (
	"context"
	"errors"
	"testing"

	"github.com/townline/townline/services/gtfs-import/internal/audit"
)

// A file that cannot be read ends what uses the connection, but without cutting off its statement: a closed connection could not
// record the refusal.
func TestFailuresLeaveTheConnectionOpen(t *testing.T) {
	t.Parallel()
	l := &loader{input: &input{Options: Options{Audit: &audit.Log{}}}}
	unreadable := errors.New("the file cannot be read")
	err := l.beside(t.Context(), func(context.Context) error { return unreadable }, func(ctx context.Context) error {
		<-l.failed
		if ctx.Err() != nil {
			t.Errorf("the statement was cut off: %v", ctx.Err())
		}
		return l.gaveUp()
	})
	if !errors.Is(err, unreadable) || errors.Is(err, errGaveUp) {
		t.Errorf("the import failed with %v, want what failed first", err)
	}
	refused := errors.New("the table cannot be filled")
	err = l.beside(t.Context(), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, func(context.Context) error { return refused })
	if !errors.Is(err, refused) {
		t.Errorf("the import failed with %v, want %v", err, refused)
	}
	l.failed = make(chan struct{})
	close(l.failed)
	if x := (&rows{l: l.input}); x.report(t.Context()) || !errors.Is(x.err, errGaveUp) {
		t.Errorf("reading went on with %v", x.err)
	}
}
