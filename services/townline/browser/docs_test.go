package browser_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// testDocs checks that the API documentation finds operations by words, opens the operation in the
// address, and sends requests.
func testDocs(t *testing.T, browser *pagetest.Browser, w town) {
	p := browser.Open(t, w.transit+"/gtfs/api/v2/docs#static.stop", pagetest.View{})
	if open := p.Eval(
		`Array.from(document.querySelectorAll("details[open] h3")).map(e => e.textContent).join()`); open != "One stop" {
		t.Errorf("the address opens %q", open)
	}
	p.Eval(`(() => { const q = document.getElementById("q"); q.value = "shape geojson"; q.dispatchEvent(new Event("input")) })()`)
	shown, said := p.Eval(`Array.from(document.querySelectorAll("details.op")).filter(e => !e.hidden).length`),
		p.Eval(`document.getElementById("found").textContent`)
	if said != shown+" operations" || len(shown) != 1 || shown == "0" {
		t.Errorf("the search has the text %q and shows %s", said, shown)
	}
	p.Eval(`(() => { const q = document.getElementById("q"); q.value = ""; q.dispatchEvent(new Event("input")) })()`)
	p.Eval(`document.querySelector('[id="static.stop"] form.try button').click()`)
	const answer = `document.querySelector('[id="static.stop"] output')`
	p.Wait(answer + `.textContent.includes("200")`)
	if got := p.Eval(answer + ".textContent"); !strings.Contains(got, `"stop_name": "Ferry Terminal"`) ||
		!strings.Contains(got, "/gtfs/api/v2/feeds/alderbay/stops/FT?_format=json'") {
		t.Errorf("answer: %.300s", got)
	}
	// The operations of a day have one as soon as the observer of the new town has stored visits.
	if got := p.Eval(`(async () => {
		for (let i = 0; i < 1200; i++) {
			const answer = await fetch("/gtfs/api/v2/feeds/alderbay/performance/visits?limit=1&_format=json", {cache: "no-store"});
			if (((await answer.json()).data || []).length) return "visits";
			await new Promise((done) => setTimeout(done, 100));
		}
	})()`); got != "visits" {
		t.Error("no visits are stored two minutes after the town is up")
	}
	testSends(t, browser, w)
	each := 36 // one part of this many is opened
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		each = 9
	}
	p.Eval(fmt.Sprintf(`document.querySelectorAll("details").forEach((e, i) => { e.open = i %% %d === 0 })`, each))
	judge(t, p, pagetest.View{}, sight{opened: true})
	p.Eval(`scrollTo(0, 0)`)
	p.Screenshot("docs-open")
}

// testSends opens every operation of both APIs and presses Send: what the form contains is answered.
func testSends(t *testing.T, browser *pagetest.Browser, w town) {
	t.Helper()
	for _, address := range []string{w.transit + "/gtfs/api/v2/docs", w.council + "/v1/docs"} {
		p := browser.Open(t, address, pagetest.View{})
		bad := p.Eval(`(async () => {
			const bad = [], forms = Array.from(document.querySelectorAll("form.try"));
			for (const form of forms) {
				const out = form.querySelector("output"), op = form.closest("details");
				op.open = true;
				for (let i = 0; i < 6000 && !form.prefilled; i++) await new Promise((done) => setTimeout(done, 10));
				await form.prefilled;
				form.querySelector("button").click();
				for (let i = 0; i < 6000 && !/^\d{3} |failed/.test((out.querySelector("p") || out).textContent); i++)
					await new Promise((done) => setTimeout(done, 10));
				const said = (out.querySelector("p") || out).textContent;
				if (!/^200 /.test(said)) bad.push(form.dataset.path + ": " + said + " " + out.textContent.slice(0, 200));
				out.replaceChildren();
				op.open = false;
			}
			return forms.length < 20 ? "only " + forms.length + " operations" : bad.join("\n");
		})()`)
		if bad != "" {
			t.Errorf("%s: what Send answers:\n%s", address, bad)
		}
	}
}
