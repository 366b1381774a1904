//go:build !linux

package main

import (
	"os/exec"
	"syscall"
)

// tie keeps Ctrl-C in the terminal away from the process. If this program is killed, the process
// continues.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
