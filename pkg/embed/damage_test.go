package embed_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/townline/townline/pkg/embed/natsd"
)

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// work publishes n messages to a work queue. If do is true, it also consumes n messages.
func work(t *testing.T, js jetstream.JetStream, n int, do bool) {
	t.Helper()
	stream, err := js.CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "WORK", Subjects: []string{"work"},
		Retention: jetstream.WorkQueuePolicy})
	if err != nil {
		t.Fatal(err)
	}
	workers, err := stream.CreateOrUpdateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "workers",
		AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := js.Publish(t.Context(), "work", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
		if !do {
			continue
		}
		m, err := workers.Next(jetstream.FetchMaxWait(2 * time.Minute))
		if err == nil {
			err = m.DoubleAck(t.Context())
		}
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
}

// If any file of the store is damaged, the next start has all messages, or logs the loss and starts
// with an empty store. It never accepts messages that it does not deliver.
func TestDamagedStoreIsSetAside(t *testing.T) {
	t.Parallel()
	pristine := t.TempDir()
	s, err := natsd.Start(natsd.Options{StoreDir: pristine})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := s.Connect()
	js := streams(t, conn, err)
	work(t, js, 50, true)
	work(t, js, 3, false)
	conn.Close()
	stopNATS(t, s)

	damages := map[string]func([]byte) []byte{
		"empty":  func([]byte) []byte { return nil },
		"halved": func(b []byte) []byte { return b[:len(b)/2] },
		"zeroed": func(b []byte) []byte { return make([]byte, len(b)) },
		"garbled": func(b []byte) []byte {
			for i := range b {
				b[i] ^= 0x5a
			}
			return b
		},
		"gone": nil,
	}
	var files []string
	err = filepath.WalkDir(filepath.Join(pristine, "store"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var rel string
			rel, err = filepath.Rel(pristine, path)
			files = append(files, rel)
		}
		return err
	})
	if err != nil || len(files) < 5 {
		t.Fatalf("the store has the files %v, %v", files, err)
	}
	all := strings.Join(files, " ")
	for _, part := range []string{"o.dat", ".blk", "meta.inf"} {
		if !strings.Contains(all, part) {
			t.Fatalf("no %s in %s", part, all)
		}
	}
	for _, file := range files {
		for damage, to := range damages {
			t.Run(file+" "+damage, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(pristine)); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, file)
				var err error
				if to == nil {
					err = os.Remove(path)
				} else {
					var b []byte
					b, err = os.ReadFile(path)
					if err == nil {
						err = os.WriteFile(path, to(b), 0o600)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				var lines lockedBuffer
				s, err := natsd.Start(natsd.Options{StoreDir: dir,
					Log: slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelWarn}))})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { stopNATS(t, s) })
				conn, err := s.Connect()
				js := streams(t, conn, err)
				stream, err := js.Stream(t.Context(), "WORK")
				waiting := uint64(0)
				if err == nil {
					waiting = stream.CachedInfo().State.Msgs
				}
				_, aside := os.Stat(filepath.Join(dir, "store.damaged"))
				if logged := strings.Contains(lines.String(), "set aside"); logged != (aside == nil) {
					t.Errorf("logged %v, renamed %v", logged, aside)
				}
				loss := fmt.Sprintf("ingest commands\" messages=%d", 3-waiting)
				if aside != nil && waiting != 3 && !strings.Contains(lines.String(), loss) {
					t.Errorf("%d of 3 messages remain, and the log does not report the loss: %s", waiting, lines.String())
				}
				work(t, js, 2+int(waiting), true) // consumes the waiting messages and two new ones
			})
		}
	}
}
