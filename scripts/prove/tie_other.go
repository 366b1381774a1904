//go:build !linux

package main

import (
	"os/exec"
	"syscall"
)

// tie makes sure that Ctrl-C in the terminal does not reach the process. If this program is killed,
// the process goes on.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
