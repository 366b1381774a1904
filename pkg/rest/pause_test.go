package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
)

// A stream that waits tells its source and its client so, at each heartbeat.
func TestStreamsSayThatTheyWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const beats = 5
		ctx, cancel := context.WithTimeout(t.Context(), beats*Heartbeat+Heartbeat/2)
		defer cancel()
		told, never := 0, make(chan struct{})
		source := &Source{Changed: func() <-chan struct{} { told++; return never }}
		rec := httptest.NewRecorder()
		s := &Server{listeners: newListeners(1)}
		out := &stream{paced: &pacedWriter{rec, http.NewResponseController(rec), s}}
		if s.pause(ctx, &Call{e: &Endpoint{Spec: Spec{Source: source}}}, out, never) {
			t.Error("a stream without news went on after its end")
		}
		if told != beats || rec.Body.Len() != beats*len(comment) {
			t.Errorf("told the source %d times and the client %q in %d beats", told, rec.Body, beats)
		}
	})
}
