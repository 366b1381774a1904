// Package panics makes errors of panics, for the borders at which one task must not end the others.
package panics

import (
	"fmt"
	"runtime"
	"strings"
)

// Error makes an error of what recover returned. It names the function and
// line that panicked, and no more: log lines hold no stacks and no paths. Call
// it in the deferred function itself.
func Error(p any) error {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicked := false
	for {
		f, more := frames.Next()
		switch inRuntime := strings.HasPrefix(f.Function, "runtime."); {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !inRuntime:
			return fmt.Errorf("panic: %v (in %s, line %d)", p, f.Function, f.Line)
		}
		if !more {
			return fmt.Errorf("panic: %v", p)
		}
	}
}

// Safely runs fn, and makes an error of its panic: for a goroutine whose end must not be the process's.
func Safely(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Error(p)
		}
	}()
	return fn()
}
