package pgd

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tether starts cmd so that it shuts down when this process ends,
// however it ends: the kernel sends the signal.
func tether(cmd *exec.Cmd) (*child, error) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
	c := &child{exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The signal follows the thread that forks, not the process. So that thread
		// must live as long as the child does, and this goroutine keeps it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		c.process = cmd.Process
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in cmd.ProcessState
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}
