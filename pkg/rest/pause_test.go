package rest

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
)

// At each heartbeat, an idle stream sends a comment and calls its source.
func TestStreamsSendHeartbeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const beats = 5
		ctx, cancel := context.WithTimeout(t.Context(), beats*Heartbeat+Heartbeat/2)
		defer cancel()
		heartbeats, never := 0, make(chan struct{})
		e := &Endpoint{changed: func() <-chan struct{} { heartbeats++; return never }}
		rec := httptest.NewRecorder()
		c := &Call{s: &shared{}, e: e}
		if c.pause(ctx, newPacedWriter(rec, Heartbeat, nil), never) {
			t.Error("an idle stream continued after its end")
		}
		if want := beats * len(comment); heartbeats != beats || rec.Body.Len() != want || !rec.Flushed {
			t.Errorf("the source got %d heartbeats, the client %d bytes, want %d and %d", heartbeats, rec.Body.Len(), beats,
				want)
		}
	})
}
