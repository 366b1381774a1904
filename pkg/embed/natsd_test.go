package embed_test

import (
	"bufio"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/townline/townline/pkg/embed/internal/claim"
	"github.com/townline/townline/pkg/embed/natsd"
)

func startNATS(t *testing.T, dir string) *natsd.Server {
	t.Helper()
	s, err := natsd.Start(natsd.Options{StoreDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopNATS(t, s) })
	return s
}

func stopNATS(t *testing.T, s *natsd.Server) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

func streams(t *testing.T, conn *nats.Conn, err error) jetstream.JetStream {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func putWork(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "WORK",
		Subjects: []string{"work"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "work", []byte("kept")); err != nil {
		t.Fatal(err)
	}
}

func wantWork(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	stream, err := js.Stream(t.Context(), "WORK")
	if err != nil {
		t.Fatal(err)
	}
	m, err := stream.GetMsg(t.Context(), 1)
	if err != nil || string(m.Data) != "kept" {
		t.Fatalf("message after the restart: %v, %v", m, err)
	}
}

func TestWorkOutlivesAStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startNATS(t, dir)
	conn, err := s.Connect()
	js := streams(t, conn, err)
	putWork(t, js)
	stopNATS(t, s)
	if url, ok := natsd.Find(dir); ok {
		t.Errorf("Find after Stop = %q", url)
	}
	conn, err = startNATS(t, dir).Connect()
	wantWork(t, streams(t, conn, err))
}

func TestOtherProcessesFindTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startNATS(t, dir)
	if _, err := natsd.Start(natsd.Options{StoreDir: dir}); !errors.Is(err, claim.ErrTaken) {
		t.Fatalf("second Start: %v, want ErrInUse", err)
	}
	url, ok := natsd.Find(dir)
	if !ok || url != s.URL() {
		t.Fatalf("Find = %q, %v", url, ok)
	}
	conn, err := nats.Connect(url)
	putWork(t, streams(t, conn, err))
	own, err := s.Connect()
	wantWork(t, streams(t, own, err))
	if info, err := os.Stat(filepath.Join(dir, "url")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file with the token: %v, %v; want mode 0600", info, err)
	}
}

func TestStoreIsBounded(t *testing.T) {
	t.Parallel()
	conn, err := startNATS(t, t.TempDir()).Connect()
	js := streams(t, conn, err)
	for size, fits := range map[int64]bool{1 << 29: true, 2 << 30: false} {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "BIG", MaxBytes: size})
		if fits != (err == nil) {
			t.Errorf("stream of %d bytes: %v", size, err)
		}
		if fits {
			if err := js.DeleteStream(t.Context(), "BIG"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTokenIsNeeded(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(startNATS(t, t.TempDir()).URL())
	if err != nil {
		t.Fatal(err)
	}
	if u.Hostname() != "127.0.0.1" || len(u.User.Username()) < 20 {
		t.Fatalf("URL %s", u)
	}
	for _, who := range []*url.Userinfo{nil, url.User("guess")} {
		u.User = who
		if _, err := nats.Connect(u.String()); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("connect as %v: %v, want an authorization error", who, err)
		}
	}
}

func TestWorkOutlivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), natsOwner+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(strings.TrimSpace(line))
	putWork(t, streams(t, conn, err))
	conn.Close()
	kill()
	if url, ok := natsd.Find(dir); ok {
		t.Errorf("Find = %q after the process was killed", url)
	}
	began := time.Now()
	s := startNATS(t, dir)
	t.Logf("restarted after %s", time.Since(began))
	conn, err = s.Connect()
	wantWork(t, streams(t, conn, err))
}
