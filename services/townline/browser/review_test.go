package browser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pagetest"
	"github.com/townline/townline/services/townline"
)

// The clerk's pages, by a link that works once: the list, and an anomaly, which is answered by keys alone.
func testReview(t *testing.T, browser *pagetest.Browser, w town) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	said := &screen{wake: make(chan struct{}, 1)}
	ended := make(chan int, 1)
	names := []string{"Ann Example", "Bo Example", "Cy Example"}
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
	for n, v := range []pagetest.View{{Language: "en"}, {Language: "es", Dark: true, Width: 320}, {Language: "fr", Zoom: 2, Forced: true}} {
		link := said.wait(t, fmt.Sprintf(`open once for %s: (http://\S+)`, names[n]))
		p := browser.Open(t, link, v)
		judge(t, p, v, sight{moves: true})
		judgeTab(t, p)
		p.Screenshot("review-list")
		at := p.Eval(`document.querySelector("ul.list a").href`)
		p.Go(at)
		p.Eval(`document.querySelectorAll("details").forEach(d => d.open = true)`)
		judge(t, p, v, sight{moves: true})
		judgeTab(t, p)
		p.Screenshot("review-anomaly")
		if n > 0 {
			continue
		}
		p.Anew(`document.getElementById("f-text").value = "A clerical error."; document.querySelector("button[value=replied]").click()`)
		if text := p.Text(); !strings.Contains(text, "A clerical error.") || !strings.Contains(text, "Ann Example") || !strings.Contains(text, "Stored, number") {
			t.Errorf("after the reply:\n%s", text)
		}
	}
}
