package fetch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
)

// The cases have each special-purpose range of the IANA registries, with its first and last
// address.
func TestSpecialAddressesAreNotPublic(t *testing.T) {
	t.Parallel()
	for name, all := range map[string][]string{
		"this network":           {"0.0.0.0", "0.255.255.255"},
		"private 10/8":           {"10.0.0.0", "10.255.255.255"},
		"carrier-grade NAT":      {"100.64.0.0", "100.127.255.255"},
		"loopback":               {"127.0.0.1", "127.255.255.255"},
		"link-local":             {"169.254.0.0", "169.254.169.254", "169.254.255.255"},
		"private 172.16/12":      {"172.16.0.0", "172.31.255.255"},
		"protocol assignments":   {"192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.255"},
		"documentation 1":        {"192.0.2.0", "192.0.2.255"},
		"AS112":                  {"192.31.196.0", "192.31.196.255", "192.175.48.0", "192.175.48.255"},
		"AMT":                    {"192.52.193.0", "192.52.193.255"},
		"6to4 relays":            {"192.88.99.0", "192.88.99.1", "192.88.99.255"},
		"private 192.168/16":     {"192.168.0.0", "192.168.255.255"},
		"benchmarks":             {"198.18.0.0", "198.19.255.255"},
		"documentation 2":        {"198.51.100.0", "198.51.100.255"},
		"documentation 3":        {"203.0.113.0", "203.0.113.255"},
		"multicast":              {"224.0.0.1", "239.255.255.255"},
		"reserved":               {"240.0.0.0", "255.255.255.254"},
		"broadcast":              {"255.255.255.255"},
		"unspecified":            {"::"},
		"loopback 6":             {"::1"},
		"IPv4-compatible":        {"::a00:1", "::7f00:1", "::ffff:ffff"},
		"IPv4-mapped":            {"::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:192.168.0.1"},
		"IPv4-translated":        {"::ffff:0:10.0.0.1", "::ffff:0:7f00:1"},
		"NAT64":                  {"64:ff9b::", "64:ff9b::10.0.0.1", "64:ff9b::ffff:ffff"},
		"NAT64 of one's own":     {"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"},
		"discard":                {"100::", "100::ffff:ffff:ffff:ffff"},
		"dummy":                  {"100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"},
		"protocol assignments 6": {"2001:1::1", "2001:3::1", "2001:4:112::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"},
		"Teredo":                 {"2001::", "2001::1", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"},
		"benchmarks 6":           {"2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"},
		"ORCHID": {"2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", "2001:20::",
			"2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"},
		"drone identifiers": {"2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"},
		"documentation 6": {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::",
			"3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"},
		"6to4":            {"2002::", "2002:a00:1::", "2002:7f00:1::1", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		"AS112 6":         {"2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"},
		"segment routing": {"5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		"private 6":       {"fc00::", "fd12:3456::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		"link-local 6":    {"fe80::", "fe80::1%eth0", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		"site-local":      {"fec0::", "fec0::1%eth0", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
		"multicast 6":     {"ff00::", "ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	} {
		for _, a := range all {
			if public(netip.MustParseAddr(a)) {
				t.Errorf("%s: %s is public", name, a)
			}
		}
	}
	if public(netip.Addr{}) {
		t.Error("the zero address is public")
	}
	for _, a := range []string{
		"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
		"192.167.255.255", "192.169.0.0", "198.17.255.255",
		"198.20.0.0", "223.255.255.255", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1", "2003::1",
		"2606:4700::1111", "2620:4f:8001::1", "2a00:1450::1", "::ffff:1.1.1.1",
	} {
		if !public(netip.MustParseAddr(a)) {
			t.Errorf("%s is refused", a)
		}
	}
}

// An endless redirect is not retried.
func TestRedirectLoopsAreFinal(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		target := map[string]string{"/mail": "mailto:clerk@example.org", "/file": "file:///etc/passwd",
			"/loop": "/loop"}[r.URL.Path]
		w.Header().Set("Location", target)
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(srv.Close)
	c := New(Config{AllowPrivate: true})
	for path, want := range map[string]int32{"/loop": maxRedirects + 1, "/mail": 1, "/file": 1} {
		n.Store(0)
		_, _, err := c.Get(t.Context(), Request{URL: srv.URL + path, MaxBytes: 5, Tries: 3})
		if !errors.Is(err, errRedirect) || n.Load() != want {
			t.Errorf("%s: %d requests, want %d; %v", path, n.Load(), want, err)
		}
	}
}
