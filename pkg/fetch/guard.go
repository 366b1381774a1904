package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrPrivate is wrapped by the error for an address that Config.AllowPrivate would allow.
var ErrPrivate = errors.New("address is private")

// Networks that are not the public internet and that net/netip has no method for:
// "this network", carrier-grade NAT, protocol assignments, benchmarking,
// documentation, reserved; NAT64 and 6to4, which wrap any IPv4 address.
// RFC 6890 and its registry.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
}

// public tells whether an address is on the public internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// refusePrivate stands between the resolver and the network: it sees the address
// that will really be connected to, so no name, redirect or second answer of a
// name server gets around it.
func refusePrivate(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: cannot read it", ErrPrivate)
	}
	if !public(ap.Addr()) {
		return fmt.Errorf("%w: %s (TOWNLINE_ALLOW_PRIVATE=true allows it)", ErrPrivate, ap.Addr())
	}
	return nil
}

// retryAfter reads a Retry-After header: seconds or an HTTP date (RFC 9110, 10.2.3).
func retryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		return max(0, min(time.Duration(n)*time.Second, 24*time.Hour))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, min(at.Sub(now), 24*time.Hour))
	}
	return 0
}

// clean is a URL fit for an error: without user, query and fragment, where keys hide.
func clean(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the configured URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// unwrapURL takes the URL out of net/http's error: it may hold a key.
func unwrapURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		if wrapped.Timeout() {
			return fmt.Errorf("no answer in time: %w", wrapped.Err)
		}
		return wrapped.Err
	}
	return err
}
