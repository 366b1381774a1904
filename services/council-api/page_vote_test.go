package councilapi

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// The page of a vote answers in one sentence, in each language, with a square a member, and folds
// the comparison of tally and names only if they agree.
func TestVotePageAnswersInOneSentence(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 19, 24)
	var v *wVote
	for i := range w.votes {
		if len(w.votes[i].roll) > 2 {
			v = &w.votes[i]
			break
		}
	}
	execSQL(t, writer, `UPDATE council.vote_position SET position = 'aye' WHERE vote_id = $1`, v.id)
	execSQL(t, writer, `UPDATE council.vote_position SET position = 'nay' WHERE vote_id = $1 AND member_id = $2`, v.id,
		v.roll[0].member)
	ayes, nay := len(v.roll)-1, w.name(v.roll[0].member)
	set := func(result council.Result, ayes, nays int) {
		execSQL(t, writer, `UPDATE council.vote SET result = $2, ayes_count = $3, nays_count = $4, unanimous = false
			WHERE id = $1`, v.id, result, ayes, nays)
	}
	set(council.Adopted, ayes, 1)
	// shown returns the page from a server of its own, which has no answers from before a change.
	shown := func(path string) string {
		return browse(t, testServer(t, reader, func(c *Config) { c.Embed = "*" }), path).Body.String()
	}
	path := fmt.Sprintf("/votes/%d", v.id)
	link := fmt.Sprintf(`<a href="/members/%d`, v.roll[0].member)
	for lang, want := range map[string][2]string{"en": {"Adopted %d to 1 on ", "Against: "},
		"es": {"Aprobada por %d a 1 el ", "En contra: "}, "fr": {"Adopté par %d voix contre 1 le ", "Contre\u202f: "}} {
		page := shown(path + "?lang=" + lang)
		answer := first(t, page, fmt.Sprintf(want[0], ayes))
		against := first(t, page, "</b> "+want[1]+link+"?lang="+lang+`">`+nay+"</a>.")
		if squares := strings.Count(page, `<i class="`); answer > against || squares != len(v.roll) {
			t.Errorf("%s: the answer is at %d, the names at %d, with %d squares for %d members", lang, answer, against,
				squares, len(v.roll))
		}
	}
	page := shown(path)
	first(t, page, "<details><summary>The tally and the names agree.</summary>")
	first(t, page, fmt.Sprintf(`<a href="/embed/votes/%d">`, v.id))
	first(t, page, `<a href="mailto:?`)
	first(t, page, "&lt;iframe src=")
	set(council.Failed, 1, ayes)
	first(t, shown(path), "<details open><summary>The tally and the names differ.")
	execSQL(t, writer, `UPDATE council.vote_position SET position = CASE position WHEN 'aye' THEN 'nay' ELSE 'aye' END
		WHERE vote_id = $1`, v.id)
	first(t, shown(path), "</b> In favor: "+link+`">`+nay+"</a>.")
	// Without names, the answer is the tally, and the page says that nobody is named.
	execSQL(t, writer, `DELETE FROM council.vote_position WHERE vote_id = $1`, v.id)
	set(council.Adopted, 5, 2)
	for lang, want := range map[string][2]string{"en": {"Adopted 5 to 2 on ", "name no member here."},
		"es": {"Aprobada por 5 a 2 el ", ""}, "fr": {"Adopté par 5 voix contre 2 le ", ""}} {
		page := shown(path + "?lang=" + lang)
		first(t, page, want[0])
		first(t, page, want[1])
		if strings.Contains(page, `<i class="`) {
			t.Errorf("%s: a square for a member who is not named", lang)
		}
	}
}

// A filtered list opens at what was found, and its feed is titled with the town's and the body's name.
func TestFoundVotesAndTheTitlesOfFeeds(t *testing.T) {
	t.Parallel()
	_, reader, _ := storedTown(t, 29, 10)
	srv := testServer(t, reader, func(c *Config) { c.Town = "Alder Bay" })
	page := browse(t, srv, "/votes?q=contract").Body.String()
	if first(t, page, `#found" method="get"`) > first(t, page, `id="found"`) {
		t.Error("the results are above the form")
	}
	for path, want := range map[string]string{"votes.atom": "Alder Bay",
		"votes.atom?body=planning-commission": "Planning"} {
		var f readFeed
		if err := xml.Unmarshal(documented(t, srv).Get(t, "/v1/feeds/"+path).Body, &f); err != nil ||
			!strings.Contains(f.Title, want) || !strings.Contains(f.Title, "Alder Bay") {
			t.Errorf("%s: %q, %v; want %s", path, f.Title, err, want)
		}
	}
}
