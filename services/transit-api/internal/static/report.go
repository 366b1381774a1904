package static

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Report has the findings of the live version's import.
type Report struct {
	Label      string          `json:"label" doc:"Name of the feed."`
	Alias      string          `json:"alias"`
	SHA256     string          `json:"sha256" doc:"SHA-256 of the zip, in hexadecimal."`
	ImportedAt *string         `json:"imported_at" doc:"When the version went live, RFC 3339. Findings about days that are near or over are as of then."`
	FirstDay   *rest.Date      `json:"first_day" doc:"First day of service; null if the feed has no service."`
	LastDay    *rest.Date      `json:"last_day" doc:"Last day of service; null if the feed has no service."`
	Errors     int             `json:"errors" doc:"Kinds of findings that are errors."`
	Warnings   int             `json:"warnings" doc:"Kinds of findings that are warnings."`
	Infos      int             `json:"infos" doc:"Kinds of findings that may be meant."`
	Findings   []ReportFinding `json:"findings" doc:"By severity, then by number."`
	ComparedTo *string         `json:"compared_to" doc:"When the version before went live, RFC 3339; null if there is none."`
	Held       *ReportHeld     `json:"held" doc:"The next version, if it was read and is not served; null if there is none. The findings are not about it."`
	Gone       []ReportGone    `json:"gone" doc:"Kinds of findings that only the version before had."`
	Files      []ReportFile    `json:"files" doc:"The files of the zip, in its order."`
}

// A ReportFinding is one code of findings, in all files.
type ReportFinding struct {
	Code     string          `json:"code" doc:"Name of the rule. Where the canonical GTFS validator has the rule, it is the name of its notice."`
	Severity string          `json:"severity" enum:"error,warning,info" doc:"error: GTFS forbids it; warning: riders are likely to be served worse; info: it may be meant."`
	Message  string          `json:"message" doc:"What is wrong, in a sentence or two."`
	Advice   string          `json:"advice" doc:"What the people who make the feed can do."`
	Count    int             `json:"count" doc:"Rows, or trips, that it is about."`
	Before   *int            `json:"before" doc:"The count of the version before, 0 if it had none; null if there is no version before."`
	Files    []ReportPlace   `json:"files"`
	Examples []ReportExample `json:"examples" doc:"The first ones of each file."`
}

// A ReportHeld is a version that is held.
type ReportHeld struct {
	Reason   string  `json:"reason" doc:"Why it is not served."`
	LiveFrom *string `json:"live_from" doc:"When it will be served, RFC 3339; null if the operator decides."`
	// Hold is the reason by its code; nil if an older release stored it.
	Hold *notice.Hold `json:"-"`
}

// A ReportGone is a code of findings that only the previous version has.
type ReportGone struct {
	Code     string `json:"code"`
	Severity string `json:"severity" enum:"error,warning,info"`
	Message  string `json:"message"`
	Before   int    `json:"before" doc:"The count of the version before."`
}

// A ReportPlace counts the findings of one code in one file.
type ReportPlace struct {
	File   string `json:"file"`
	Effect string `json:"effect" doc:"What the import did: row left out, cell emptied, cell changed, file skipped or noted."`
	Count  int    `json:"count"`
}

// A ReportExample is one finding.
type ReportExample struct {
	File   string  `json:"file"`
	Line   *int    `json:"line" doc:"Line of the file at which the row starts, from 1; null: the file as a whole."`
	Field  *string `json:"field"`
	Value  *string `json:"value" doc:"The cell, shortened, or what is wrong with the row in figures."`
	Effect string  `json:"effect"`
	// RowID and ShapeID are null in versions that an older release imported.
	RowID   *string `json:"row_id" doc:"The first column of the file's key, such as stop_id or trip_id; null if the finding is about the whole file, or if the id is unknown."`
	ShapeID *string `json:"shape_id" doc:"The shape, if the finding is about a stop or trip and a shape."`

	Code string `json:"-"`
}

// A ReportFile counts the rows of one file.
type ReportFile struct {
	File      string `json:"file"`
	Read      int64  `json:"read" doc:"Rows in the file, and manual ones."`
	LeftOut   int64  `json:"left_out" doc:"Rows that cannot be used."`
	Added     int64  `json:"added" doc:"Rows that the version before did not have."`
	Changed   int64  `json:"changed"`
	Removed   int64  `json:"removed"`
	Unchanged int64  `json:"unchanged"`
	Used      bool   `json:"used" doc:"False for a file that is only counted."`
}

type reportRow struct {
	ImportedAt *time.Time
	Files      []ReportFile
	Findings   []reportTotal
	ComparedTo *time.Time
	Before     []reportTotal
	HeldReason *string
	HeldFrom   *time.Time
	Hold       *notice.Hold
}

type reportTotal struct {
	Code   string `json:"code"`
	Effect string `json:"effect"`
	File   string `json:"file"`
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

var reportOf = rest.SQL[edition.VersionKey, reportRow](`
	SELECT v.imported_at, coalesce(v.report->'files', '[]') AS files, coalesce(v.report->'findings', '[]') AS findings,
	       b.imported_at AS compared_to, coalesce(b.report->'findings', '[]') AS before,
	       h.reason AS held_reason, h.live_from AS held_from, h.report->'hold' AS hold
	FROM transit.feed_version v
	LEFT JOIN LATERAL (
	  SELECT o.imported_at, o.report FROM transit.feed_version o
	  WHERE o.feed_id = v.feed_id AND o.version_id < v.version_id AND o.imported_at IS NOT NULL AND o.report IS NOT NULL
	  ORDER BY o.version_id DESC LIMIT 1) b ON true
	LEFT JOIN transit.feed_version h ON h.feed_id = v.feed_id AND h.state = 'held'
	WHERE v.version_id = @version_id`)

type examplesArgs struct {
	VersionID replica.Version
	Most      int // maximum per code and file
	Limit     int
}

// MaxExamples bounds the findings per code and file in a report.
const MaxExamples = 5

var reportExamples = rest.SQL[examplesArgs, ReportExample](`
	SELECT code, effect, file, line, field, value, row_id, shape_id
	FROM (SELECT code, effect, file, line, field, value, row_id, shape_id, n, row_number()
	  OVER (PARTITION BY code, file, effect ORDER BY n) AS k
	      FROM transit.audit_line WHERE version_id = @version_id) l
	WHERE k <= @most
	ORDER BY n
	LIMIT @limit`)

func (a *API) reportEndpoints() rest.Table {
	return rest.Table{
		single(a, rest.Spec{ID: "static.feed_report", Path: wire.FeedPath + "/report", Summary: "What is wrong with a feed",
			Doc: "What the import found in the files of the version that is served: each kind with its severity, how often, " +
				"where, and what to do about it. " +
				"The rules are those of the GTFS reference that matter to riders, by the names of the canonical validator.",
			Queries: rest.Queries(reportOf, reportExamples), NotFound: "unknown feed"},
			func(ctx context.Context, c *rest.Call, f *edition.Feed, _ wire.FeedParams) (Report, wire.Links, error) {
				r, err := a.ReadReport(ctx, c, f)
				return r, wire.Links{{Rel: "feed", Href: c.URL(wire.FeedPath, f.Alias)}}, err
			}),
		rest.From(rest.Spec{ID: "static.feed_report_csv", Path: wire.FeedPath + "/report.csv",
			Summary: "What is wrong with a feed, line by line, as CSV",
			Doc: "UTF-8 with a header row, RFC 4180, a row for each finding, by file and line. The import stores at " +
				"most 2,000 rows of one kind in one file, and this file has at most 20,000: a feed that breaks a " +
				"rule in each of a million rows has one cause. The report counts all. A text that a spreadsheet " +
				"would run has a single quote before it.",
			Tag: tagStatic, Queries: rest.Queries(reportExamples), NotFound: "unknown feed", Media: "text/csv"},
			feed[wire.FeedParams](a), reportCSV),
	}
}

// ReadReport returns the report of the version that is served.
func (a *API) ReadReport(ctx context.Context, c *rest.Call, f *edition.Feed) (Report, error) {
	r := Report{Label: f.Name, Alias: f.Alias, SHA256: f.SHA256, FirstDay: f.FirstDay, LastDay: f.LastDay,
		Findings: []ReportFinding{}}
	row, err := reportOf.One(ctx, c, f.Key())
	if err != nil {
		return r, err
	}
	examples, err := reportExamples.List(ctx, c, examplesArgs{f.Version, MaxExamples, maxReportRows})
	if err != nil {
		return r, err
	}
	clock := func(at *time.Time) *string {
		if at == nil {
			return nil
		}
		text := at.In(f.Zone).Format(time.RFC3339)
		return &text
	}
	r.ImportedAt = clock(row.ImportedAt)
	r.ComparedTo = clock(row.ComparedTo)
	r.Files = row.Files
	if row.HeldReason != nil {
		r.Held = &ReportHeld{*row.HeldReason, clock(row.HeldFrom), row.Hold}
	}
	at := map[string]int{}
	for _, t := range row.Findings {
		i, found := at[t.Code]
		if !found {
			i = len(r.Findings)
			at[t.Code] = i
			r.Findings = append(r.Findings, newFinding(t))
		}
		r.Findings[i].Count += t.Count
		r.Findings[i].Files = append(r.Findings[i].Files, ReportPlace{t.File, t.Effect, t.Count})
	}
	for _, e := range examples {
		if i, found := at[e.Code]; found {
			r.Findings[i].Examples = append(r.Findings[i].Examples, e)
		}
	}
	r.compare(row)
	for _, f := range r.Findings {
		switch check.Severity(f.Severity) {
		case check.Error:
			r.Errors++
		case check.Warning:
			r.Warnings++
		default:
			r.Infos++
		}
	}
	slices.SortStableFunc(r.Findings, func(x, y ReportFinding) int {
		return cmp.Or(cmp.Compare(check.Severity(x.Severity).Rank(), check.Severity(y.Severity).Rank()),
			cmp.Compare(y.Count, x.Count), cmp.Compare(x.Code, y.Code))
	})
	return r, nil
}

// compare sets the changes since the previous version, if there is one.
func (r *Report) compare(row reportRow) {
	r.Gone = []ReportGone{}
	if row.ComparedTo == nil {
		return
	}
	before, kinds := map[string]int{}, []reportTotal{}
	for _, t := range row.Before {
		if before[t.Code] == 0 {
			kinds = append(kinds, t)
		}
		before[t.Code] += t.Count
	}
	for i := range r.Findings {
		count := before[r.Findings[i].Code]
		r.Findings[i].Before = &count
	}
	for _, t := range kinds {
		if !slices.ContainsFunc(r.Findings, func(f ReportFinding) bool { return f.Code == t.Code }) {
			f := newFinding(t)
			r.Gone = append(r.Gone, ReportGone{f.Code, f.Severity, f.Message, before[t.Code]})
		}
	}
}

// newFinding describes a code of findings. If an older release used the code, its stored sentence
// is the description.
func newFinding(t reportTotal) ReportFinding {
	rule, known := check.RuleOf(gtfs.Code(t.Code))
	f := ReportFinding{Code: t.Code, Severity: string(rule.Severity), Message: t.Reason, Examples: []ReportExample{}}
	switch {
	case known:
		f.Message, f.Advice = rule.Message(notice.English()), rule.Advice(notice.English())
	case gtfs.Effect(t.Effect) == gtfs.RowLeftOut:
		f.Severity = string(check.Error)
	}
	return f
}
