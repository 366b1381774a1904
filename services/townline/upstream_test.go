package townline_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/gtfsrt"
)

// An upstream is an agency's realtime server. It sends the message that was set last.
type upstream struct {
	mu       sync.Mutex
	status   int
	body     []byte
	began    map[int64]time.Time // start of the first answer by header timestamp
	requests atomic.Int64
	times    []time.Time // times of all requests
}

func (u *upstream) answer(status int, body []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.status, u.body = status, body
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	u.requests.Add(1)
	u.mu.Lock()
	u.times = append(u.times, time.Now())
	status, body := u.status, u.body
	if m, err := gtfsrt.Scan(body); err == nil && u.began[int64(m.Timestamp)].IsZero() {
		if u.began == nil {
			u.began = map[int64]time.Time{}
		}
		u.began[int64(m.Timestamp)] = time.Now()
	}
	u.mu.Unlock()
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// serve starts the server and returns its address.
func (u *upstream) serve(t testing.TB) string {
	t.Helper()
	srv := httptest.NewServer(u)
	t.Cleanup(srv.Close)
	return srv.URL
}

// everything reports whether to include large feeds and long series (make test-everything).
func everything() bool { return os.Getenv("TOWNLINE_EVERYTHING") != "" }

func updatesOf(t testing.TB, trips ...string) []byte {
	t.Helper()
	m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"),
		Timestamp: proto.Uint64(uint64(time.Now().Unix()))}}
	for i, trip := range trips {
		m.Entity = append(m.Entity, &rt.FeedEntity{Id: proto.String(fmt.Sprint(i)), TripUpdate: &rt.TripUpdate{
			Trip:           &rt.TripDescriptor{TripId: &trip, RouteId: proto.String("10")},
			StopTimeUpdate: []*rt.TripUpdate_StopTimeUpdate{{StopId: proto.String("1004")}},
		}})
	}
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
