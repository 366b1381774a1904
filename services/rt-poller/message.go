package rtpoller

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/judge"
)

// A message summarizes a good answer.
type message struct {
	timestamp                     int64 // FeedHeader.timestamp as sent, in seconds; 0 if absent
	tripUpdates, vehicles, alerts int
	feed                          *gtfsrt.Message // nil if it cannot be decoded
	calls                         judge.Calls
}

// maxSkew is how far in the future a timestamp may be. Clocks differ, but after a timestamp of next
// year all later answers would look old.
const maxSkew = 5 * time.Minute

// inspect checks that body can be served as the snapshot of a source of this kind. Its errors are
// for operators. before is the time of the served snapshot, state.timestamp.
func inspect(body []byte, kind string, before int64, now time.Time) (message, error) {
	var m message
	if len(body) == 0 {
		return m, errors.New("the answer is empty")
	}
	calls := judge.NewCalls(len(body))
	feed, err := gtfsrt.ScanCalls(body, calls.Add)
	if err == nil {
		err = checkEntities(feed)
	}
	if errors.Is(err, gtfsrt.ErrFormat) && isText(body) {
		return m, fmt.Errorf("the answer is %s, not a GTFS-Realtime message", http.DetectContentType(body))
	}
	if err != nil {
		return m, fmt.Errorf("the answer is refused: %w", err)
	}
	if feed.Differential {
		return m, errors.New("the message is DIFFERENTIAL: only full data sets are supported")
	}
	m = message{timestamp: gtfsrt.Seconds(int64(min(feed.Timestamp, math.MaxInt64))),
		tripUpdates: len(feed.TripUpdates), vehicles: len(feed.Vehicles), alerts: len(feed.Alerts), feed: feed, calls: calls}
	if before > now.Add(maxSkew).Unix() {
		before = 0 // it was stored while a clock was wrong
	}
	switch {
	case m.timestamp > now.Add(maxSkew).Unix():
		return m, fmt.Errorf("the message's timestamp is in the future (%d, now is %d)", feed.Timestamp, now.Unix())
	case m.timestamp != 0 && m.timestamp < before:
		return m, fmt.Errorf("the message is older than the last one by %d s", before-m.timestamp)
	}
	return m, m.checkKind(kind)
}

// checkKind returns an error if a message lacks entities of its source's kind. A source of alerts
// may be empty. If there are no vehicles, the producer is broken or the configured kind is wrong.
func (m message) checkKind(kind string) error {
	all := m.tripUpdates + m.vehicles + m.alerts
	switch {
	case kind == conf.Alerts:
		return nil
	case m.tripUpdates == 0 && (kind == conf.TripUpdates || kind == conf.Mixed) && m.feed.HasModifications():
		return nil // detours of trips without predictions
	case all == 0:
		return errors.New("the message has no entities")
	case kind == conf.TripUpdates && m.tripUpdates == 0 || kind == conf.VehiclePositions && m.vehicles == 0:
		return fmt.Errorf("the message holds %d trip updates, %d vehicles and %d alerts, so it is no source of kind %s",
			m.tripUpdates, m.vehicles, m.alerts, kind)
	}
	return nil
}

// checkEntities returns an error if a vehicle or an alert cannot be decoded. Missing required
// fields and unknown extensions are allowed.
func checkEntities(feed *gtfsrt.Message) error {
	for _, v := range feed.Vehicles {
		if !v.Check() {
			return undecodable(v.Entity)
		}
	}
	for _, a := range feed.Alerts {
		if !a.Check() {
			return undecodable(a.Entity)
		}
	}
	return nil
}

func undecodable(e gtfsrt.Entity) error {
	return fmt.Errorf("%w: entity %.40q cannot be decoded", gtfsrt.ErrFormat, e.ID)
}

// isText reports whether an answer is an error page rather than a damaged message.
func isText(body []byte) bool {
	head := bytes.TrimSpace(body[:min(len(body), 512)])
	return len(head) > 0 && (head[0] == '<' || head[0] == '{') || strings.HasPrefix(http.DetectContentType(head), "text/")
}
