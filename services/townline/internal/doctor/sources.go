package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/objects"
	councilingest "github.com/townline/townline/services/council-ingest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	rtpoller "github.com/townline/townline/services/rt-poller"
	"github.com/townline/townline/services/townline/internal/session"
)

// sourceTimeout bounds one request to a source.
const sourceTimeout = 10 * time.Second

// checkSources requests feeds and realtime sources concurrently.
func (p *report) checkSources(ctx context.Context, cfg served) {
	if cfg.transit == nil || !p.half("transit") {
		return
	}
	settings, err := conf.Load[gtfsimport.Config](p.s.Env)
	if err != nil {
		return // reported by checkConfiguration
	}
	client := fetch.New(fetch.Config{UserAgent: settings.UserAgent, AllowPrivate: settings.AllowPrivate})
	defer client.CloseIdle()
	var wg sync.WaitGroup
	for _, f := range cfg.transit.Feeds {
		wg.Go(func() { p.checkFeed(ctx, client, f) })
		places := map[string]int{}
		for _, s := range f.Realtime {
			subject := fmt.Sprintf("%s %s/%d", f.Alias, s.Kind, places[s.Kind])
			places[s.Kind]++
			wg.Go(func() { p.checkRealtime(ctx, client, subject, s) })
		}
	}
	wg.Wait()
}

// errEnough stops a download once its file type is known.
var errEnough = errors.New("enough")

// A taste keeps the first bytes that are written to it and rejects the rest.
type taste struct{ head []byte }

func (t *taste) Write(b []byte) (int, error) {
	t.head = append(t.head, b...)
	if len(t.head) >= len(zipHead) {
		return len(b), errEnough
	}
	return len(b), nil
}

// zipHead is the start of every zip that contains a file.
const zipHead = "PK\x03\x04"

func (p *report) checkFeed(ctx context.Context, client *fetch.Client, f conf.Feed) {
	subject := f.Alias + ": source"
	if f.URL == "" {
		p.note("feed", subject, statusOK, "imported by hand", "")
		return
	}
	if !strings.Contains(f.URL, "://") {
		status, found, next := fileState(f.URL)
		p.note("feed", subject, status, found, next)
		return
	}
	var got taste
	_, err := client.Copy(ctx, fetch.Request{URL: f.URL, Header: headers(f.Headers), MaxBytes: 4 << 30,
		Timeout: sourceTimeout}, func() (io.Writer, error) { return &got, nil })
	switch {
	case err != nil && !errors.Is(err, errEnough):
		p.note("feed", subject, statusProblem, err.Error(), fetchAdvice(err))
	case string(got.head[:min(len(got.head), len(zipHead))]) != zipHead:
		p.note("feed", subject, statusProblem, "the URL does not return a zip",
			"open the URL in a browser: a login page or an error page is a common cause")
	default:
		p.note("feed", subject, statusOK, "the source returns a file that begins like a zip", "")
	}
}

// fileState checks that an import can read a file or a folder.
func fileState(path string) (status, found, next string) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return statusOK, "a folder", ""
	}
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for a writer
		err = errors.New("it must be a file or a folder")
	}
	head := ""
	if err == nil {
		head, err = headOf(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return statusProblem, "there is no file " + path, "put the zip there, or correct the feed's url in transit.yaml"
	case err != nil:
		return statusProblem, "the file cannot be read: " + err.Error(), "allow the account of gtfs-import to read it"
	case head != zipHead:
		return statusProblem, "the file is not a zip", "put the agency's unchanged zip there"
	}
	return statusOK, "a file that begins like a zip", ""
}

func headOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, int64(len(zipHead))))
	return string(head), err
}

func (p *report) checkRealtime(ctx context.Context, client *fetch.Client, subject string, s conf.Source) {
	body, _, err := client.Get(ctx, fetch.Request{URL: s.URL, Header: headers(s.Headers), MaxBytes: 64 << 20,
		Timeout: min(s.Timeout, sourceTimeout)})
	if err != nil {
		p.note("realtime", subject, statusProblem, err.Error(), fetchAdvice(err))
		return
	}
	m, err := gtfsrt.Scan(body)
	if err != nil {
		p.note("realtime", subject, statusProblem, "the URL does not return a GTFS-Realtime message",
			"check the URL: it may be the text or JSON form of the source, or an error page")
		return
	}
	found := fmt.Sprintf("%d trip updates, %d vehicles, %d alerts", len(m.TripUpdates), len(m.Vehicles), len(m.Alerts))
	empty := len(m.TripUpdates)+len(m.Vehicles)+len(m.Alerts) == 0
	if m.HasModifications() {
		found, empty = found+", trip modifications", false
	}
	old := time.Since(time.Unix(gtfsrt.Seconds(int64(m.Timestamp)), 0)).Round(time.Second)
	switch {
	case empty && s.Kind != conf.Alerts:
		p.note("realtime", subject, statusWarning, "the message has no entities",
			"ask the agency; at night this may be normal")
	case m.Timestamp > 0 && old < -farSkewed:
		p.note("realtime", subject, statusWarning, fmt.Sprintf("%s; timestamp %s in the future", found, -old),
			"compare this machine's clock with a time server's")
	case m.Timestamp > 0 && old > 5*time.Minute:
		p.note("realtime", subject, statusWarning, fmt.Sprintf("%s; %s old", found, old),
			"ask the agency: the source answers, but its data does not change")
	default:
		p.note("realtime", subject, statusOK, found, "")
	}
}

// checkPortal sends the first request of an ingest to the council's portal.
func (p *report) checkPortal(ctx context.Context, cfg served) {
	if cfg.council == nil || !p.half("council") {
		return
	}
	settings, err := conf.Load[councilingest.Config](p.s.Env)
	if err != nil {
		return // reported by checkConfiguration
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	listed, ours, others, err := councilingest.Probe(ctx, cfg.council, settings.AllowPrivate)
	switch {
	case err != nil:
		p.note("portal", "reachable", statusProblem, err.Error(), councilingest.PortalAdvice(cfg.council, err))
	case listed == 0:
		p.note("portal", "reachable", statusWarning, "its calendar of the last year is empty",
			"check that portal.url is the address of an IQM2 portal: https://TOWN.iqm2.com")
	case ours == 0 && others == "": // only the pages of meetings name the body
		p.note("portal", "reachable", statusOK, fmt.Sprintf("%d meetings within a year; the calendar does not name their "+
			"boards", listed), "")
	case ours == 0:
		p.note("portal", "reachable", statusWarning, fmt.Sprintf("%d meetings within a year, none of %q, but of %s", listed,
			cfg.council.Body, others), "write body in council.yaml as in the portal's calendar")
	default:
		p.note("portal", "reachable", statusOK, fmt.Sprintf("%d meetings within a year, %d of %q", listed, ours,
			cfg.council.Body), "")
	}
}

func headers(h map[string]string) http.Header {
	out := http.Header{}
	for k, v := range h {
		out.Set(k, v)
	}
	return out
}

// fetchAdvice returns a solution for a failed fetch.
func fetchAdvice(err error) string {
	var answered *fetch.StatusError
	switch {
	case errors.As(err, &answered) && (answered.Code == http.StatusUnauthorized || answered.Code == http.StatusForbidden):
		return "the source needs a key: set it under headers, as ${NAME} of a variable"
	case errors.As(err, &answered) && answered.Code == http.StatusNotFound:
		return "the address has moved: ask the agency for the new one"
	case errors.As(err, &answered):
		return "wait and try again; if it lasts, ask the operator of the source"
	case errors.Is(err, fetch.ErrPrivate):
		return "the address is private: set TOWNLINE_ALLOW_PRIVATE=true if that is intended"
	}
	return "check that the address is right and that this machine can reach it: try curl -I with it"
}

// checkPauses reports paused realtime sources, with the end and the reason of the pause.
func (p *report) checkPauses(ctx context.Context, pool *pgxpool.Pool, t *conf.Transit) {
	all, err := rtpoller.ListPauses(ctx, pool)
	if err != nil {
		return // another finding, about the schema, has the reason
	}
	known := map[string]bool{}
	for _, r := range all {
		subject := r.Alias + " " + r.Source + ": polls"
		known[subject] = true
		advice := "when the source is repaired: `townline rt clear " + r.Alias + " " + r.Source + "` requests a poll"
		switch {
		case r.Ahead:
			p.note("realtime", subject, statusWarning, "its row has a time in the future: a clock was wrong when it was written",
				"synchronize all machines with a time server, then run `townline rt clear "+r.Alias+"`")
		case r.Error == nil:
			p.note("realtime", subject, statusOK, "polled "+session.Age(r.PolledAt, time.Now()), "")
		case r.Until == nil:
			p.note("realtime", subject, statusWarning, fmt.Sprintf("%s failed in a row: %s", council.Count(r.Failures, "poll"),
				*r.Error), advice)
		default:
			p.note("realtime", subject, statusWarning, fmt.Sprintf("paused until %s (for %s) after %s failed in a row: %s",
				r.Until.UTC().Format(time.RFC3339), r.For.Round(time.Second), council.Count(r.Failures, "poll"), *r.Error), advice)
		}
	}
	for _, f := range t.Feeds {
		places := map[string]int{}
		for _, s := range f.Realtime {
			subject := fmt.Sprintf("%s %s/%d: polls", f.Alias, s.Kind, places[s.Kind])
			places[s.Kind]++
			if !known[subject] {
				p.note("realtime", subject, statusWarning, "no poller has registered it",
					"check that rt-poller runs and reads the same transit.yaml")
			}
		}
	}
}

// checkObserved reports when vehicles of observed feeds were last seen at a stop.
func (p *report) checkObserved(ctx context.Context, pool *pgxpool.Pool, t *conf.Transit) {
	all, err := rtpoller.ListObserved(ctx, pool)
	if err != nil {
		return // another finding, about the schema, has the reason
	}
	known := map[string]rtpoller.Observed{}
	for _, o := range all {
		known[o.Alias] = o
	}
	ago := func(seconds *float64) string {
		return (time.Duration(*seconds) * time.Second).String() + " ago"
	}
	for _, f := range t.Feeds {
		if !f.Observe {
			continue
		}
		subject, page := f.Alias+": observed", "see the page /f/"+f.Alias+"/performance"
		switch o, found := known[f.Alias]; {
		case !found || o.Age == nil:
			p.note("realtime", subject, statusWarning, "no message has been observed",
				"check that the feed is imported and that rt-poller runs")
		case o.Vehicles > 0 && o.Placed == 0 && o.VisitAge == nil:
			p.note("realtime", subject, statusWarning, "not measurable: vehicles name neither a stop nor a stop_sequence", page)
		case o.VisitAge == nil || o.Vehicles > 0 && *o.VisitAge > 1800:
			p.note("realtime", subject, statusWarning, fmt.Sprintf("%d vehicles are live, and none was seen at a stop for half "+
				"an hour", o.Vehicles), page)
		default:
			p.note("realtime", subject, statusOK, "a vehicle was seen at a stop "+ago(o.VisitAge)+"; "+page, "")
		}
	}
}

// checkArchive checks the object store for archived documents, if one is configured.
func (p *report) checkArchive(ctx context.Context) {
	if !p.half("council") {
		return
	}
	cfg, err := conf.Load[objects.Config](p.s.Env)
	if err != nil {
		return // reported by checkConfiguration
	}
	store, err := objects.Open(cfg)
	if err != nil || store == nil {
		return // reported by checkConfiguration, or documents are in Postgres
	}
	const what = "object store"
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	err = store.Probe(ctx)
	switch {
	case err == nil:
		p.note("archive", what, statusOK, "answers, and accepts bucket and key", "")
	case errors.Is(err, objects.ErrNoBucket):
		p.note("archive", what, statusProblem, err.Error(), "create the bucket, or correct ARCHIVE_S3_BUCKET")
	case errors.Is(err, objects.ErrKey):
		p.note("archive", what, statusProblem, err.Error(), "correct ARCHIVE_S3_KEY and ARCHIVE_S3_SECRET")
	case errors.Is(err, objects.ErrDenied):
		p.note("archive", what, statusWarning, err.Error(),
			"normal for a key that may not list objects; otherwise allow it to read and write the objects of "+
				"ARCHIVE_S3_BUCKET below ARCHIVE_S3_PREFIX")
	default:
		p.note("archive", what, statusProblem, "no object store answers at ARCHIVE_S3_ENDPOINT",
			"check address and port, that the store runs, and that no network policy or firewall blocks this machine")
	}
}
