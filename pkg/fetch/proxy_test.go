package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/http/httpproxy"
)

// A client uses the proxy, which may be on a private network, and asks it for no private host.
func TestProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	var connects []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			connects = append(connects, r.Host)
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte("through the proxy to " + r.URL.String()))
	}))
	t.Cleanup(proxy.Close)
	settings := httpproxy.Config{HTTPProxy: proxy.URL, HTTPSProxy: proxy.URL, NoProxy: "direct.example"}
	client := newClient(Config{}, settings.ProxyFunc())
	client.http.Transport.(*proxies).lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
		switch {
		case host == "portal.example":
			return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
		case host == "inside.example":
			return []netip.Addr{netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("10.0.0.7")}, nil
		case strings.HasSuffix(host, ".example"):
			return nil, errors.New("no such host")
		}
		ip, err := netip.ParseAddr(host)
		return []netip.Addr{ip}, err
	}
	ask := func(address string) (string, error) {
		body, _, err := client.Get(t.Context(), Request{URL: address, MaxBytes: 1 << 10})
		return string(body), err
	}
	for _, address := range []string{"http://portal.example/x", "http://unknown.example/x"} {
		if body, err := ask(address); body != "through the proxy to "+address || err != nil {
			t.Errorf("%s: %q %v", address, body, err)
		}
	}
	if _, err := ask("https://portal.example/x"); err == nil || len(connects) != 1 || connects[0] != "portal.example:443" {
		t.Errorf("HTTPS: %v %v", connects, err)
	}
	for _, address := range []string{"http://inside.example/", "https://10.0.0.7/", "http://[fd00::1]/"} {
		if _, err := ask(address); !errors.Is(err, ErrPrivate) {
			t.Errorf("%s: %v", address, err)
		}
	}
	proxyAddress, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	// An address without a proxy is checked at the connection, even if it is the proxy's.
	if _, err := ask("http://127.0.0.1:" + proxyAddress.Port() + "/"); !errors.Is(err, ErrPrivate) {
		t.Errorf("the proxy itself: %v", err)
	}
}
