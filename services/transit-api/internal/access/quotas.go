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

// quotas count the requests of clients by the generic cell rate algorithm. They keep one number a
// client: the moment when its quota will be full again, in nanoseconds. Each process counts for
// itself.
type quotas struct {
	mu        sync.Mutex
	now, then map[string]int64 // two halves; the older is dropped when the younger is full
}

// clientsKept bounds each half. A client that was dropped starts with a full quota.
const clientsKept = 50_000

func newQuotas() *quotas { return &quotas{now: map[string]int64{}} }

// left is what remains of a client's quota.
type left struct {
	requests int
	whole    time.Duration // until the quota is full
	next     time.Duration // until the next request is allowed; 0 if it is allowed now
}

// aheadMost is how much later than a full quota allows a number may be: requests at the same time
// read the clock one after the other.
const aheadMost = time.Second

// take counts one request of a client and reports whether it is within the rate.
func (q *quotas) take(client string, rate conf.Rate, now time.Time) (left, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before, known := q.now[client]
	if !known {
		before = q.then[client]
		if len(q.now) >= clientsKept {
			q.then, q.now = q.now, map[string]int64{}
		}
	}
	from := max(before, now.UnixNano())
	if time.Duration(from-now.UnixNano()) > rate.Per+aheadMost {
		from = now.UnixNano() // counted before the clock was set back: it would refuse the client for as long
	}
	each := rate.Per / time.Duration(rate.Requests)
	used := time.Duration(from-now.UnixNano()) + each
	if used > rate.Per {
		q.now[client] = before
		return left{whole: used - each, next: used - rate.Per}, false
	}
	q.now[client] = from + int64(each)
	return left{requests: int((rate.Per - used) / each), whole: used}, true
}

// header sets the RateLimit fields of the IETF draft.
func (l left) header(rate conf.Rate) http.Header {
	return http.Header{
		"Ratelimit-Limit":     {strconv.Itoa(rate.Requests)},
		"Ratelimit-Remaining": {strconv.Itoa(l.requests)},
		"Ratelimit-Reset":     {seconds(l.whole)},
	}
}

func (l left) refusal() error {
	return &rest.Error{Status: http.StatusTooManyRequests, Detail: "too many requests",
		Header: http.Header{"Retry-After": {seconds(l.next)}}}
}

// seconds rounds up, so that a client never waits too short.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// proxies are the networks whose X-Forwarded-For is trusted.
type proxies []netip.Prefix

// client names the client of a request: an IPv4 address, or the network of an IPv6 address, since
// one client can use many IPv6 addresses. Behind proxies it is the nearest address that is not a
// trusted proxy.
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
