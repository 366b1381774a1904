package pgd

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tether starts cmd. The kernel stops it when this process ends, even if this process is killed.
func tether(cmd *exec.Cmd) (*child, error) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
	c := &child{exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel sends the signal when the thread that forked ends, so keep that thread.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		c.process = cmd.Process
		started <- err
		if err == nil {
			_ = cmd.Wait() // cmd.ProcessState has the result
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}
