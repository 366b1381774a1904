package embed_test

import (
	"bufio"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/sample"
)

// owner starts a process with a server. The channel yields the server's URL. If the process ends
// before that, the channel is closed.
func owner(t *testing.T, dir string) (*exec.Cmd, <-chan string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), postgresOwner+"="+dir)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	ready := make(chan string, 1)
	go func() {
		defer close(ready)
		if line, err := bufio.NewReader(out).ReadString('\n'); err == nil {
			ready <- strings.TrimSpace(line)
		}
	}()
	return cmd, ready
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// dataDir returns a folder that every user can enter. Only we can enter the folders of t.TempDir.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgd") //nolint:usetesting // see above
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "postgres")
}

// start runs a server until the end of the test and connects to it.
func start(t *testing.T, dir string) (*pgd.Server, *pgx.Conn) {
	t.Helper()
	return startAs(t, quick(dir))
}

// quick returns options for a durable cluster that does not wait for the disk. That is enough here,
// because the tests kill processes but not the machine.
func quick(dir string) pgd.Options {
	return pgd.Options{DataDir: dir, Settings: map[string]string{"fsync": "off"}}
}

func startAs(t *testing.T, o pgd.Options) (*pgd.Server, *pgx.Conn) {
	t.Helper()
	o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	s, err := pgd.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s, connect(t, s.URL())
}

func stop(t *testing.T, s *pgd.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func put(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	if _, err := conn.Exec(t.Context(),
		"DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 'whole'::text AS word"); err != nil {
		t.Fatal(err)
	}
}

func wantKept(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	var word string
	if err := conn.QueryRow(t.Context(), "SELECT word FROM kept").Scan(&word); err != nil || word != "whole" {
		t.Fatalf("after the restart: %q, %v", word, err)
	}
}

// clusterOf asks the server for the folder of its cluster.
func clusterOf(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	var dir string
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('data_directory')").Scan(&dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func serverPID(t *testing.T, cluster string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(cluster, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func killServer(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	if err := syscall.Kill(serverPID(t, clusterOf(t, conn)), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick, late := time.Tick(10*time.Millisecond), time.After(2*time.Minute)
	for !done() {
		select {
		case <-tick:
		case <-late:
			t.Fatalf("%s: not within two minutes", what)
		}
	}
}

// The second program waits until the first has started its server, even if the path of the data
// folder is too long for a socket.
func TestFindOrStartAtTheSameTime(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(dataDir(t), strings.Repeat("a-long-name/", 12), "postgres")
	_, ready := owner(t, dir)
	s, err := pgd.FindOrStart(t.Context(), quick(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	conn := connect(t, s.URL())
	if url, ok := <-ready; ok && url != s.URL() {
		t.Fatalf("two servers run: %s and %s", url, s.URL())
	}
	var socket string
	if err := conn.QueryRow(t.Context(), "SHOW unix_socket_directories").Scan(&socket); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(socket) })
}

// If the owner is killed at any moment of its first start, the next start succeeds.
func TestKilledWhileStarting(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	steps := 2 // steps double
	if sample.Everything() {
		steps = 1
	}
	for after := time.Millisecond; after < 1500*time.Millisecond; after <<= steps {
		cmd, ready := owner(t, dir)
		select {
		case <-time.After(after):
		case <-ready:
		}
		kill(cmd)
	}
	_, conn := start(t, dir)
	put(t, conn)
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(clusterOf(t, conn)), "new-*")); len(left) > 0 {
		t.Errorf("unfinished folders remain: %v", left)
	}
}

// If root runs the test, the server runs as another user, who cannot enter folders such as /root.
func TestFolderClosedToOthers(t *testing.T) {
	t.Parallel()
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(closed, "postgres")
	o := pgd.Options{DataDir: dir, Disposable: true}
	s, conn := startAs(t, o)
	put(t, conn)
	home := filepath.Dir(clusterOf(t, conn))
	if os.Geteuid() != 0 && home != dir {
		t.Errorf("the cluster is in %s, want the data folder", home)
	}
	stop(t, s)
	s, conn = startAs(t, o)
	wantKept(t, conn)
	stop(t, s)

	// An empty data folder means new data.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s, conn = startAs(t, o)
	put(t, conn)
	stop(t, s)
	if home != dir {
		t.Cleanup(func() { os.RemoveAll(home); os.RemoveAll(home + ".old") })
	}
}

func TestDisposableClusterIsReplacedAfterACrash(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	o := pgd.Options{DataDir: dir, Disposable: true}
	for _, killed := range []bool{false, true, false} {
		s, err := pgd.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		conn := connect(t, s.URL())
		var there bool
		if err := conn.QueryRow(t.Context(), "SELECT to_regclass('kept') IS NOT NULL").Scan(&there); err != nil {
			t.Fatal(err)
		}
		if killed != there { // a killed run exists only after a clean stop
			t.Fatalf("the data exists: %v", there)
		}
		if !there {
			put(t, conn)
		}
		if killed {
			killServer(t, conn)
			<-s.Exited()
		}
		stop(t, s)
	}
}

func TestUnknownSource(t *testing.T) {
	t.Setenv("TOWNLINE_PG", "elsewhere")
	_, err := pgd.Start(t.Context(), pgd.Options{DataDir: dataDir(t)})
	if err == nil || !strings.Contains(err.Error(), `TOWNLINE_PG="elsewhere"`) {
		t.Fatal(err)
	}
}

// If no server is available, the error suggests a command that installs one.
func TestAdvice(t *testing.T) {
	t.Setenv("TOWNLINE_PG", "npm")
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := pgd.Start(t.Context(), pgd.Options{DataDir: dataDir(t)})
	if err == nil {
		t.Fatal("started without any programs")
	}
	for _, words := range []string{"npm", "install postgresql", "DATABASE_URL"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q lacks %q", err, words)
		}
	}
}
