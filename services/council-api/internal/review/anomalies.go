// Package review serves anomalies, their reviews, corrections, changes, and the proof of a vote,
// which combines them. The votes themselves are in internal/civic.
//
// It only reads. People write reviews and corrections with the townline command; council-ingest
// applies corrections.
package review

import (
	"context"
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// An Anomaly is a contradiction, a gap or an unreadable place in the sources. The vote shows what
// is printed; no anomaly is corrected without a statement.
type Anomaly struct {
	wire.Key
	ID          int64     `json:"id" doc:"Stable over re-parses of the same minutes."`
	MeetingID   int64     `json:"meeting_id" doc:"The meeting: iqm2_id."`
	MeetingDate rest.Date `json:"meeting_date" doc:"Local date of the meeting."`
	civic.BodyRef
	MeetingTypeRaw string              `json:"meeting_type_raw" doc:"The meeting's type as the portal writes it."`
	ItemID         *int64              `json:"item_id" doc:"Null if the anomaly concerns the whole meeting."`
	ItemNumber     *string             `json:"item_number" doc:"The item's number as printed."`
	ItemTitle      *string             `json:"item_title" doc:"The item's title."`
	Kind           council.AnomalyKind `json:"kind" doc:"A typo, something missing, something that contradicts something else, or an error in reading."`
	Code           string              `json:"code" doc:"The rule that is broken." example:"tally-mismatch"`
	Message        string              `json:"message" doc:"What is wrong, in words, with the printed text."`
	SourcePage     *int                `json:"source_page" doc:"Page of the minutes PDF, from 1."`
	MinutesURL     *string             `json:"minutes_url" format:"uri" doc:"The approved minutes, at the page (#page=N) where it is known."`
}

// AnomalyPage is a page of anomalies. Its counts are of all that match the filters.
type AnomalyPage struct {
	wire.Page[Anomaly]
	Counts AnomalyCounts `json:"counts" doc:"All anomalies that match the filters, on all pages, by kind."`
}

// AnomalyCounts has the number of anomalies of each kind.
type AnomalyCounts struct {
	Typo          int64 `json:"typo" doc:"Misspelt words."`
	Missing       int64 `json:"missing" doc:"Missing parts."`
	Inconsistency int64 `json:"inconsistency" doc:"Parts that contradict each other."`
	Error         int64 `json:"error" doc:"What could not be read."`
}

type anomalyFilter struct {
	From      *rest.Date           `query:"from" doc:"First local date of the meeting." example:"2026-01-01"`
	To        *rest.Date           `query:"to" doc:"Last local date of the meeting." example:"2026-12-31"`
	Kind      *council.AnomalyKind `query:"kind" doc:"Only anomalies of this kind."`
	Code      *string              `query:"code" minlen:"1" maxlen:"60" doc:"Only anomalies with this code." example:"tally-mismatch"`
	MeetingID *int64               `query:"meeting_id" min:"1" null:"true" doc:"Only anomalies of this meeting."`
	civic.OfBody
}

type AnomaliesParams struct {
	wire.Keyset
	wire.Links
	anomalyFilter
}

const anomalyColumns = `
	a.id, a.iqm2_id AS meeting_id, m.meeting_date, ` + civic.BodyColumns + `, m.meeting_type_raw, i.id AS item_id,
	i.item_number, i.title AS item_title, a.kind, a.code, a.message, a.source_page,
	CASE WHEN n.minutes_id IS NOT NULL THEN ` + civic.MinutesURL + ` ELSE m.minutes_url END
	|| CASE WHEN a.source_page IS NULL THEN '' ELSE '#page=' || a.source_page END AS minutes_url,
	jsonb_build_array(m.meeting_date, m.starts_at, m.iqm2_id, a.ord, jsonb_build_array(a.id)) AS cursor`

// anomalySources joins the tables that [anomalyColumns] reads.
var anomalySources = `
	JOIN council.meeting m ON m.iqm2_id = a.iqm2_id` + civic.Sources + civic.JoinBody("m") + `
	LEFT JOIN council.item i ON i.id = a.item_id`

var selectAnomaly = `
	SELECT` + anomalyColumns + `
	FROM council.anomaly a` + anomalySources

var whereAnomaly = `
	WHERE (@from::date IS NULL OR a.meeting_date >= @from)
	  AND (@to::date IS NULL OR a.meeting_date <= @to)
	  AND (@kind::text IS NULL OR a.kind = @kind)
	  AND (@code::text IS NULL OR a.code = @code)
	  AND (@meeting_id::bigint IS NULL OR a.iqm2_id = @meeting_id)` + civic.InBody("a")

var (
	anomalyRows = rest.SQL[AnomaliesParams, Anomaly](selectAnomaly + whereAnomaly +
		civic.AfterCursor("a", "a.ord > "+civic.PlaceOf("anomaly")) + `
		ORDER BY a.meeting_date DESC, a.starts_at DESC, a.iqm2_id DESC, a.ord
		LIMIT @limit`)

	anomalyCounts = rest.SQL[anomalyFilter, AnomalyCounts](`
		SELECT count(*) FILTER (WHERE a.kind = 'typo') AS typo, count(*) FILTER (WHERE a.kind = 'missing') AS missing,
		       count(*) FILTER (WHERE a.kind = 'inconsistency') AS inconsistency, count(*)
		         FILTER (WHERE a.kind = 'error') AS error
		FROM council.anomaly a` + whereAnomaly)
)

func anomalyCodes() string {
	var b strings.Builder
	b.WriteString("If a page of the minutes has too many anomalies of one code, one anomaly sums up the rest. The codes:")
	for i, r := range council.AnomalyRules() {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, " `%s` (%s): %s", r.Code, r.Kind, strings.ReplaceAll(r.Meaning, ";", ","))
	}
	return b.String() + "."
}

var AnomalyEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "listAnomalies", Path: "/anomalies", Tag: "Anomalies", Summary: "What is wrong in the " +
		"sources, newest meeting first", Doc: anomalyCodes(),
		Queries: rest.Queries(anomalyRows, anomalyCounts)}, ListAnomalies),
	rest.Func(rest.Spec{ID: "getAnomaly", Path: "/anomalies/{id}", Tag: "Anomalies", Summary: "One anomaly with its " +
		"review, the clerk's reply and the corrections that answer it",
		Doc: "A person looks at each anomaly and says what is so, with name and time. An anomaly that was reviewed " +
			"keeps its address even if a later reading does not have it any more: its state is gone then.",
		NotFound: "unknown anomaly",
		Queries:  rest.Queries(oneAnomaly, reviewsOfAnomaly, correctionsOfAnomaly)}, GetAnomaly),
	repliesEndpoint(),
}

func ListAnomalies(ctx context.Context, c *rest.Call, p AnomaliesParams) (AnomalyPage, error) {
	page, err := wire.Walk(ctx, c, anomalyRows, p)
	if err != nil {
		return AnomalyPage{}, err
	}
	counts, err := anomalyCounts.One(ctx, c, p.anomalyFilter)
	return AnomalyPage{page, counts}, err
}

// AnomaliesOfMeeting lists a meeting's anomalies in the order of the document, but not more than
// most.
func AnomaliesOfMeeting(ctx context.Context, c *rest.Call, meeting int64, most int) ([]Anomaly, error) {
	var p AnomaliesParams
	p.MeetingID, p.Fetch = &meeting, most
	p.Base = c.URL("")
	return anomalyRows.List(ctx, c, p)
}
