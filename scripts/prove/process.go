package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A spawner starts processes on one thread that lives as long as the program. On Linux the kernel
// stops these processes when the thread ends, even if the program is killed.
type spawner struct{ start chan func() }

func newSpawner() *spawner {
	s := &spawner{start: make(chan func())}
	go func() {
		runtime.LockOSThread()
		for fn := range s.start {
			fn()
		}
	}()
	return s
}

func (s *spawner) run(cmd *exec.Cmd) error {
	tie(cmd)
	err := make(chan error)
	s.start <- func() { err <- cmd.Start() }
	return <-err
}

// A process is one replica of a service, across all its restarts.
type process struct {
	p      *proof
	name   string // such as "transit-api 2"
	binary string
	args   []string
	env    []string
	admin  string // address of /readyz
	target target // address of the API; empty for other services
	log    string // path of the log

	cmd    *exec.Cmd
	exited chan struct{}
}

// service returns the name without the number.
func (s *process) service() string { name, _, _ := strings.Cut(s.name, " "); return name }

func freePort() (string, error) {
	ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}

// newProcess prepares replica n of a service from the binaries in bin.
func (p *proof) newProcess(bin, service string, n int, env map[string]string) (*process, error) {
	s := &process{p: p, name: service + " " + strconv.Itoa(n), binary: filepath.Join(bin, service)}
	var err error
	s.admin, err = freePort()
	if err != nil {
		return nil, err
	}
	s.log = filepath.Join(p.folder, fmt.Sprintf("%s-%d-%s.log", service, n, filepath.Base(bin)))
	s.env = []string{"ADMIN_ADDR=" + s.admin, "PATH=" + os.Getenv("PATH"), "DRAIN_DELAY=1s", "LOG_LEVEL=info"}
	if half, api := strings.CutSuffix(service, "-api"); api {
		s.target.name, s.target.client = s.name, newClient(nil)
		s.target.address, err = freePort()
		if err != nil {
			return nil, err
		}
		s.env = append(s.env, strings.ToUpper(half)+"_ADDR="+s.target.address)
	}
	for k, v := range env {
		s.env = append(s.env, k+"="+v)
	}
	p.closes = append(p.closes, func() { s.end(syscall.SIGKILL) })
	return s, nil
}

func (s *process) start() error {
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = exec.CommandContext(context.Background(), s.binary, s.args...) // only its signals end it
	s.cmd.Env, s.cmd.Stdout = s.env, log
	s.cmd.Stderr = log
	if err := s.p.spawn.run(s.cmd); err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	s.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait() // cmd.ProcessState has the result
		close(exited)
	}(s.cmd, s.exited)
	return nil
}

// end sends a signal, and kills the process if it does not end.
func (s *process) end(sig os.Signal) {
	if s.cmd == nil {
		return
	}
	select {
	case <-s.exited:
		return
	default:
	}
	_ = s.cmd.Process.Signal(sig) // it may have ended already
	select {
	case <-s.exited:
	case <-time.After(25 * time.Second):
		s.p.violated("%s does not stop; the end of its log: %s", s.name, s.tail())
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
}

// stop ends the process as a rolling restart does. It must exit with 0.
func (s *process) stop() {
	s.end(syscall.SIGTERM)
	if !s.cmd.ProcessState.Success() {
		s.p.violated("%s ended with %s after SIGTERM: %s", s.name, s.cmd.ProcessState, s.tail())
	}
}

func (s *process) kill() {
	s.target.dying.Store(true)
	s.end(syscall.SIGKILL)
}

func (s *process) tail() string {
	b, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-1500):])
}

// ready requests /readyz, and returns its body.
func (s *process) ready(ctx context.Context) (bool, string) { return s.probe(ctx, "/readyz") }

func (s *process) probe(ctx context.Context, path string) (bool, string) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.admin+path, nil)
	if err != nil {
		return false, err.Error()
	}
	res, err := probes.Do(req)
	if err != nil {
		return false, err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	return err == nil && res.StatusCode == http.StatusOK, string(body)
}

// newClient returns a client that keeps connections and does not decompress. If dial is nil, it
// uses the network of this process.
func newClient(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	return &http.Client{Timeout: 20 * time.Second,
		Transport: &http.Transport{DialContext: dial, DisableCompression: true, MaxIdleConnsPerHost: 16,
			IdleConnTimeout: 30 * time.Second}}
}

func newConnections(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	return &http.Client{Timeout: 20 * time.Second,
		Transport: &http.Transport{DialContext: dial, DisableCompression: true, DisableKeepAlives: true}}
}

var probes = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (s *process) awaitReady(ctx context.Context) error {
	said := ""
	err := until(ctx, 60*time.Second, s.name+" ready", func(ctx context.Context) (bool, error) {
		select {
		case <-s.exited:
			return false, fmt.Errorf("%s ended: %s", s.name, s.tail())
		default:
		}
		ok, body := s.ready(ctx)
		said = body
		return ok, nil
	})
	if err != nil {
		return fmt.Errorf("%w; /readyz: %s", err, said)
	}
	s.target.dying.Store(false)
	return nil
}

func (s *process) startReady(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	if err := s.start(); err != nil {
		return 0, err
	}
	err := s.awaitReady(ctx)
	return time.Since(began), err
}

// resident returns the resident memory in bytes; 0 if the system does not report it.
func (s *process) resident() int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64) // the kernel writes this format
			return kb << 10
		}
	}
	return 0
}

func report(body string) map[string]string {
	var r struct{ Checks map[string]string }
	if json.Unmarshal([]byte(body), &r) != nil {
		return nil
	}
	return r.Checks
}
