// Package panics turns panics into errors, so that a panic in one task does not end other tasks.
package panics

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// ErrPanic is wrapped by the error that stands for a panic.
var ErrPanic = errors.New("panic")

// Error converts the value of recover to an error with the function and line of the panic, without
// stack and paths. Call it directly in the deferred function.
func Error(p any) error {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicked := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !inRuntime:
			return fmt.Errorf("%w: %v (in %s, line %d)", ErrPanic, p, f.Function, f.Line)
		}
		if !more {
			return fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}
}

// Safely runs fn and returns its panic as an error. Use it for goroutines that must not end the
// process.
func Safely(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Error(p)
		}
	}()
	return fn()
}
