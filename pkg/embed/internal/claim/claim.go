// Package claim lets one process at a time run a private server on a folder, and announces the
// server's URL to other processes. A claim is an advisory file lock, so it ends with the process.
// Packages pgd and natsd use it.
package claim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrTaken is wrapped by the error of Take if another process has a claim on the folder.
var ErrTaken = errors.New("in use by another process")

const (
	lockName = "lock" // holds the owner's process id, for people
	urlName  = "url"  // the server's URL; secret, so mode 0600
)

// A Claim is the right to run the server of a folder, until Release or the end of the process.
type Claim struct {
	dir string
	fd  int // of the lock file; the garbage collector would close an *os.File
}

// Take claims dir, which must exist. If another process has a claim on dir, Take returns [ErrTaken]
// at once.
func Take(dir string) (*Claim, error) {
	name := filepath.Join(dir, lockName)
	fd, err := syscall.Open(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
	for try := 0; errors.Is(err, syscall.EWOULDBLOCK) && try < 5; try++ {
		// Another process may hold the lock for a moment, in Announced.
		<-time.After(10 * time.Millisecond)
		err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		owner, _ := os.ReadFile(name)
		err = fmt.Errorf("%s is %w (%s)", dir, ErrTaken, strings.TrimSpace("process "+string(owner)))
	case err != nil:
		err = fmt.Errorf("lock %s: %w", name, err)
	default:
		err = own(dir)
	}
	if err != nil {
		_ = syscall.Close(fd) // the other error is more specific
		return nil, err
	}
	return &Claim{dir: dir, fd: fd}, nil
}

func own(dir string) error {
	if err := os.Remove(filepath.Join(dir, urlName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("withdraw old announcement: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, lockName), fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	return nil
}

// Announce publishes the URL of the running server, in a file that only this account can read.
func (c *Claim) Announce(url string) error {
	f, err := os.CreateTemp(c.dir, urlName+".*") // has mode 0600
	if err != nil {
		return fmt.Errorf("announce server: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(url + "\n")
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(c.dir, urlName))
	}
	if err != nil {
		f.Close()
		return fmt.Errorf("announce server: %w", err)
	}
	return nil
}

// Release deletes the announcement and releases the folder.
func (c *Claim) Release() error {
	err := os.Remove(filepath.Join(c.dir, urlName))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, syscall.Close(c.fd))
}

// Announced returns the URL that the owner of dir has announced. It ignores the announcement of a
// process that has ended.
func Announced(dir string) (url string, ok bool) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return "", false
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		return "", false
	}
	b, err := os.ReadFile(filepath.Join(dir, urlName))
	if err != nil {
		return "", false
	}
	return strings.TrimSpace(string(b)), true
}
