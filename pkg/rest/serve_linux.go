package rest

import (
	"context"
	"net"
	"syscall"
)

// unsentMost is how many bytes a connection's buffer in the kernel takes before the network does. Without it the kernel
// holds megabytes for each client that reads nothing, and a client that reads slowly seems to take nothing for minutes.
const (
	unsentMost   = 128 << 10
	notSentLowAt = 25 // TCP_NOTSENT_LOWAT, which package syscall does not know
)

// unsentBounded bounds what a new connection holds in the kernel.
func unsentBounded(ctx context.Context, conn net.Conn) context.Context {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return ctx
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { // a kernel that cannot do it serves all the same
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, notSentLowAt, unsentMost)
		})
	}
	return ctx
}
