package pg

import (
	"strings"
	"syscall"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not know.
const tcpUserTimeout = 18

// giveUpUnanswered bounds how long bytes that were sent may stay without an acknowledgement.
// Keep-alives do not look after those.
func giveUpUnanswered(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	return conn.Control(func(fd uintptr) { // connect anyway if the kernel does not support it
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(unansweredFor.Milliseconds()))
	})
}
