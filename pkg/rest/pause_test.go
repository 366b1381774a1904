package rest

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A stream that waits says so to its source and its client, at each heartbeat.
func TestStreamsSendHeartbeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const beats = 5
		ctx, cancel := context.WithTimeout(t.Context(), beats*Heartbeat+Heartbeat/2)
		defer cancel()
		heartbeats, never := 0, make(chan struct{})
		source := &Source{Changed: func() <-chan struct{} { heartbeats++; return never }}
		server, client := net.Pipe()
		var received atomic.Int64
		go func() {
			n, _ := io.Copy(io.Discard, client) // until the server's end is closed
			received.Store(n)
		}()
		s := &Server{listeners: newListeners(1), cfg: Config{Pace: Heartbeat}}
		out := &eventStream{conn: server, ctx: ctx, paced: &pacedWriter{server, server.SetWriteDeadline, s}}
		if s.pause(&Call{e: &Endpoint{Spec: Spec{Source: source}}}, out, never) {
			t.Error("a stream without news went on after its end")
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if want := int64(beats * len(comment)); heartbeats != beats || received.Load() != want {
			t.Errorf("the source heard %d times in %d beats, the client %d bytes instead of %d", heartbeats, beats, received.Load(), want)
		}
	})
}
