package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pagetest"
	"github.com/townline/townline/services/townline"
)

// A desk has the clerk's pages of the demo town: `townline review`, with a link for each clerk.
type desk struct{ links []string }

// clerks returns the names of reviewers. The first clerk uses the keyboard; each other clerk opens
// the pages in a different view.
func clerks(views int) []string {
	names := make([]string, 1+views)
	for i := range names {
		names[i] = fmt.Sprintf("Ann Example %d", i)
	}
	return names
}

// openDesk runs `townline review` for the town until the test ends.
func openDesk(t *testing.T, w town, names []string) desk {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	said := &screen{wake: make(chan struct{}, 1)}
	ended := make(chan int, 1)
	args := []string{"review", "--data", w.data, "--addr", "127.0.0.1:0"}
	for _, name := range names {
		args = append(args, "--by", name)
	}
	go func() { ended <- townline.Main(ctx, args, conf.Environ{}, said, said) }()
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != 0 {
			t.Errorf("review ended with %d:\n%s", status, said.text())
		}
	})
	var d desk
	for _, name := range names {
		d.links = append(d.links, said.wait(t, fmt.Sprintf(`open once for %s: (http://\S+)`, name)))
	}
	return d
}

// testReview performs each action on an anomaly with Tab, letters and Enter only, like a clerk
// without a mouse. At the end it withdraws the correction, so that other tests find the votes of
// the minutes.
func testReview(t *testing.T, browser *pagetest.Browser, w town, d desk) {
	p := browser.Open(t, d.links[0], pagetest.View{Language: "en"})
	if text := p.Text(); !strings.Contains(text, "0 of ") || !strings.Contains(text, "reviewed") {
		t.Errorf("the list does not begin with the progress:\n%s", text)
	}
	if r, err := http.Get(d.links[0]); err != nil {
		t.Error(err)
	} else if r.Body.Close(); r.StatusCode != http.StatusForbidden {
		t.Errorf("a link works twice: %d", r.StatusCode)
	}
	at := w.doubted(t)
	p.TabTo(fmt.Sprintf(`ul.list a[href*="/anomalies/%s"]`, at))
	p.PressAnew(pagetest.Enter)
	says := func(what string, texts ...string) {
		t.Helper()
		page := p.Text()
		for _, text := range texts {
			if !strings.Contains(page, text) {
				t.Errorf("after %s the page lacks %q:\n%s", what, text, page)
			}
		}
	}
	says("a choice of the list", "Text of the minutes", "Parsed vote", "State: open")
	if top := p.Eval(`document.querySelector(".markedvote").getBoundingClientRect().top < innerHeight`); top != "true" {
		t.Error("the page opens with the lines of the vote below the window")
	}
	if marked := p.Eval(`document.querySelector(".markedvote").innerText`); !strings.Contains(marked, "RESULT") {
		t.Errorf("the page of the anomaly does not mark the lines of its vote: %q", marked)
	}
	press := func(button string) {
		t.Helper()
		p.TabTo(fmt.Sprintf(`button[value=%s]`, button))
		p.PressAnew(pagetest.Enter)
	}
	p.TabTo("#f-text")
	p.Press("A clerical error, said without a mouse.")
	press("replied")
	says("a reply", "Stored, number", "A clerical error, said without a mouse.", "Ann Example 0", "State: open")
	press("accepted")
	says("an acceptance", "State: confirmed")
	press("undone")
	says("an undo", "undone", "State: open")
	press("rejected")
	says("a rejection", "State: dismissed")
	press("undone")

	// The page shows a preview of a correction before the correction is stored.
	open := func(summary string) {
		t.Helper()
		p.TabTo(summary)
		p.Press(pagetest.Enter)
	}
	open(`details:has(input[value=vote]) > summary`)
	mover := p.Eval(
		`Array.from(document.querySelectorAll("#people option")).map(o => o.value).find(name => name !== document.getElementById("f-vote-mover").value)`)
	p.TabTo("#f-vote-mover")
	p.Press(mover)
	p.TabTo("#f-vote-reason")
	p.Press("the recording of the meeting")
	p.TabTo("#f-vote-document")
	p.Press("recording, 0:12:30")
	press("look")
	says("a look", "Nothing is stored yet", mover)
	press("store")
	says("a correction", "Stored, number", "the recording of the meeting", "State: corrected")
	open(`ul.list details > summary`)
	p.TabTo(`ul.list textarea[name=reason]`)
	p.Press("it was another meeting")
	press("withdraw")
	says("a withdrawal", "correction 1 withdrawn", "it was another meeting", "State: open")
	until(t, w.council+"/v1/anomalies/"+at, "said without a mouse")

	p.TabTo(`main p a[href^="/"]`)
	p.PressAnew(pagetest.Enter)
	says("the way back", "A clerical error, said without a mouse.")
}

// testDesk checks the clerk's pages by the rules for all pages.
func testDesk(t *testing.T, browser *pagetest.Browser, w town, d desk, views []pagetest.View) {
	at := w.doubted(t)
	for i, v := range views {
		t.Run(v.Name(), func(t *testing.T) {
			t.Parallel()
			p := browser.Open(t, d.links[1+i], v)
			s := sight{name: "review-list", api: "review"}
			judge(t, p, v, s)
			judgeTab(t, p)
			p.Screenshot(s.name)
			p.TabTo(fmt.Sprintf(`ul.list a[href*="/anomalies/%s"]`, at))
			p.PressAnew(pagetest.Enter)
			if shift := p.Shift(); shift > loading {
				t.Errorf("the page of the anomaly shifts by %v", shift)
			}
			p.Eval(`document.querySelectorAll("details").forEach(d => d.open = true)`)
			s.name, s.opened = "review-anomaly", true
			judge(t, p, v, s)
			judgeTab(t, p)
			p.Screenshot(s.name)
			testNotices(t, p, v)
		})
	}
}

// testNotices checks the operator's pages by the rules for all pages, and publishes and ends a
// notice about a stop without a mouse.
func testNotices(t *testing.T, p *pagetest.Page, v pagetest.View) {
	t.Helper()
	open := func(selector, name string) {
		t.Helper()
		p.TabTo(selector)
		p.PressAnew(pagetest.Enter)
		s := sight{name: name, api: "review"}
		judge(t, p, v, s)
		p.Screenshot(s.name)
	}
	open(`nav a[href^="/notices"]`, "notices")
	open(`a.button`, "notices-about")
	p.TabTo(`#f-q`)
	p.Press("Ferry")
	p.PressAnew(pagetest.Enter)
	open(`ul.list a[href*="type=stops"]`, "notices-new")
	if rows := p.Eval(`innerWidth < 1200 ? 1 : new Set(Array.from(document.querySelectorAll(".tick"), e => e.offsetTop)).size`); rows != "1" {
		t.Errorf("the days of the week take %s rows", rows)
	}
	p.TabTo(`#f-text`)
	p.Press("Closed **today**.")
	open(`button[value=look]`, "notices-preview")
	if bold := p.Eval(`document.querySelector(".shown strong").innerText`); bold != "today" {
		t.Errorf("the preview lacks the notice: %q", bold)
	}
	open(`button[value=store]`, "notices-stored")
	if number := p.Eval(`document.querySelector("[role=status]").innerText`); !strings.ContainsAny(number, "123456789") {
		t.Errorf("the list does not say what was stored: %q", number)
	}
	p.TabTo(`form button.quiet`)
	p.PressAnew(pagetest.Enter)
}
