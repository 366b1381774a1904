package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
)

// proxyOf returns the proxy for an address, or nil.
type proxyOf func(*url.URL) (*url.URL, error)

// proxies sends requests directly or through a proxy. The check of private addresses is at the
// connection; a proxy makes the connection itself, so proxies checks the host before.
type proxies struct {
	of              proxyOf
	direct, proxied *http.Transport
	allowPrivate    bool
	lookup          func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// RoundTrip implements [http.RoundTripper].
func (p *proxies) RoundTrip(r *http.Request) (*http.Response, error) {
	via, err := p.of(r.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the proxy of the environment: %w", err)
	case via == nil:
		return p.direct.RoundTrip(r)
	}
	if err := p.check(r.Context(), r.URL.Hostname()); err != nil {
		return nil, err
	}
	return p.proxied.RoundTrip(r)
}

// check refuses hosts with a private address. Behind a proxy a machine may be unable to resolve
// names; then only the proxy can refuse them.
func (p *proxies) check(ctx context.Context, host string) error {
	if p.allowPrivate {
		return nil
	}
	all, err := p.lookup(ctx, "ip", host)
	if err != nil {
		return ctx.Err()
	}
	for _, ip := range all {
		if err := checkPublic(ip); err != nil {
			return err
		}
	}
	return nil
}

// CloseIdleConnections lets [http.Client] close idle connections.
func (p *proxies) CloseIdleConnections() {
	p.direct.CloseIdleConnections()
	p.proxied.CloseIdleConnections()
}
