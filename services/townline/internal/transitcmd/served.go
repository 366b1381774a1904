package transitcmd

import (
	"cmp"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline/internal/session"
)

// lastCheck formats the time of the last check, and the problem of the feed.
func lastCheck(f gtfsimport.Feed, served map[string]*eventsv1.FeedServed) string {
	state := "ok"
	if problem := served[f.Alias].GetProblem(); problem != "" {
		state = problem
	}
	if f.CheckError != nil {
		state = *f.CheckError
	}
	return session.Clock(f.CheckedAt) + ": " + state
}

// A listedFeed is a feed with its state in the transit APIs.
type listedFeed struct {
	gtfsimport.Feed
	Problem string `json:"problem,omitempty"`
}

func withProblems(feeds []gtfsimport.Feed, served map[string]*eventsv1.FeedServed) []listedFeed {
	all := make([]listedFeed, len(feeds))
	for i, f := range feeds {
		all[i] = listedFeed{f, served[f.Alias].GetProblem()}
	}
	return all
}

// servedWithin is how long an import waits until the running transit APIs serve it.
const servedWithin = 5 * time.Second

// A serving has the versions that the running transit APIs serve, and their problems.
type serving struct {
	live    bool
	problem string
}

// waitServed waits until the running transit APIs serve the import, at most servedWithin.
func waitServed(s *session.Session, deps run.Deps, r *gtfsimport.Report) serving {
	if r.Outcome != gtfsimport.Imported {
		return serving{}
	}
	for deadline := time.Now().Add(servedWithin); ; {
		feeds, apis := session.Served(s.Ctx, deps.Events, deps.Log)
		f, version := feeds[r.Alias], int64(r.VersionID)
		switch {
		case apis == 0:
			return serving{problem: "no running transit API answers"}
		case f.GetVersionId() >= version:
			return serving{true, f.Problem}
		case f.GetNewestId() >= version && !f.Loading || time.Now().After(deadline):
			return serving{problem: cmp.Or(f.GetProblem(), "the transit API has not read the table of feeds yet")}
		}
		if !wait.For(s.Ctx, 50*time.Millisecond) {
			return serving{problem: s.Ctx.Err().Error()}
		}
	}
}
