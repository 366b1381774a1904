package main

import (
	"os/exec"
	"syscall"
)

// tie makes the kernel end a process when the thread that started it ends, and keeps the terminal's
// Ctrl-C from it.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
