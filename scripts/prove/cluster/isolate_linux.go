package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// inside is the environment variable that marks the process in the namespaces.
const inside = "PROVE_CLUSTER_FOLDER"

// Isolate runs the program again in new namespaces, with a folder for its files, and cleans up
// afterwards. In the new process it returns the folder at once. In the first process it returns the
// exit status and the leftovers on the machine.
func Isolate(ctx context.Context) (folder string, status int, left []string, err error) {
	folder = os.Getenv(inside)
	if folder != "" {
		return folder, 0, nil, private()
	}
	before := traces("")
	folder, err = os.MkdirTemp("", "prove-cluster")
	if err != nil {
		return "", 1, nil, err
	}
	cmd := exec.CommandContext(ctx, "/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), inside+"="+folder)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	const own = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: own, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // if this thread ended, the child would end, too
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		status, err = max(exit.ExitCode(), 1), nil
	}
	removeCgroups(folder)
	err = errors.Join(err, os.RemoveAll(folder))
	for _, trace := range traces(folder) {
		if !slices.Contains(before, trace) {
			left = append(left, trace)
		}
	}
	return "", status, left, err
}

// private hides mounts, node files at fixed paths and kernel settings from the machine.
func private() error {
	mounts := []struct {
		source, target, kind string
		flags                uintptr
	}{
		{"", "/", "", syscall.MS_REC | syscall.MS_PRIVATE},
		{"proc", "/proc", "proc", 0},
		{"tmpfs", "/run", "tmpfs", 0},
		{"tmpfs", "/var/log", "tmpfs", 0},
		{"tmpfs", "/var/lib", "tmpfs", 0},
	}
	for _, m := range mounts {
		if err := syscall.Mount(m.source, m.target, m.kind, m.flags, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.target, err)
		}
	}
	for name, value := range settings {
		own := "/run/" + strings.ReplaceAll(name, "/", "-")
		if err := os.WriteFile(own, []byte(value), 0o600); err != nil {
			return err
		}
		if err := syscall.Mount(own, "/proc/sys/"+name, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("protect the machine's %s: %w", name, err)
		}
	}
	return nil
}

// settings are kernel settings that a kubelet would otherwise set for the whole machine.
var settings = map[string]string{
	"vm/overcommit_memory": "1", "vm/panic_on_oom": "0", "kernel/panic": "10", "kernel/panic_on_oops": "1",
	"kernel/keys/root_maxkeys": "1000000", "kernel/keys/root_maxbytes": "25000000",
}

// cgroup is the name of the parent of all cgroups of a run.
func cgroup(folder string) string { return filepath.Base(folder) }

func removeCgroups(folder string) {
	roots, _ := filepath.Glob("/sys/fs/cgroup/*/" + cgroup(folder)) // the pattern is well formed
	for _, root := range roots {
		var all []string
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				all = append(all, path)
			}
			return nil
		})
		for _, path := range slices.Backward(all) {
			_ = syscall.Rmdir(path) // traces reports groups that remain
		}
	}
}

// traces lists possible leftovers of a run on the machine: processes, cgroups, mounts, links,
// routes, rules.
func traces(folder string) []string {
	var all []string
	if folder != "" {
		processes, _ := filepath.Glob("/proc/[0-9]*/cgroup")
		for _, path := range processes {
			groups, err := os.ReadFile(path)
			line, lineErr := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			if err == nil && lineErr == nil && strings.Contains(string(groups)+string(line), filepath.Base(folder)) {
				all = append(all, "process "+strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
	}
	groups, _ := filepath.Glob("/sys/fs/cgroup/*/prove-cluster*")
	for _, g := range groups {
		all = append(all, "cgroup "+g)
	}
	if mounts, err := os.ReadFile("/proc/self/mounts"); err == nil {
		for line := range strings.Lines(string(mounts)) {
			all = append(all, "mount "+line)
		}
	}
	network := []string{"net/ipv4/ip_forward", "net/ipv4/conf/all/route_localnet"}
	for _, name := range append(network, slices.Sorted(maps.Keys(settings))...) {
		value, _ := os.ReadFile("/proc/sys/" + name)
		all = append(all, "setting "+name+" "+string(value))
	}
	look := "ip -br link; ip -br addr; ip route; ip netns; nft list ruleset"
	out, _ := exec.CommandContext(context.Background(), "sh", "-c", look).Output()
	for line := range strings.Lines(string(out)) {
		all = append(all, "network "+line)
	}
	return all
}
