package rtpoller

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
)

// A message is what is known of a good answer.
type message struct {
	timestamp                     int64 // FeedHeader.timestamp, 0 when absent
	tripUpdates, vehicles, alerts int
}

// maxSkew is how far a header's timestamp may lie in the future: clocks differ,
// but a timestamp of next year would make every later answer look old.
const maxSkew = 5 * time.Minute

// inspect decides whether body can be served as the new snapshot of a source of
// the given kind. The error is a sentence for the operator. before is the header
// timestamp of the snapshot in service, 0 when there is none.
func inspect(body []byte, kind string, before int64, now time.Time) (message, error) {
	var m message
	if len(body) == 0 {
		return m, errors.New("the answer is empty")
	}
	feed := &rt.FeedMessage{}
	if err := proto.Unmarshal(body, feed); err != nil {
		if looksLikeText(body) {
			return m, fmt.Errorf("the answer is %s, not a GTFS-Realtime message", http.DetectContentType(body))
		}
		return m, fmt.Errorf("the answer is not a whole GTFS-Realtime message (%d bytes)", len(body))
	}
	if feed.GetHeader().GetIncrementality() == rt.FeedHeader_DIFFERENTIAL {
		return m, errors.New("the message is DIFFERENTIAL: only full data sets are supported")
	}
	m.timestamp = int64(feed.GetHeader().GetTimestamp())
	for _, e := range feed.GetEntity() {
		if e.GetIsDeleted() {
			continue // only means something in differential messages
		}
		if e.TripUpdate != nil {
			m.tripUpdates++
		}
		if e.Vehicle != nil {
			m.vehicles++
		}
		if e.Alert != nil {
			m.alerts++
		}
	}
	switch {
	case m.timestamp > now.Add(maxSkew).Unix():
		return m, fmt.Errorf("the message's timestamp is %s in the future", time.Unix(m.timestamp, 0).Sub(now).Round(time.Second))
	case m.timestamp != 0 && m.timestamp < before:
		return m, fmt.Errorf("the message is older than the last one by %d s", before-m.timestamp)
	}
	// No alerts is good news. No vehicles at all is how a broken producer looks.
	if m.tripUpdates+m.vehicles+m.alerts == 0 && (kind == conf.TripUpdates || kind == conf.VehiclePositions) {
		return m, errors.New("the message has no entities")
	}
	return m, nil
}

// looksLikeText tells an error page from a damaged message.
func looksLikeText(body []byte) bool {
	head := bytes.TrimSpace(body[:min(len(body), 512)])
	return len(head) > 0 && (head[0] == '<' || head[0] == '{') || strings.HasPrefix(http.DetectContentType(head), "text/")
}
