package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// A votePlace locates a divided vote of the demo town.
type votePlace struct{ vote, meeting, page, member, other, anomaly string }

// divided finds a divided vote with a known page. Addresses of pages need its ids, which differ in each
// run. The demo town publishes votes until December 5, 2026, so that the newest one depends on the day.
func (w town) divided(t *testing.T) votePlace {
	t.Helper()
	var list struct {
		Data []struct {
			ID        int64  `json:"id"`
			MeetingID int64  `json:"meeting_id"`
			SourceURL string `json:"source_url"`
			Positions []struct {
				MemberID int64 `json:"member_id"`
			} `json:"positions"`
		} `json:"data"`
	}
	w.ask(t, "/v1/votes?split=true&limit=20&to=2026-11-12", &list)
	for _, v := range list.Data {
		if _, page, found := strings.Cut(v.SourceURL, "#page="); found && len(v.Positions) > 1 {
			id := func(n int64) string { return strconv.FormatInt(n, 10) }
			return votePlace{vote: id(v.ID), meeting: id(v.MeetingID), page: page, member: id(v.Positions[0].MemberID),
				other:   id(v.Positions[1].MemberID),
				anomaly: w.doubted(t)}
		}
	}
	t.Fatal("the demo town has no divided vote with a page")
	return votePlace{}
}

// doubted returns an anomaly of a vote whose lines are marked on its page. It skips anomalies about
// several movers, because a correction does not remove them.
func (w town) doubted(t *testing.T) string {
	t.Helper()
	for _, code := range []string{"code=mover-multiple&", ""} {
		var list struct {
			Data []struct{ ID int64 }
		}
		w.ask(t, "/v1/anomalies?"+code+"limit=200", &list)
		for _, a := range list.Data {
			var one struct {
				MeetingID int64  `json:"meeting_id"`
				VoteID    *int64 `json:"vote_id"`
				Page      *int   `json:"source_page"`
			}
			var page struct {
				Votes []struct {
					VoteID int64 `json:"vote_id"`
				}
			}
			if w.ask(t, fmt.Sprintf("/v1/anomalies/%d", a.ID), &one); one.VoteID == nil || one.Page == nil {
				continue
			}
			w.ask(t, fmt.Sprintf("/v1/meetings/%d/minutes/%d", one.MeetingID, *one.Page), &page)
			for _, v := range page.Votes {
				if v.VoteID == *one.VoteID {
					return strconv.FormatInt(a.ID, 10)
				}
			}
		}
	}
	t.Fatal("the demo town has no anomaly of a marked vote")
	return ""
}

// ask decodes an answer of the council's API, and returns its status.
func (w town) ask(t *testing.T, path string, into any) int {
	t.Helper()
	r, err := http.Get(w.council + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode == http.StatusOK {
		if err := json.NewDecoder(r.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	return r.StatusCode
}

// address returns a path of the council's pages with the ids of the vote.
func (p votePlace) address(path string) string {
	return strings.NewReplacer("{vote}", p.vote, "{meeting}", p.meeting, "{page}", p.page, "{member}", p.member, "{other}",
		p.other, "{anomaly}", p.anomaly).Replace(path)
}

// brokenWords lists the words of a page that break over two lines.
const brokenWords = `(() => {
	const broken = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
	for (let n; n = walk.nextNode();) if (n.parentElement.checkVisibility()) for (const word of n.data.matchAll(/[\p{L}\p{N}]+/gu)) {
		const range = document.createRange();
		range.setStart(n, word.index + (n.data[word.index - 1] === "\u00ad" ? 1 : 0)); // without the box of the hyphen
		range.setEnd(n, word.index + word[0].length);
		if (new Set([...range.getClientRects()].filter(box => box.width > .5).map(box => Math.round(box.top))).size > 1) broken.push(word[0]);
	}
	return broken.join(" ");
})()`

// testWords checks that no word breaks on a small phone. The sample is one view of each page.
func testWords(t *testing.T, browser *pagetest.Browser, w town) {
	member := w.divided(t).address("/members/{member}")
	for n, path := range []string{"/topics", "/members", "/anomalies", member, "/members/agreement", member} {
		views := []pagetest.View{{Width: 320, Language: "es"}, {Width: 360}, {Width: 320, Language: "fr"}}
		if !everything() {
			views = views[n%len(views):][:1]
		}
		for _, view := range views {
			if broken := browser.Open(t, w.council+path, view).Eval(brokenWords); broken != "" {
				t.Errorf("%s in %s breaks %s", path, view.Name(), broken)
			}
		}
	}
}

// testCitation checks that the citation of a vote has the day of the visit, in the reader's language.
func testCitation(t *testing.T, browser *pagetest.Browser, w town) {
	path, year := w.council+w.divided(t).address("/votes/{vote}"), regexp.MustCompile(`\b20\d\d\b`)
	for lang, begin := range map[string]string{"en": "Accessed ", "es": "Consultado el ", "fr": "Consulté le "} {
		p := browser.Open(t, path, pagetest.View{Language: lang, Print: lang == "en"})
		p.Wait(`document.getElementById("accessed").textContent.trim()`)
		cited := p.Eval(`document.querySelector(".cite").innerText`)
		_, day, found := strings.Cut(cited, begin)
		if !found || !year.MatchString(day) || !strings.Contains(cited, "/votes/") {
			t.Errorf("%s: %q", lang, cited)
		}
		if shift := p.Shift(); shift > loading {
			t.Errorf("%s: the day shifts the page by %v", lang, shift)
		}
	}
	// Whether the script writes before the first rendering is chance, so the place is measured without a day
	// and with the longest one.
	const grown = `(() => {
		const place = document.getElementById("accessed"), cite = document.querySelector(".cite");
		place.textContent = "\u00a0";
		const before = cite.offsetHeight;
		place.textContent = place.dataset.said.replace("{0}", new Date(2028, 8, 28).toLocaleDateString(
			place.dataset.day, {year: "numeric", month: "long", day: "numeric"}));
		return cite.offsetHeight - before || place.scrollWidth - place.clientWidth;
	})()`
	for _, lang := range []string{"en", "es", "fr"} {
		for _, width := range []int{1280, 390, 320} {
			p := browser.Open(t, path, pagetest.View{Language: lang, Width: width})
			if more := p.Eval(grown); more != "0" {
				t.Errorf("%s, %d pixels: the day takes %s pixels more than its place", lang, width, more)
			}
		}
	}
	for _, width := range []int{1280, 390, 320} {
		p := browser.Open(t, path, pagetest.View{Width: width, Height: 844})
		if shift := p.Trickle(); shift > still {
			t.Errorf("in parts, at %d pixels the page shifts by %v: %s", width, shift, p.Moved())
		}
	}
}

// testMinutes checks that the lines of the minutes are in sight where a page cites them.
func testMinutes(t *testing.T, browser *pagetest.Browser, w town) {
	place := w.divided(t)
	for _, path := range []string{"/meetings/{meeting}/minutes?page={page}", "/anomalies/{anomaly}"} {
		p := browser.Open(t, w.council+place.address(path), pagetest.View{Language: "en"})
		if p.Eval(`document.querySelector(".printed pre").offsetHeight > 20`) != "true" {
			t.Errorf("%s hides the minutes:\n%s", path, p.Text())
		}
	}
}
