package rest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/townline/townline/pkg/run"
)

// sendBuffer bounds the bytes of a connection that the kernel keeps. By default it keeps megabytes
// for a slow client, so the client seems to read nothing for minutes.
const sendBuffer = 128 << 10

func boundBuffer(ctx context.Context, conn net.Conn) context.Context {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // serve even if the kernel refuses
	}
	return ctx
}

// drainFor is the time that open requests may take to end after a stop.
const drainFor = 15 * time.Second

// Serve answers on a listener until ctx ends. Then it continues for Config.Linger and asks each
// client to reconnect. At last it lets open requests end and closes the listener.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,       // requests have no body
		WriteTimeout:      s.cfg.Timeout + s.pace, // for small answers; send sets a deadline for each part of a large answer
		ConnContext:       boundBuffer,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	srv.RegisterOnShutdown(sync.OnceFunc(func() { close(s.ended) }))
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		s.stopping.Store(true)
		time.AfterFunc(s.cfg.Linger, stop)
	})()
	return run.Serve(serving, srv, ln, drainFor)
}
