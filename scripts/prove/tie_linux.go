package main

import (
	"os/exec"
	"syscall"
)

// tie makes the kernel end a process when the thread that started it ends. Ctrl-C in the terminal
// does not reach the process.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
