package rest

import (
	"context"
	"net"
	"syscall"
)

// unsentMost bounds the unsent bytes of a connection in the kernel. By default the kernel buffers
// megabytes for a slow client, so the client seems to read nothing for minutes.
const (
	unsentMost   = 128 << 10
	notSentLowAt = 25 // TCP_NOTSENT_LOWAT, which package syscall lacks
)

func unsentBounded(ctx context.Context, conn net.Conn) context.Context {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return ctx
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { // serve even if the kernel lacks the option
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, notSentLowAt, unsentMost)
		})
	}
	return ctx
}
