package civic

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// A Presence is the entry of a member in one attendance list.
type Presence struct {
	wire.Key
	MeetingID   int64     `json:"meeting_id" doc:"The meeting: iqm2_id."`
	MeetingDate rest.Date `json:"meeting_date" doc:"Local date of the meeting."`
	BodyRef
	MeetingTitle string `json:"meeting_title" doc:"The meeting as the calendar shows it."`
	Name         string `json:"name" doc:"The member's name as printed."`
	Title        string `json:"title" doc:"The member's title as printed." example:"Vice Mayor"`
	Status       string `json:"status" doc:"As printed." example:"Present"`
}

// Attendance is a page of a member's entries, with counts of all entries.
type Attendance struct {
	wire.Page[Presence]
	Counts []StatusCount `json:"counts" doc:"All lines about the member, on all pages, by what is printed, most frequent first; with several bodies, separate counts for each."`
}

// A StatusCount is the number of a member's entries with one status.
type StatusCount struct {
	Status string `json:"status" doc:"As printed." example:"Present"`
	Count  int64  `json:"count" doc:"Attendance lists with it."`
	BodyRef
}

type attendanceParams struct {
	MemberParams
	wire.Keyset
}

var (
	presences = rest.SQL[attendanceParams, Presence](`
		SELECT a.iqm2_id AS meeting_id, a.meeting_date, ` + BodyColumns + `, m.title AS meeting_title, a.name, a.title, a.status,
		       jsonb_build_array(a.meeting_date, a.starts_at, a.iqm2_id, a.ord) AS cursor
		FROM council.member b
		JOIN council.attendance a ON a.name_key = b.name_key
		JOIN council.meeting m ON m.iqm2_id = a.iqm2_id` + JoinBody("a") + `
		WHERE b.id = @id` + InBody("a") + AfterCursor("a", "a.ord > (@after::jsonb->>3)::integer") + `
		ORDER BY a.meeting_date DESC, a.starts_at DESC, a.iqm2_id DESC, a.ord
		LIMIT @limit`)

	// PresenceCounts counts a member's entries by status, and by body if there are several.
	PresenceCounts = rest.SQL[MemberParams, StatusCount](`
		SELECT t.status, count(*) AS count, ` + BodyColumns + `
		FROM council.member b
		JOIN council.attendance t ON t.name_key = b.name_key` + bodyCells + `
		WHERE b.id = @id
		GROUP BY t.status, cell.body_id, body.body_id
		ORDER BY count(*) DESC, t.status, cell.body_id`)
)

var AttendanceEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "listAttendance", Path: "/members/{id}/attendance", Tag: "Members",
		Summary: "One member in the attendance lists of meetings, newest first",
		Doc: "The lines of printed attendance lists with the member's name, as the minutes print them. Meetings " +
			"whose minutes have no list, or do not name the member there, are not counted.",
		NotFound: "unknown member", Queries: rest.Queries(memberExists, presences, PresenceCounts)}, listAttendance),
}

func listAttendance(ctx context.Context, c *rest.Call, p attendanceParams) (Attendance, error) {
	if _, err := memberExists.One(ctx, c, p.IDParams); err != nil {
		return Attendance{}, Missing(err, "member", p.ID)
	}
	page, err := wire.Walk(ctx, c, presences, p)
	if err != nil {
		return Attendance{}, err
	}
	counts, err := PresenceCounts.List(ctx, c, p.MemberParams)
	return Attendance{page, counts}, err
}
