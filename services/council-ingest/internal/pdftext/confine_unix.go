//go:build unix

package pdftext

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// confine sets kernel limits on this process before it reads input. The memory limit is added to
// what the Go runtime has reserved.
func confine(l Limits) error {
	cpu := uint64(l.Time/time.Second)*3/2 + 1 // includes time for the garbage collector
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: cpu, Max: cpu}); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return err
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return nil // only Linux can read it; the soft limit still applies
	}
	first, _, _ := bytes.Cut(statm, []byte(" "))
	pages, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return err
	}
	limit := pages*uint64(os.Getpagesize()) + uint64(l.Memory)
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}
