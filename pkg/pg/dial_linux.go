package pg

import (
	"strings"
	"syscall"
)

// tcpUserTimeout is TCP_USER_TIMEOUT; package syscall lacks it.
const tcpUserTimeout = 18

// giveUpUnanswered bounds how long sent bytes may stay unacknowledged. Keep-alives do not do that.
func giveUpUnanswered(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	return conn.Control(func(fd uintptr) { // connect even if the kernel does not support it
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(unansweredFor.Milliseconds()))
	})
}
