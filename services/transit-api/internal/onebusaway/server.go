package onebusaway

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
)

// serverEndpoints describe the server: apps call them first.
func (a *API) serverEndpoints() rest.Table {
	return rest.Table{
		entryFrom(a, rest.Spec{ID: "oba.current_time", Path: where + "current-time.json",
			Summary: "The server's time", Kind: rest.Realtime, Shows: []string{"discovery.feeds"},
			NotFound: unknownFeed},
			scheduled[feedParams](a, time.Second), currentTime),
		entryOf(a, rest.Spec{ID: "oba.config", Path: where + "config.json",
			Summary: "Name of the feed and its days", Shows: []string{"discovery.feeds"},
			NotFound: unknownFeed}, config),
	}
}

const unknownFeed = "unknown feed"

// CurrentTime is the time of the server.
type CurrentTime struct {
	ReadableTime string `json:"readableTime"`
	Time         int64  `json:"time"`
}

func currentTime(_ context.Context, x *answer, _ feedParams) (CurrentTime, error) {
	return CurrentTime{x.now.Format(time.RFC3339), milliseconds(x.now)}, nil
}

// Config describes the feed as a bundle of the OneBusAway server.
type Config struct {
	GitProperties   map[string]string `json:"gitProperties"`
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	ServiceDateFrom string            `json:"serviceDateFrom"`
	ServiceDateTo   string            `json:"serviceDateTo"`
}

func config(_ context.Context, x *answer, _ feedParams) (Config, error) {
	made := Config{ID: x.SHA256, Name: x.Name, GitProperties: map[string]string{"git.build.version": run.Version}}
	if x.FirstDay != nil {
		made.ServiceDateFrom = x.FirstDay.String()
	}
	if x.LastDay != nil {
		made.ServiceDateTo = x.LastDay.String()
	}
	return made, nil
}
