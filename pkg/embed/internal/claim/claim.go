// Package claim gives one process at a time the right to run a private
// server on a folder, and lets other processes learn where that server
// listens.
//
// The right is an advisory file lock, so it ends with the process however
// that ends; nothing written here has to be cleaned up after a crash.
// It knows nothing of Postgres or NATS: see pgd and natsd for those.
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

// ErrTaken is what Take returns, wrapped, while another process holds the folder.
var ErrTaken = errors.New("in use by another process")

const (
	lockName = "lock" // holds the owner's process id, for people
	urlName  = "url"  // how to reach the owner's server; secret, so 0600
)

// A Claim is the right to run the one server of a folder.
type Claim struct {
	dir  string
	lock *os.File
}

// Take claims dir, which must exist. It does not wait for an owner to go: while
// another process holds the folder the error wraps ErrTaken and names it.
func Take(dir string) (*Claim, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	for try := 0; errors.Is(err, syscall.EWOULDBLOCK) && try < 5; try++ {
		// Announced holds the lock for a moment to see whether anybody else does.
		time.Sleep(10 * time.Millisecond)
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		owner := make([]byte, 32)
		n, _ := f.Read(owner)
		return nil, fmt.Errorf("%s is %w (%s)", dir, ErrTaken, strings.TrimSpace("process "+string(owner[:n])))
	}
	// Whatever the last owner announced is void from here on.
	c := &Claim{dir: dir, lock: f}
	err = os.Remove(filepath.Join(dir, urlName))
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("claim %s: %w", dir, err)
	}
	return c, nil
}

// Announce tells other processes the URL of the running server. The file
// appears whole or not at all and only its owner can read it.
func (c *Claim) Announce(url string) error {
	f, err := os.CreateTemp(c.dir, urlName+".*") // 0600
	if err != nil {
		return fmt.Errorf("announce server: %w", err)
	}
	defer os.Remove(f.Name())
	if _, err = f.WriteString(url + "\n"); err == nil {
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

// Release withdraws the announcement and gives the folder up.
func (c *Claim) Release() error {
	err := os.Remove(filepath.Join(c.dir, urlName))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, c.lock.Close())
}

// Announced returns the URL that the present owner of dir has announced, and
// false when nobody owns the folder or nothing was announced yet. A URL left
// behind by a process that was killed is never returned.
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
