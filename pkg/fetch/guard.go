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

// ErrPrivate is wrapped by the error for an address that only Config.AllowPrivate allows.
var ErrPrivate = errors.New("address is private")

// special lists networks outside of the public internet, or that wrap addresses of such networks,
// if netip has no method for them: the IANA registries of special-purpose addresses (RFC 6890), and
// networks that older documents reserve.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),         // this network, RFC 791
	netip.MustParsePrefix("100.64.0.0/10"),     // carrier-grade NAT, RFC 6598
	netip.MustParsePrefix("192.0.0.0/24"),      // protocol assignments, RFC 6890
	netip.MustParsePrefix("192.0.2.0/24"),      // documentation, RFC 5737
	netip.MustParsePrefix("192.31.196.0/24"),   // AS112, RFC 7535
	netip.MustParsePrefix("192.52.193.0/24"),   // AMT relays, RFC 7450
	netip.MustParsePrefix("192.88.99.0/24"),    // 6to4 relays, RFC 7526
	netip.MustParsePrefix("192.175.48.0/24"),   // AS112, RFC 7534
	netip.MustParsePrefix("198.18.0.0/15"),     // benchmarks, RFC 2544
	netip.MustParsePrefix("198.51.100.0/24"),   // documentation
	netip.MustParsePrefix("203.0.113.0/24"),    // documentation
	netip.MustParsePrefix("240.0.0.0/4"),       // reserved, and broadcast
	netip.MustParsePrefix("::/96"),             // unspecified, loopback, and IPv4-compatible, RFC 4291
	netip.MustParsePrefix("::ffff:0:0:0/96"),   // IPv4-translated, RFC 2765
	netip.MustParsePrefix("64:ff9b::/96"),      // NAT64: contains any IPv4 address, RFC 6052
	netip.MustParsePrefix("64:ff9b:1::/48"),    // NAT64 with a local prefix, RFC 8215
	netip.MustParsePrefix("100::/64"),          // discard, RFC 6666
	netip.MustParsePrefix("100:0:0:1::/64"),    // dummy, RFC 9780
	netip.MustParsePrefix("2001::/23"),         // protocol assignments: Teredo 2001::/32, benchmarks, ORCHID, …, RFC 2928
	netip.MustParsePrefix("2001:db8::/32"),     // documentation, RFC 3849
	netip.MustParsePrefix("2002::/16"),         // 6to4: contains any IPv4 address, RFC 3056
	netip.MustParsePrefix("2620:4f:8000::/48"), // AS112, RFC 7534
	netip.MustParsePrefix("3fff::/20"),         // documentation, RFC 9637
	netip.MustParsePrefix("5f00::/16"),         // segment routing, RFC 9602
	netip.MustParsePrefix("fec0::/10"),         // site-local, RFC 3879
}

func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("") // prefixes never contain an address with a zone
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return ip.IsGlobalUnicast() && !ip.IsPrivate() // not loopback, link-local or multicast
}

// refusePrivate checks the address of the actual connection. So names, redirects and later DNS
// answers cannot avoid the check.
func refusePrivate(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: cannot read it", ErrPrivate)
	}
	return checkPublic(ap.Addr())
}

func checkPublic(ip netip.Addr) error {
	if !public(ip) {
		return fmt.Errorf("%w: %s (TOWNLINE_ALLOW_PRIVATE=true allows it)", ErrPrivate, ip)
	}
	return nil
}

// ParseRetryAfter reads a Retry-After header: seconds or an HTTP date (RFC 9110, 10.2.3).
func ParseRetryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		return max(0, min(time.Duration(n)*time.Second, 24*time.Hour))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, min(at.Sub(now), 24*time.Hour))
	}
	return 0
}

// clean removes user, query and fragment from a URL, because they may contain keys.
func clean(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the configured URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// unwrapURL removes the URL, which may contain a key, from an error of net/http.
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
