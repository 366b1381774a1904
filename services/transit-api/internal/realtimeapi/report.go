package realtimeapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A SourceReport lists the problems of the messages of a realtime source.
type SourceReport struct {
	Source    string          `json:"source" doc:"Kind of the source and its number in the feed, such as trip_updates/0."`
	Kind      string          `json:"kind" enum:"trip_updates,vehicle_positions,alerts,mixed"`
	JudgedAt  *rest.Time      `json:"judged_at" doc:"When the last message was judged; null if none was."`
	Messages  Counters        `json:"messages" doc:"Messages that were judged."`
	Errors    int             `json:"errors" doc:"Rules of severity error that the last message breaks."`
	Warnings  int             `json:"warnings" doc:"Rules of severity warning that the last message breaks."`
	GoogleBar GoogleBar       `json:"google_bar" doc:"Whether the source is good enough for Google's transit partners: no message with an error, and no warning in more than 2 percent of the messages."`
	Unapplied Unapplied       `json:"unapplied" doc:"Trip updates of the last message that are left out, because their times are four hours or more from every run of their trip."`
	Findings  []SourceFinding `json:"findings" doc:"Rules that a message of the last day broke, errors first, by their codes."`
}

// A GoogleBar compares a source with what Google asks of its transit partners. Google looks at the
// last seven days, Townline at the last day.
type GoogleBar struct {
	Met      *bool    `json:"met" doc:"Null if no message of the last day was judged."`
	Errors   float64  `json:"errors" doc:"Share of the last day's messages with the most frequent error, from 0 to 1."`
	Warnings float64  `json:"warnings" doc:"Share with the most frequent warning."`
	Why      []string `json:"why" doc:"Codes of the rules because of which it is not met."`
}

// maxWarnings is the share of messages with a warning that Google accepts.
const maxWarnings = 0.02

// newGoogleBar compares the findings of a source.
func newGoogleBar(r *SourceReport) GoogleBar {
	bar := GoogleBar{Why: []string{}}
	if r.Messages.Day == 0 {
		return bar
	}
	for _, f := range r.Findings {
		share := min(1, float64(f.Messages.Day)/float64(r.Messages.Day))
		allowed, worst := 0.0, &bar.Errors
		if f.Severity == "warning" {
			allowed, worst = maxWarnings, &bar.Warnings
		}
		*worst = max(*worst, share)
		if share > allowed {
			bar.Why = append(bar.Why, f.Code)
		}
	}
	met := len(bar.Why) == 0
	bar.Met = &met
	return bar
}

// Unapplied counts trip updates that are left out.
type Unapplied struct {
	Count    int              `json:"count"`
	Examples []FindingExample `json:"examples" doc:"The first five."`
}

// A SourceFinding is a rule that messages of a source break.
type SourceFinding struct {
	Code        string           `json:"code" doc:"Of the rule in gtfs-realtime-validator."`
	Severity    string           `json:"severity" enum:"error,warning"`
	Message     string           `json:"message" doc:"What is wrong."`
	Advice      string           `json:"advice" doc:"What the people who make the source can do."`
	Reference   string           `json:"reference" doc:"Address of the rule."`
	Count       int              `json:"count" doc:"How often the last message breaks the rule; 0 if it does not."`
	Since       *rest.Time       `json:"since" doc:"From when on every message broke the rule; null if the last one does not."`
	ShareOfHour float64          `json:"share_of_hour" doc:"Share of the last hour's messages that broke the rule, from 0 to 1."`
	Messages    Counters         `json:"messages" doc:"Messages that broke the rule."`
	Occurrences Counters         `json:"occurrences" doc:"How often they did."`
	Examples    []FindingExample `json:"examples" doc:"The first five of the last message."`
}

// Counters has counts for the last ten minutes, hour and day, in whole minutes.
type Counters struct {
	TenMinutes int64 `json:"ten_minutes"`
	Hour       int64 `json:"hour"`
	Day        int64 `json:"day"`
}

// A FindingExample is a part of a message that breaks a rule. Missing texts are "".
type FindingExample struct {
	EntityID  string `json:"entity_id" doc:"id of the FeedEntity; empty for the header."`
	TripID    string `json:"trip_id"`
	VehicleID string `json:"vehicle_id"`
	Value     string `json:"value" doc:"What is wrong in figures."`
	// Fields are those of [judge.Code.Value].
	Fields lang.Fields `json:"-"`
}

type judgedSource struct {
	Source   string
	Kind     string
	JudgedAt *rest.Time
	Findings []judgedFinding
}

type judgedFinding struct {
	judge.Finding
	Since rest.Time `json:"since"`
}

type ofAlias struct{ Alias string }

var judgedState = rest.SQL[ofAlias, struct{ JudgedAt *time.Time }](`
	SELECT max(judged_at) AS judged_at FROM transit.judgement WHERE alias = @alias`)

var judgedSources = rest.SQL[ofAlias, judgedSource](`
	SELECT s.source, s.kind, j.judged_at, coalesce(j.findings, '[]') AS findings
	FROM transit.source s LEFT JOIN transit.judgement j USING (alias, source)
	WHERE s.alias = @alias ORDER BY s.source`)

type judgedCount struct {
	Source               string
	Code                 string // "" counts all messages
	Ten, Hour, Day       int64  // number of messages
	TenOf, HourOf, DayOf int64  // number of findings
}

var judgedCounts = rest.SQL[ofAlias, judgedCount](`
	SELECT source, code,
	       coalesce(sum(messages) FILTER (WHERE minute > now() - interval '10 minutes'), 0)::bigint AS ten,
	       coalesce(sum(messages) FILTER (WHERE minute > now() - interval '1 hour'), 0)::bigint AS hour,
	       sum(messages)::bigint AS day,
	       coalesce(sum(findings) FILTER (WHERE minute > now() - interval '10 minutes'), 0)::bigint AS ten_of,
	       coalesce(sum(findings) FILTER (WHERE minute > now() - interval '1 hour'), 0)::bigint AS hour_of,
	       sum(findings)::bigint AS day_of
	FROM transit.judgement_count
	WHERE alias = @alias AND minute > now() - interval '1 day'
	GROUP BY source, code
	ORDER BY source, code`)

func (a *API) reportEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "realtime.feed_report", Path: wire.FeedPath + "/rt/report",
			Summary: "What is wrong with the realtime sources of a feed",
			Doc: "Each new message of each source is judged by the rules of MobilityData's gtfs-realtime-validator, by the " +
				"message before it and by the feed. A rule is listed as long as a message of the last day broke it.",
			Kind: rest.Realtime, Tag: tagRealtime, NotFound: notFound,
			Queries: rest.Queries(judgedState, judgedSources, judgedCounts)}, streamed(a, a.ReportSource().Now),
			func(ctx context.Context, c *rest.Call, p wire.FeedParams, _ rest.None) (wire.Envelope[[]SourceReport], error) {
				all, err := a.ReadReports(ctx, c, p.FeedAlias)
				return wire.Whole(c, all, nil, wire.Links{{Rel: "feed", Href: c.URL(wire.FeedPath, p.FeedAlias)}}), err
			}),
	}
}

// ReportSource returns the version of a feed's realtime report. It changes with each judgement, and
// each minute, because the counters cover the last minutes.
func (a *API) ReportSource() rest.Source[wire.FeedParams, rest.None] {
	return rest.Source[wire.FeedParams, rest.None]{Now: func(
		ctx context.Context, c *rest.Call, p wire.FeedParams,
	) (_ rest.None, gen rest.Generation, err error) {
		a.Live.Await(ctx, []string{p.FeedAlias}, allKinds...)
		if _, err := a.Live.View(p.FeedAlias, conf.TripUpdates); err != nil {
			return rest.None{}, gen, err
		}
		state, err := judgedState.One(ctx, c, ofAlias{p.FeedAlias})
		if err != nil {
			return rest.None{}, gen, fmt.Errorf("read the judgements of %s: %w", p.FeedAlias, err)
		}
		minute := a.Now().Truncate(time.Minute)
		gen.N = minute.Unix()
		gen.Time = minute
		gen.Until = minute.Add(time.Minute)
		if at := state.JudgedAt; at != nil {
			gen = rest.Join(gen, rest.Generation{N: at.UnixMicro(), Time: *at})
		}
		return rest.None{}, gen, nil
	}}
}

// ReadReports returns the reports of the sources of a feed.
func (a *API) ReadReports(ctx context.Context, c *rest.Call, alias string) ([]SourceReport, error) {
	sources, err := judgedSources.List(ctx, c, ofAlias{alias})
	if err != nil {
		return nil, err
	}
	counts, err := judgedCounts.List(ctx, c, ofAlias{alias})
	if err != nil {
		return nil, err
	}
	reports := make([]SourceReport, len(sources))
	codes := judge.Codes()
	for i, s := range sources {
		r := &reports[i]
		*r = SourceReport{Source: s.Source, Kind: s.Kind, JudgedAt: s.JudgedAt, Findings: []SourceFinding{}}
		r.Unapplied, err = a.unapplied(ctx, alias, s.Source)
		if err != nil {
			return nil, err
		}
		byCode := map[string]judgedCount{}
		for _, n := range counts {
			if n.Source == s.Source {
				byCode[n.Code] = n
			}
		}
		last := map[judge.Code]judgedFinding{}
		for _, f := range s.Findings {
			last[f.Code] = f
		}
		all := byCode[""]
		r.Messages = Counters{all.Ten, all.Hour, all.Day}
		for _, code := range codes {
			f, broken := last[code]
			n, counted := byCode[string(code)]
			if broken || counted {
				r.add(code, f, n)
			}
		}
		r.GoogleBar = newGoogleBar(r)
	}
	return reports, nil
}

// unapplied counts the updates of a source that fit no run.
func (a *API) unapplied(ctx context.Context, alias, source string) (Unapplied, error) {
	found := Unapplied{Examples: []FindingExample{}}
	view, _, err := a.newBoardView()
	if err != nil {
		return found, err
	}
	d, _, err := a.feedDepartures(alias, view, true)
	if err != nil || d == nil || d.Feed.Edition == nil {
		return found, err
	}
	p := d.newPlace()
	for _, s := range d.updates.Sources {
		if s.Alias != alias || s.Source != source {
			continue
		}
		for i := range s.Message.TripUpdates {
			u := &s.Message.TripUpdates[i]
			p.Updates = append(p.Updates, board.Update{TripUpdate: u, TripID: s.TripID(u.Trip)})
		}
	}
	err = d.addRuns(ctx, p, edition.MaxRunningCalls)
	if errors.Is(err, kept.ErrTooMuch) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	left, err := board.Unapplied(ctx, a.Now(), p)
	found.Count = len(left)
	for _, u := range left[:min(len(left), 5)] {
		found.Examples = append(found.Examples, FindingExample{EntityID: strings.ToValidUTF8(string(u.ID), "?"),
			TripID: strings.ToValidUTF8(u.TripID, "?"), VehicleID: strings.ToValidUTF8(string(u.VehicleID), "?")})
	}
	return found, err
}

func (r *SourceReport) add(code judge.Code, last judgedFinding, n judgedCount) {
	f := SourceFinding{Code: string(code), Severity: code.Severity(), Message: code.Message(notice.English()),
		Advice: code.Advice(notice.English()), Reference: code.Address(), Count: last.Count,
		Messages: Counters{n.Ten, n.Hour, n.Day}, Occurrences: Counters{n.TenOf, n.HourOf, n.DayOf},
		Examples: []FindingExample{}}
	if r.Messages.Hour > 0 {
		f.ShareOfHour = math.Round(float64(n.Hour)/float64(r.Messages.Hour)*1e4) / 1e4
	}
	if last.Count > 0 {
		f.Since = &last.Since
		if f.Severity == "error" {
			r.Errors++
		} else {
			r.Warnings++
		}
	}
	for _, e := range last.Examples {
		f.Examples = append(f.Examples, FindingExample(e))
	}
	r.Findings = append(r.Findings, f)
}
