package councilapi

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// A member's page first lists the divided votes. Each list of votes says how many it has, and each
// figure of the page is the number of the list that it opens.
func TestMemberPagesCountTheirLists(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 21, 30)
	srv := testServer(t, reader)
	m := w.members[0].id
	minority := func(v *wVote) bool {
		return v.result == council.Adopted && v.of(m) == council.Nay || v.result == council.Failed && v.of(m) == council.Aye
	}
	for query, keep := range map[string]func(*wVote) bool{
		"":                            func(v *wVote) bool { return !v.unanimous },
		"show=all":                    func(*wVote) bool { return true },
		"split=false":                 func(v *wVote) bool { return v.unanimous },
		"position=nay":                func(v *wVote) bool { return v.of(m) == council.Nay },
		"minority=true":               minority,
		"minority=true&result=failed": func(v *wVote) bool { return minority(v) && v.result == council.Failed },
	} {
		want := int64(0)
		for i := range w.votes {
			if v := &w.votes[i]; v.of(m) != "" && keep(v) {
				want++
			}
		}
		page := browse(t, srv, fmt.Sprintf("/members/%d?%s", m, query)).Body.String()
		found := fmt.Sprintf("<p>%d votes were found.</p>", want)
		if want == 1 {
			found = "<p>1 vote was found.</p>"
		}
		if want > 0 && !strings.Contains(page, found) {
			t.Errorf("%q has not %s:\n%s", query, found, page)
		}
		if query == "" || query == "show=all" {
			continue
		}
		var count struct{ Total int64 }
		documented(t, srv).Get(t, fmt.Sprintf("/v1/members/%d/votes/count?%s", m, query)).JSON(t, &count)
		if count.Total != want {
			t.Errorf("%q: %d votes, want %d", query, count.Total, want)
		}
	}
	if a := documented(t, srv).Get(t, "/v1/members/424242/votes/count"); a.Status != 404 {
		t.Errorf("an unknown member: %d", a.Status)
	}
	votes := browse(t, srv, fmt.Sprintf("/votes?member=%d", m)).Body.String()
	first(t, votes, fmt.Sprintf(`<option value="%d" selected>`, m))
	first(t, votes, `<select id="f-member" name="member">`)
}

// Meetings that are not over come first, the next one at the top.
func TestMeetingsAreUpcomingOrPast(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 22, 12)
	newest := slices.MaxFunc(w.meetings, func(a, b wMeeting) int { return a.date.Compare(b.date) })
	execSQL(t, writer, `UPDATE council.meeting SET status = 'complete'`)
	execSQL(t, writer, `UPDATE council.meeting SET status = 'agenda_only' WHERE iqm2_id = $1`, newest.id)
	page := browse(t, testServer(t, reader), "/meetings").Body.String()
	coming, past, found := strings.Cut(page, "<h2>Past</h2>")
	if !found || strings.Count(coming, `<li class="entry">`) != 1 ||
		strings.Count(past, `<li class="entry">`) != len(w.meetings)-1 {
		t.Errorf("upcoming and past meetings are not apart:\n%s", page)
	}
}

// The page of a member begins with what the town says of the member, in the API's terms; without it
// neither has anything.
func TestMemberPagesShowOffices(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 21, 30)
	m, other := w.members[0], w.members[1]
	execSQL(t, writer, `INSERT INTO council.member_office (body_id, name_key, office, district, since, until)
		SELECT body_id, name_key, 'Mayor <b>', 'Ward 3', 2023, 2027 FROM council.member_body WHERE member_id = $1`, m.id)
	srv := testServer(t, reader)
	page := browse(t, srv, fmt.Sprintf("/members/%d", m.id)).Body.String()
	first(t, page, `<p class="office">Mayor &lt;b&gt; · Ward 3 · 2023–2027</p>`)
	first(t, page, `<meta name="description" content="Mayor &lt;b&gt; · Ward 3 · 2023–2027. `)
	first(t, browse(t, srv, "/members").Body.String(),
		fmt.Sprintf(`">%s</a> <span class="recorded">Mayor &lt;b&gt; · Ward 3 · 2023–2027</span>`, html.EscapeString(m.name)))
	type known struct {
		ID      int64
		Offices []struct {
			Office, District *string
			Since, Until     *int
		}
	}
	var profile known
	documented(t, srv).Get(t, fmt.Sprintf("/v1/members/%d", m.id)).JSON(t, &profile)
	var list struct{ Data []known }
	documented(t, srv).Get(t, "/v1/members").JSON(t, &list)
	for _, one := range list.Data {
		if (len(one.Offices) == 1) != (one.ID == m.id) {
			t.Errorf("the list has %+v", one)
		}
	}
	if len(profile.Offices) != 1 || *profile.Offices[0].Office != "Mayor <b>" || *profile.Offices[0].Until != 2027 {
		t.Errorf("the API has %+v", profile)
	}
	if page := browse(t, srv, fmt.Sprintf("/members/%d", other.id)).Body.String(); strings.Contains(page,
		`class="office"`) {
		t.Errorf("a member of whom the town says nothing has an office:\n%s", page)
	}
}
