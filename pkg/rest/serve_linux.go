package rest

import (
	"context"
	"net"
	"syscall"
)

// unsentMost bounds the unsent bytes of a connection in the kernel. Without it the kernel holds
// megabytes for each client that does not read, and a slow client seems to read nothing for
// minutes.
const (
	unsentMost   = 128 << 10
	notSentLowAt = 25 // TCP_NOTSENT_LOWAT, which package syscall does not know
)

// unsentBounded bounds the unsent bytes of new connections.
func unsentBounded(ctx context.Context, conn net.Conn) context.Context {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return ctx
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { // serve anyway if the kernel does not support it
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, notSentLowAt, unsentMost)
		})
	}
	return ctx
}
