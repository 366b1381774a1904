package pgd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/wait"
)

// settings suit a developer's machine: little memory, no TCP, and data that survives a crash.
var settings = map[string]string{
	"listen_addresses":        "",
	"port":                    "5432", // part of the name of the socket
	"unix_socket_permissions": "0700",
	"cluster_name":            "townline", // as the process list shows it
	"max_connections":         "100",
	"shared_buffers":          "128MB",
	"work_mem":                "16MB",
	"maintenance_work_mem":    "128MB",
	"effective_cache_size":    "1GB",
	"random_page_cost":        "1.1", // for SSDs
	"jit":                     "off", // it slows short queries down
	"wal_level":               "minimal",
	"max_wal_senders":         "0",
	"max_wal_size":            "512MB",
	// mmap uses the cluster's folder: /dev/shm is small in containers and keeps the files of killed
	// servers.
	"dynamic_shared_memory_type": "mmap",
	"timezone":                   "UTC",
	"log_timezone":               "UTC",
	"lc_messages":                "C",
	"log_min_messages":           "error",
	"log_min_error_statement":    "panic", // statements contain data
	"log_line_prefix":            "%m [%p] %a ",
}

var unsafe = map[string]string{
	"fsync":              "off",
	"synchronous_commit": "off",
	"full_page_writes":   "off",
}

func (o Options) settings() map[string]string {
	all := maps.Clone(settings)
	if o.Disposable {
		maps.Copy(all, unsafe)
	}
	maps.Copy(all, o.Settings)
	return all
}

// startTimeout bounds the start, including a recovery of at most max_wal_size.
const startTimeout = 2 * time.Minute

// unfinished is the prefix of folders with an incomplete or discarded cluster.
const unfinished = "new-"

// major returns the version of the cluster; 0 if there is none.
func (p place) major() (int, error) {
	b, err := os.ReadFile(filepath.Join(p.cluster(), "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	v, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0, fmt.Errorf("read version of %s: %w", p.cluster(), err)
	}
	return v, nil
}

// create creates the cluster in another folder and renames the folder, so a crash leaves a whole
// cluster or none.
func (p place) create(ctx context.Context, programs programs, o Options) error {
	tmp, err := os.MkdirTemp(p.home, unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := p.account.own(tmp); err != nil {
		return err
	}
	args := []string{"-D", tmp, "-U", superuser, "--auth=trust", "--encoding=UTF8"}
	if runtime.GOOS == "darwin" {
		args = append(args, "--locale=C", "--lc-ctype=en_US.UTF-8") // macOS has no C.UTF-8
	} else {
		args = append(args, "--locale=C.UTF-8")
	}
	if o.settings()["fsync"] == "off" {
		args = append(args, "--no-sync")
	}
	var out strings.Builder
	cmd := p.command(ctx, programs.initdb, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	c, err := tether(cmd)
	if err != nil {
		return err
	}
	<-c.exited
	if err := ctx.Err(); err != nil {
		return err
	}
	if !cmd.ProcessState.Success() {
		return fmt.Errorf("initdb (%s): %s: %s", programs.origin, cmd.ProcessState, tail(out.String()))
	}
	return os.Rename(tmp, p.cluster())
}

// sweep removes unfinished folders. Call it only when the server runs: before, the initdb of a
// killed owner may still write to them.
func (p place) sweep() {
	left, _ := filepath.Glob(filepath.Join(p.home, unfinished+"*"))
	for _, dir := range left {
		_ = os.RemoveAll(dir) // if this fails, the next start tries again
	}
}

// The sessions of a killed server use its shared memory a little longer. A server that shuts down
// removes its lock file last.
const (
	patience    = 10 * time.Second
	lockFileAge = 2 * time.Second
)

func (p place) run(ctx context.Context, programs programs, o Options) (*child, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errors.New("the server did not come up in time"))
	defer cancel()
	began, stale := time.Now(), ""
	for {
		c, out, err := p.tryRun(ctx, programs, o, stale)
		if err == nil {
			return c, nil
		}
		locked := strings.Contains(out, "lock file") && strings.Contains(out, "already exists")
		if locked && time.Since(began) > lockFileAge {
			// No server listens or shuts down: the process id of the lock file was reused.
			stale, _ = p.lockFile(ctx)
		}
		if !locked && !strings.Contains(out, "is still in use") || time.Since(began) > patience ||
			!wait.For(ctx, 100*time.Millisecond) {
			return nil, fmt.Errorf("start %s from %s: %w: %s", programs.version, programs.origin, err, tail(out))
		}
	}
}

// tryRun starts the server once. It returns the server's log on failure.
func (p place) tryRun(ctx context.Context, programs programs, o Options, stale string) (*child, string, error) {
	all := o.settings()
	all["unix_socket_directories"] = p.socket
	args := []string{"-D", p.cluster()}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	log, err := os.OpenFile(filepath.Join(p.dir, "server.log"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, "", err
	}
	defer log.Close()
	cmd := p.command(context.WithoutCancel(ctx), programs.postgres, args...) // ends with Stop, not with ctx
	cmd.Stdout, cmd.Stderr = log, log
	if stale != "" {
		// With this variable of pg_ctl, Postgres does not mistake this process for a server. It still
		// checks that no process uses the shared memory of the cluster.
		cmd.Env = append(cmd.Env, "PG_GRANDPARENT_PID="+stale)
	}
	c, err := tether(cmd)
	if err != nil {
		return nil, "", err
	}
	if err := p.awaitReady(ctx, c); err != nil {
		hurried, cancel := context.WithCancel(ctx)
		cancel()
		c.end(hurried)
		out, _ := io.ReadAll(io.NewSectionReader(log, 0, 1<<20))
		return nil, string(out), err
	}
	return c, "", nil
}

// awaitReady waits until the server accepts connections, and creates its database.
func (p place) awaitReady(ctx context.Context, c *child) error {
	for {
		conn, err := pgx.Connect(ctx, p.url("postgres"))
		if err == nil {
			defer conn.Close(context.WithoutCancel(ctx))
			err = p.owns(ctx, conn)
			if err == nil {
				err = createDatabase(ctx, conn)
			}
			return err
		}
		select {
		case <-c.exited:
			return errors.New("the server ended at once")
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// endOrphan stops the server of a killed process. This process has the claim on the folder, so no
// other process uses that server.
func (p place) endOrphan(ctx context.Context, log *slog.Logger) error {
	for began, try := time.Now(), 0; ; try++ {
		pid, alive := p.lockFile(ctx)
		if !alive {
			return nil
		}
		if try == 0 {
			log.Info("stopping the server that a killed process left", "pid", pid)
		}
		sig := syscall.SIGINT
		if time.Since(began) > 30*time.Second {
			sig = syscall.SIGQUIT
		}
		n, err := strconv.Atoi(pid)
		if err == nil && n > 1 {
			err = syscall.Kill(n, sig)
		}
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the server %s left on %s: %w", pid, p.cluster(), err)
		}
		if !wait.For(ctx, 20*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
}

// lockFile returns the process id in the cluster's lock file, or "" if there is no file. alive
// reports whether that process is a server of this cluster.
func (p place) lockFile(ctx context.Context) (pid string, alive bool) {
	b, err := os.ReadFile(filepath.Join(p.cluster(), "postmaster.pid"))
	if err != nil {
		return "", false
	}
	// Lines: process id, data directory, start time, port, socket directory, and more.
	f := strings.Split(string(b), "\n")
	if len(f) < 5 {
		return strings.TrimSpace(f[0]), false
	}
	// A copied data folder has the lock file of the original and its server.
	return f[0], sameFile(f[1], p.cluster()) && listening(ctx, filepath.Join(f[4], ".s.PGSQL."+f[3]))
}

// discard renames a disposable cluster, because its files may be incomplete after a crash.
func (p place) discard() error {
	dir, err := os.MkdirTemp(p.home, unfinished)
	if err != nil {
		return err
	}
	return os.Rename(p.cluster(), filepath.Join(dir, "discarded"))
}

func listening(ctx context.Context, socket string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// command returns a command that runs a Postgres program as the cluster's account. It has its own
// process group, so that Ctrl-C does not reach it, and only the variable PATH of our environment.
func (p place) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if p.account.lent {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(p.account.uid), Gid: uint32(p.account.gid)}
	}
	return cmd
}

func tail(out string) string {
	out = strings.TrimSpace(out)
	if len(out) > 1000 {
		out = "…" + out[len(out)-1000:]
	}
	return out
}
