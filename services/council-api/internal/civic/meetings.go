package civic

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// A Meeting is one meeting of the council.
type Meeting struct {
	wire.Key
	IQM2ID int64  `json:"iqm2_id" db:"iqm2_id" doc:"The id of the meeting, used in paths: for meetings of an IQM2 portal the portal's own, for those of any other portal a number of ours above 1,000,000,000. It stays, also when the council moves to another portal."`
	Body   string `json:"body" doc:"The body that meets." example:"City Council"`
	BodyRef
	MeetingType        council.MeetingType `json:"meeting_type" doc:"Kind of meeting."`
	MeetingTypeRaw     string              `json:"meeting_type_raw" doc:"The type as the portal writes it." example:"Special Meeting/Closed Session"`
	MeetingDate        rest.Date           `json:"meeting_date" doc:"Local date."`
	StartsAt           rest.Time           `json:"starts_at" doc:"Scheduled start, UTC."`
	Title              string              `json:"title" doc:"As the calendar shows it." example:"City Council - Regular Meeting"`
	Location           *string             `json:"location" doc:"Room and address."`
	Status             council.Status      `json:"status" doc:"How much of the meeting is known. Only complete meetings have votes, and meetings in parse_error that were complete before."`
	SourceURL          string              `json:"source_url" format:"uri" doc:"The portal's page of the meeting."`
	AgendaURL          *string             `json:"agenda_url" format:"uri" doc:"The portal's agenda."`
	MinutesURL         *string             `json:"minutes_url" format:"uri" doc:"The portal's minutes."`
	ArchivedMinutesURL *string             `json:"archived_minutes_url" format:"uri" doc:"This API's copy of the minutes PDF as fetched; null until it is parsed."`
	ArchivedTextURL    *string             `json:"archived_text_url" format:"uri" doc:"The text that the votes were read from."`
	VideoURL           *string             `json:"video_url" format:"uri" doc:"The recording, if the portal links one."`
	LastFetched        *rest.Time          `json:"last_fetched" doc:"When this data was fetched; a later fetch without news does not change it."`
	ItemCount          int                 `json:"item_count" doc:"Agenda items of the meeting."`
	VoteCount          int                 `json:"vote_count" doc:"Votes of the meeting."`
}

// HasTime reports whether the start of a meeting is known. A start at midnight in the council's
// zone stands for a day without a time.
func HasTime(start time.Time, zone *time.Location) bool {
	if zone == nil {
		zone = time.UTC
	}
	local := start.In(zone)
	return local.Hour() != 0 || local.Minute() != 0
}

// A MeetingDetail is a meeting with its agenda and votes.
type MeetingDetail struct {
	Meeting
	Items []AgendaItem `json:"items" doc:"The agenda in order; each item with its votes."`
}

type MeetingsParams struct {
	wire.Keyset
	wire.Links
	From   *rest.Date           `query:"from" doc:"First local date." example:"2026-01-01"`
	To     *rest.Date           `query:"to" doc:"Last local date." example:"2026-12-31"`
	Status *council.Status      `query:"status" doc:"Only meetings in this status."`
	Type   *council.MeetingType `query:"type" doc:"Only meetings of this kind."`
	OfBody
}

// minutes_id is the document of the last successful parse.
var selectMeeting = `
	SELECT m.iqm2_id, m.body, m.meeting_type, m.meeting_type_raw, m.meeting_date, m.starts_at, m.title, m.location,
	       m.status,
	       coalesce(m.source_url, @base || '/meetings/' || m.iqm2_id) AS source_url, m.agenda_url, m.minutes_url,
	       CASE WHEN d.media_type = 'application/pdf'
	         THEN @base || '/meetings/' || m.iqm2_id || '/minutes.pdf' END AS archived_minutes_url,
	       CASE WHEN d.document_id IS NOT NULL
	         THEN @base || '/meetings/' || m.iqm2_id || '/minutes.txt' END AS archived_text_url,
	       m.video_url, m.last_fetched, m.item_count, m.vote_count, ` + BodyColumns + `,
	       jsonb_build_array(m.meeting_date, m.starts_at, m.iqm2_id) AS cursor
	FROM council.meeting m` + Sources + JoinBody("m")

var MeetingRows = rest.SQL[MeetingsParams, Meeting](selectMeeting + `
	WHERE (@from::date IS NULL OR m.meeting_date >= @from)
	  AND (@to::date IS NULL OR m.meeting_date <= @to)
	  AND (@status::text IS NULL OR m.status = @status)
	  AND (@type::text IS NULL OR m.meeting_type = @type)` + InBody("m") + AfterCursor("m", "false") + `
	ORDER BY m.meeting_date DESC, m.starts_at DESC, m.iqm2_id DESC
	LIMIT @limit`)

var oneMeeting = rest.SQL[IDLinks, Meeting](selectMeeting + ` WHERE m.iqm2_id = @id`)

var MeetingEndpoints = rest.Table{
	wire.List(rest.Spec{ID: "listMeetings", Path: "/meetings", Tag: "Meetings", Summary: "Meetings, newest first"},
		MeetingRows),
	rest.Func(rest.Spec{ID: "getMeeting", Path: "/meetings/{id}", Tag: "Meetings", Summary: "One meeting with its " +
		"agenda, votes and roll calls",
		NotFound: "unknown meeting", Queries: rest.Queries(oneMeeting, itemsOfMeeting, votesOfMeeting)}, GetMeeting),
}

func GetMeeting(ctx context.Context, c *rest.Call, p IDParams) (MeetingDetail, error) {
	args := LinksTo(c, p)
	m, err := oneMeeting.One(ctx, c, args)
	if err != nil {
		return MeetingDetail{}, Missing(err, "meeting", p.ID)
	}
	items, err := itemsOfMeeting.List(ctx, c, args)
	if err != nil {
		return MeetingDetail{}, err
	}
	votes, err := votesOfMeeting.List(ctx, c, args)
	if err != nil {
		return MeetingDetail{}, err
	}
	return MeetingDetail{m, withVotes(items, votes)}, nil
}

func withVotes(items []AgendaItem, votes []Vote) []AgendaItem {
	at := make(map[int64]int, len(items))
	for i := range items {
		items[i].Votes = []Vote{}
		at[items[i].ID] = i
	}
	for _, v := range votes {
		if i, ok := at[v.ItemID]; ok {
			items[i].Votes = append(items[i].Votes, v)
		}
	}
	return items
}

// FindMeeting returns a meeting without its agenda.
func FindMeeting(ctx context.Context, c *rest.Call, id int64) (Meeting, error) {
	m, err := oneMeeting.One(ctx, c, LinksTo(c, IDParams{id}))
	return m, Missing(err, "meeting", id)
}

// MeetingsBetween lists the meetings of a body between two days, newest first, but not more than
// most.
func MeetingsBetween(ctx context.Context, c *rest.Call, of OfBody, from, to *rest.Date, most int) ([]Meeting, error) {
	var p MeetingsParams
	p.OfBody, p.From = of, from
	p.To, p.Fetch = to, most
	p.Base = c.URL("")
	return MeetingRows.List(ctx, c, p)
}
