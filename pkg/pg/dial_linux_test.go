package pg

import (
	"net"
	"syscall"
	"testing"
)

// A connection to a lost network fails within a minute, even during a query.
func TestUnansweredBytesEndAConnection(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	conn, err := dialer().DialContext(t.Context(), "tcp", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for name, option := range map[string]struct{ at, want int }{
		"TCP_USER_TIMEOUT": {tcpUserTimeout, 60_000}, "TCP_KEEPIDLE": {syscall.TCP_KEEPIDLE, 30},
		"TCP_KEEPINTVL": {syscall.TCP_KEEPINTVL, 10}, "TCP_KEEPCNT": {syscall.TCP_KEEPCNT, 3},
	} {
		got := 0
		if controlErr := raw.Control(func(fd uintptr) {
			got, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option.at)
		}); controlErr != nil || err != nil || got != option.want {
			t.Errorf("%s is %d, want %d: %v, %v", name, got, option.want, controlErr, err)
		}
	}
}
