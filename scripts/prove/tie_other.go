//go:build !linux

package main

import (
	"os/exec"
	"syscall"
)

// tie keeps the terminal's Ctrl-C from a process; should this program be killed, the process stays.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
