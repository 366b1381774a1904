package embed_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/townline/townline/pkg/embed/pgd"
)

// TestOneCluster runs all tests on one cluster, because a cluster for each test takes ten times as
// long.
func TestOneCluster(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, string)
	}{
		{"server is complete", testServerIsComplete},
		{"one server per folder", testOneServerPerFolder},
		{"data outlives a stop", testDataOutlivesAStop},
		{"killed owner takes its server along", testKilledOwnerTakesItsServerAlong},
		{"killed owner and server", testKilledOwnerAndServer},
		{"process id taken over", testProcessIDTakenOver},
		{"copy leaves the original alone", testCopyLeavesTheOriginalAlone},
		{"server log says why it did not start", testServerLogSaysWhyItDidNotStart},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, dir) })
	}
}

// The server has everything that the schema requires, whatever the source of its programs is.
func testServerIsComplete(t *testing.T, dir string) {
	_, conn := startAs(t, pgd.Options{DataDir: dir})
	for _, test := range []struct{ query, want string }{
		{"SHOW server_encoding", "UTF8"},
		{"SHOW listen_addresses", ""},
		{"SHOW unix_socket_permissions", "0700"},
		{"SHOW fsync", "on"},
		{"SHOW wal_level", "minimal"},
		{"SHOW timezone", "UTC"},
		{"SELECT lower('ÉÇ')", "éç"},
		{"SELECT string_agg(w, '' ORDER BY w) FROM unnest('{b,a,B,é}'::text[]) w", "Babé"},
		{"CREATE EXTENSION pg_trgm; SELECT show_trgm('bus')::text", `{"  b"," bu",bus,"us "}`},
		{"CREATE EXTENSION unaccent; SELECT unaccent('Zoé')", "Zoe"},
		{"SELECT to_tsvector('english', 'the voted motions')::text", "'motion':3 'vote':2"},
	} {
		rows, err := conn.PgConn().Exec(t.Context(), test.query).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		if got := string(rows[len(rows)-1].Rows[0][0]); got != test.want {
			t.Errorf("%s = %q, want %q", test.query, got, test.want)
		}
	}
}

func testOneServerPerFolder(t *testing.T, dir string) {
	s, conn := start(t, dir)
	_, err := pgd.Start(t.Context(), pgd.Options{DataDir: dir})
	if !errors.Is(err, pgd.ErrInUse) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Fatalf("second Start: %v; want ErrInUse with the owner's process id", err)
	}
	found, err := pgd.FindOrStart(t.Context(), quick(dir))
	if err != nil || found.URL() != s.URL() {
		t.Fatalf("FindOrStart = %v, %v", found, err)
	}
	stop(t, found)
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatalf("Stop of another process's server: %v", err)
	}
}

func testDataOutlivesAStop(t *testing.T, dir string) {
	s, conn := start(t, dir)
	put(t, conn)
	pid := serverPID(t, clusterOf(t, conn))
	if url, ok := pgd.Find(t.Context(), dir); !ok || url != s.URL() {
		t.Fatalf("Find = %q, %v", url, ok)
	}
	stop(t, s)
	select {
	case <-s.Exited():
	default:
		t.Error("Stop returned before the server had ended")
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d after Stop: %v", pid, err)
	}
	if url, ok := pgd.Find(t.Context(), dir); ok {
		t.Errorf("Find after Stop = %q", url)
	}
	_, conn = start(t, dir)
	wantKept(t, conn)
}

func testKilledOwnerTakesItsServerAlong(t *testing.T, dir string) {
	cmd, ready := owner(t, dir)
	conn := connect(t, <-ready)
	put(t, conn)
	pid := serverPID(t, clusterOf(t, conn))
	kill(cmd)
	if url, ok := pgd.Find(t.Context(), dir); ok {
		t.Errorf("Find = %q after the owner was killed", url)
	}
	await(t, "the end of the server", func() bool { return syscall.Kill(pid, 0) != nil })
	_, conn = start(t, dir)
	wantKept(t, conn)
}

func testKilledOwnerAndServer(t *testing.T, dir string) {
	cmd, ready := owner(t, dir)
	conn := connect(t, <-ready)
	put(t, conn)
	killServer(t, conn)
	kill(cmd)
	_, conn = start(t, dir) // starts at once: sessions of the killed server may still exist
	wantKept(t, conn)
}

// After a crash, another process may get the process id of the killed server.
func testProcessIDTakenOver(t *testing.T, dir string) {
	cmd, ready := owner(t, dir)
	conn := connect(t, <-ready)
	put(t, conn)
	cluster := clusterOf(t, conn)
	file := filepath.Join(cluster, "postmaster.pid")
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(cluster)
	if err != nil {
		t.Fatal(err)
	}
	kill(cmd)
	await(t, "the end of the server", func() bool {
		_, err := os.Stat(file)
		return errors.Is(err, os.ErrNotExist)
	})
	stranger := exec.Command("sleep", "600")
	if os.Geteuid() == 0 { // Postgres only checks processes of its own user
		st := info.Sys().(*syscall.Stat_t)
		stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: st.Uid, Gid: st.Gid}}
	}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(stranger) })
	_, rest, _ := strings.Cut(string(was), "\n")
	if err := os.WriteFile(file, []byte(strconv.Itoa(stranger.Process.Pid)+"\n"+rest), 0o644); err != nil {
		t.Fatal(err)
	}
	_, conn = start(t, dir)
	wantKept(t, conn)
	if err := syscall.Kill(stranger.Process.Pid, 0); err != nil {
		t.Errorf("the unrelated process was stopped: %v", err)
	}
}

// The lock file in a copy of a data folder refers to the original's server, which must not be
// stopped.
func testCopyLeavesTheOriginalAlone(t *testing.T, dir string) {
	original, conn := start(t, dir)
	put(t, conn)
	if _, err := conn.Exec(t.Context(), "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	copied := dataDir(t)
	if out, err := exec.Command("cp", "-a", dir, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, other := start(t, copied)
	wantKept(t, other)
	select {
	case <-original.Exited():
		t.Fatal("the original's server was stopped")
	default:
	}
	if _, err := other.Exec(t.Context(), "DROP TABLE kept"); err != nil {
		t.Fatal(err)
	}
	wantKept(t, conn)
}

func testServerLogSaysWhyItDidNotStart(t *testing.T, dir string) {
	_, err := pgd.Start(t.Context(), pgd.Options{DataDir: dir, Settings: map[string]string{"shared_buffers": "many"}})
	if err == nil || !strings.Contains(err.Error(), `"shared_buffers"`) {
		t.Fatal(err)
	}
}
