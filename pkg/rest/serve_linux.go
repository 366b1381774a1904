package rest

import (
	"context"
	"net"
	"syscall"
)

// unsentMost bounds the unsent bytes of a connection in the kernel. By default that buffers
// megabytes for a slow client, which then seems to read nothing for minutes.
const (
	unsentMost   = 128 << 10
	notSentLowAt = 25 // TCP_NOTSENT_LOWAT; package syscall lacks it
)

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
