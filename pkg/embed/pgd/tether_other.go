//go:build !linux

package pgd

import (
	"os/exec"
	"strconv"
	"syscall"
)

// tether starts cmd so that it is told to shut down when this process ends,
// however it ends: a shell waits for the end of a pipe whose other end is ours.
func tether(cmd *exec.Cmd) (*child, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	watch := exec.Command("/bin/sh", "-c", `read -r _; kill -INT "$1"`, "sh", strconv.Itoa(cmd.Process.Pid))
	watch.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := watch.StdinPipe()
	if err == nil {
		err = watch.Start()
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, err
	}
	c := &child{process: cmd.Process, exited: make(chan struct{})}
	go func() {
		cmd.Wait()
		watch.Process.Kill()
		watch.Wait()
		pipe.Close()
		close(c.exited)
	}()
	return c, nil
}
