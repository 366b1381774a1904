//go:build !linux

package pgd

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
)

// tether starts cmd. A shell stops it when this process ends, even if this process is killed: the
// shell reads from a pipe, which then closes.
func tether(cmd *exec.Cmd) (*child, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	watch := exec.CommandContext(context.Background(), "/bin/sh", "-c", `read -r _; kill -INT "$1"`, "sh",
		strconv.Itoa(cmd.Process.Pid))
	watch.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	_, err := watch.StdinPipe() // stays open until watch.Wait or the end of this process
	if err == nil {
		err = watch.Start()
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	c := &child{process: cmd.Process, exited: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // cmd.ProcessState has the result
		_ = watch.Process.Kill()
		_ = watch.Wait()
		close(c.exited)
	}()
	return c, nil
}
