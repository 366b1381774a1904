package access

import (
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
)

// quotas limit the requests of clients by the generic cell rate algorithm. They store when a
// client's quota will be full again, in Unix nanoseconds. Each process counts separately.
type quotas struct {
	mu         sync.Mutex
	young, old map[string]int64 // when young is full, it replaces old
}

// clientsKept bounds the number of clients in both maps. A dropped client starts with a full quota.
const clientsKept = 50_000

func newQuotas() *quotas { return &quotas{young: map[string]int64{}} }

type left struct {
	requests int
	full     time.Duration // time until the quota is full
	next     time.Duration // time until the next request is allowed
}

// maxSkew is how far apart concurrent requests may have read the clock.
const maxSkew = time.Second

// use counts a request of a client and reports whether it is allowed.
func (q *quotas) use(client string, rate conf.Rate, now time.Time) (left, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before, known := q.young[client]
	if !known {
		before = q.old[client]
		if len(q.young) >= clientsKept {
			q.old, q.young = q.young, map[string]int64{}
		}
	}
	from := max(before, now.UnixNano())
	if time.Duration(from-now.UnixNano()) > rate.Per+maxSkew {
		from = now.UnixNano() // the clock was set back
	}
	each := rate.Per / time.Duration(rate.Requests)
	used := time.Duration(from-now.UnixNano()) + each
	if used > rate.Per {
		q.young[client] = before
		return left{full: used - each, next: used - rate.Per}, false
	}
	q.young[client] = from + int64(each)
	return left{requests: int((rate.Per - used) / each), full: used}, true
}

// header returns the RateLimit fields of the IETF draft.
func (l left) header(rate conf.Rate) http.Header {
	return http.Header{
		"Ratelimit-Limit":     {strconv.Itoa(rate.Requests)},
		"Ratelimit-Remaining": {strconv.Itoa(l.requests)},
		"Ratelimit-Reset":     {seconds(l.full)},
	}
}

func (l left) refusal() error {
	return &rest.Error{Status: http.StatusTooManyRequests, Detail: "too many requests",
		Header: http.Header{"Retry-After": {seconds(l.next)}}}
}

// seconds rounds up, so that clients wait long enough.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// proxies are the networks from which X-Forwarded-For is trusted.
type proxies []netip.Prefix

// client returns the IPv4 address of a client. For IPv6 it returns the network, because one client
// can use many addresses. Behind proxies it is the nearest address that is not a trusted proxy.
func (p proxies) client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trusted(addr); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = next
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.String()
		}
	}
	return addr.String()
}

func (p proxies) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(addr.Unmap()) })
}
