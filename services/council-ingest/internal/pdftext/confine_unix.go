//go:build unix

package pdftext

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// confine sets the kernel's limits on this process, before it has seen any
// input. Memory is counted from what the Go runtime has reserved already.
func confine(l Limits) error {
	cpu := uint64(l.Time/time.Second)*3/2 + 1 // the collector of garbage works beside
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: cpu, Max: cpu}); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return err
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return nil // no such count on this system; the soft limit must do
	}
	first, _, _ := bytes.Cut(statm, []byte(" "))
	pages, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return err
	}
	limit := pages*uint64(os.Getpagesize()) + uint64(l.Memory)
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}
