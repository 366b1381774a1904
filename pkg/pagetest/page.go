package pagetest

import (
	"context"
	_ "embed" // the script of axe-core
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A Page is an open tab.
type Page struct {
	t    testing.TB
	ctx  context.Context
	view View
	url  string
	seen seen
}

// call converts a protocol command to a step.
func call[P, R any](command cdp.Command[P, R], params P) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, command, params)
		return err
	}
}

func (p *Page) within(what string, step func(context.Context) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := step(ctx); err != nil {
		p.t.Fatalf("pagetest: %s of %s: %v", what, p.url, err)
	}
}

func (p *Page) do(what string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	p.within(what, func(ctx context.Context) error { return chromedp.Do(ctx, action) })
}

func ask[T any](p *Page, what string, action chromedp.Action[T]) (result T) {
	p.t.Helper()
	p.within(what, func(ctx context.Context) (err error) {
		result, err = chromedp.Run(ctx, action)
		return err
	})
	return result
}

func (s *seen) record(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		s.problems = append(s.problems, "exception: "+text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			var words []string
			for _, a := range e.Args {
				words = append(words, strings.TrimSpace(string(a.Value)+" "+a.Description))
			}
			s.problems = append(s.problems, "console: "+strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
			s.problems = append(s.problems, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		s.requests = append(s.requests, e.Request.URL)
	case *page.EventLoadEventFired:
		s.loads++
	}
}

func (s *seen) loaded() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// Go opens another address in the same tab and waits until it is loaded.
func (p *Page) Go(url string) {
	p.t.Helper()
	p.url = url
	p.do("open", chromedp.Navigate(url))
}

func (p *Page) Reload() {
	p.t.Helper()
	p.do("reload", chromedp.Reload())
}

// ReloadBy evaluates an expression that reloads the page, and waits for the new document.
func (p *Page) ReloadBy(expression string) {
	p.t.Helper()
	p.awaitLoad(expression, func() { p.Eval(expression) })
}

// Problems returns errors of scripts, the console, loading and the content security policy.
func (p *Page) Problems() []string {
	p.seen.mu.Lock()
	defer p.seen.mu.Unlock()
	return slices.Clone(p.seen.problems)
}

// Requests returns the requested addresses in order.
func (p *Page) Requests() []string {
	p.seen.mu.Lock()
	defer p.seen.mu.Unlock()
	return slices.Clone(p.seen.requests)
}

// Foreign returns the requests to other origins.
func (p *Page) Foreign() []string {
	origin := p.Eval("location.origin")
	return slices.DeleteFunc(p.Requests(), func(url string) bool {
		return url == origin || strings.HasPrefix(url, origin+"/") || strings.HasPrefix(url, "data:") ||
			strings.HasPrefix(url, "blob:"+origin) || url == "about:blank"
	})
}

// Eval returns the value of a JavaScript expression as text, and awaits promises. The page's
// security policy does not apply to the expression.
func (p *Page) Eval(expression string) string {
	p.t.Helper()
	const text = `.then(v => typeof v === "string" ? v : JSON.stringify(v) || "")`
	script := chromedp.Evaluate[string](`Promise.resolve(`+expression+`)`+text, chromedp.EvalAwaitPromise)
	return ask(p, fmt.Sprintf("evaluation of %.80q", expression), script)
}

// Into decodes the value of an expression into a Go value.
func (p *Page) Into(expression string, into any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.Eval(`JSON.stringify(`+expression+`)`)), into); err != nil {
		p.t.Fatalf("pagetest: evaluate %.80q on %s: %v", expression, p.url, err)
	}
}

// Wait waits until an expression is true.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	if !p.until(func() bool { return p.Eval("!!("+expression+")") == "true" }) {
		p.t.Fatalf("pagetest: %q did not become true on %s:\n%s", expression, p.url, p.Text())
	}
}

// Text returns the visible text without blank lines.
func (p *Page) Text() string {
	p.t.Helper()
	var lines []string
	for line := range strings.Lines(p.Eval("document.body.innerText")) {
		line = strings.Join(strings.Fields(line), " ")
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

//go:embed testdata/axe/axe.min.js
var axe string

// A Violation is a rule that the page breaks, and the elements that break it.
type Violation struct {
	Rule, Help string
	Nodes      []string
}

func (v Violation) String() string {
	return fmt.Sprintf("%s (%s): %s", v.Rule, v.Help, strings.Join(v.Nodes, "; "))
}

// Violations returns the violations of WCAG 2.2, levels A and AA, that axe-core finds.
func (p *Page) Violations() []Violation {
	p.t.Helper()
	if p.view.NoScript { // axe-core needs timers; the page was already loaded without its own scripts
		p.script(true)
		defer p.script(false)
	}
	p.Eval("(() => {" + axe + "\n})()")
	var found []Violation
	if err := json.Unmarshal([]byte(p.Eval(judge)), &found); err != nil {
		p.t.Fatalf("pagetest: run axe-core on %s: %v", p.url, err)
	}
	return found
}

const judge = `axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})
	.then(r => JSON.stringify(r.violations.map(v => ({Rule: v.id, Help: v.help, Nodes: v.nodes.slice(0, 5).map(n =>
		n.target.join(" ") + ": " + n.html.slice(0, 120) + " " + (n.any[0] || n.all[0] || n.none[0] || {message: ""}).message)}))))`

func (p *Page) script(on bool) {
	p.t.Helper()
	params := emulation.SetScriptExecutionDisabledParams{Value: !on}
	p.within("scripts", call(emulation.SetScriptExecutionDisabled, params))
}

// Shift returns the cumulative layout shift of the page.
func (p *Page) Shift() float64 {
	var shift float64
	p.Into("window.pagetestShift || 0", &shift)
	return shift
}

// Trickle loads the page's document again in many parts, with a rendering after each, as if it came
// over a slow network to a slow machine. It returns the cumulative layout shift; see also [Page.Moved].
// The document is loaded without its scripts, and those of the page that is open stop. Its parts begin
// with blocks, rows or cells: where a part begins inside a line, the words of the line move or not by
// chance. Of the header, of forms and of the heads of tables, whose parts share a row, each part and each
// word is drawn, for the first hundred.
func (p *Page) Trickle() float64 {
	p.t.Helper()
	p.Eval(trickle)
	return p.Shift()
}

const trickle = `(async () => {
	const html = (await (await fetch(location.href)).text()).replace(/<script[^]*?<\/script>/g, "");
	const drawn = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
	const parts = 40, most = 100, body = html.indexOf(">", html.indexOf("<body")) + 1, size = Math.ceil((html.length - body) / parts);
	const shared = [...html.matchAll(/<(header|form|colgroup|thead)[^]*?<\/\1>/g)].map(m => [m.index, m.index + m[0].length]);
	const block = /<(?:p|h[1-6]|div|ul|ol|li|dl|dt|dd|table|tbody|tr|th|td|pre|figure|form|details|nav|section|footer)[\s>]|<(?!option)[a-z]| (?=[^<>]*<(?!\/option))/g;
	window.stop(); // requests whose answers a script would write
	for (let i = 0; i < 2; i++) { // the timers of the scripts, and those that a stopped request has started
		for (let id = setTimeout(() => {}); id > 0; id--) clearTimeout(id);
		await drawn();
	}
	document.open();
	document.write(html.slice(0, body));
	while (Array.from(document.querySelectorAll("link[rel=stylesheet]")).some(l => !l.sheet)) await drawn();
	for (let i = 0; i < 3; i++) await drawn();
	window.pagetestShift = 0; window.pagetestMoved = [];
	let from = body, drawings = 0;
	for (const m of html.matchAll(block)) {
		const sharing = drawings < most && shared.some(([begin, end]) => m.index > begin && m.index < end);
		if (m.index <= from || !sharing && (m[0].length < 3 || m.index < from + size)) continue;
		drawings += sharing;
		document.write(html.slice(from, m.index));
		from = m.index;
		await drawn();
	}
	document.write(html.slice(from));
	document.close();
	await drawn();
	await drawn();
})()`

// LateShift is the part of [Page.Shift] after the whole document was drawn: the second frame after its
// load event, because the first can still have its last rows.
func (p *Page) LateShift() float64 {
	var shift float64
	p.Into("window.pagetestLate || 0", &shift)
	return shift
}

// Moved says which elements a layout shift moved, from where to where, so that a failed test names them.
func (p *Page) Moved() string { return p.Eval(`(window.pagetestMoved || []).join("; ")`) }

// watchShift leaves out shifts of white space alone, which nobody sees: a space behind a short element moves
// when a higher one comes after it.
const watchShift = `window.pagetestShift = window.pagetestLate = 0; window.pagetestMoved = [];
addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(() => { window.pagetestDrawn = performance.now(); })));
const isSpace = s => s.node && s.node.nodeType === Node.TEXT_NODE && !s.node.textContent.trim();
new PerformanceObserver(l => { for (const e of l.getEntries()) if (!e.hadRecentInput && !(e.sources.length && e.sources.every(isSpace))) {
	window.pagetestShift += e.value;
	if (e.startTime > (window.pagetestDrawn || Infinity)) window.pagetestLate += e.value;
	for (const s of (e.sources || []).slice(0, 5)) { const n = s.node, a = s.previousRect, b = s.currentRect;
		window.pagetestMoved.push((n ? n.nodeName + " " + (n.className || "") + " " + (n.textContent || "").slice(0, 40) : "?") +
			" [" + [a.x, a.y, a.width, a.height] + "] -> [" + [b.x, b.y, b.width, b.height] + "]"); }
} }).observe({type: "layout-shift", buffered: true});
`

// Weight returns the number of requests so far and the total size of their bodies as sent. If a
// page requests itself repeatedly, it counts one request, because the number depends on the
// machine. It ignores icons, which only some browsers request.
func (p *Page) Weight() (requests, bytes int) {
	var w struct{ N, Bytes int }
	p.Into(`(e => ({N: e.length, Bytes: e.reduce((s, x) => s + x.encodedBodySize, 0)}))(performance.getEntriesByType("navigation").concat(
		performance.getEntriesByType("resource").filter(x => new URL(x.name).pathname !== location.pathname && !`+isIcon+
		`)))`, &w)
	return w.N, w.Bytes
}

// isIcon is true if the browser requested x as the icon.
const isIcon = `[location.origin + "/favicon.ico"].concat(Array.from(document.querySelectorAll("link[rel~=icon]"), l => l.href)).includes(x.name)`

// Overflow returns the number of pixels by which the page is wider than its window.
func (p *Page) Overflow() int {
	var n int
	p.Into("document.documentElement.scrollWidth - document.documentElement.clientWidth", &n)
	return n
}

// A Stop is an element that the Tab key reaches.
type Stop struct {
	Name    string // tag and text of the element
	Index   int    // position among all Tab stops; a page may replace elements meanwhile
	Visible bool   // the element has a size and is in the window
	Marked  bool   // the focus is visible
	Parts   bool   // the element has several Tab stops, for example a date field
}

// Tab presses the Tab key until the focus leaves the page, at most the given number of times. A page that
// replaces its elements may move the focused one out of the window at that moment, so a step to it that
// ends outside is made again, from the element before it.
func (p *Page) Tab(most int) []Stop {
	p.t.Helper()
	var stops []Stop
	for presses := 0; len(stops) < most && presses < most+maxParts; presses++ {
		p.do("press Tab", chromedp.KeyEvent(kb.Tab))
		var s *Stop
		p.Into(focused, &s)
		for again := 0; s != nil && !s.Visible && again < 3; again++ {
			p.do("press Shift and Tab", chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
			p.do("press Tab", chromedp.KeyEvent(kb.Tab))
			p.Into(focused, &s)
		}
		if n := len(stops); s != nil && s.Parts && n > 0 && stops[n-1].Index == s.Index {
			continue // the next part of the same date field
		}
		if s == nil || len(stops) > 0 && slices.ContainsFunc(stops, func(o Stop) bool { return o.Index == s.Index }) {
			break
		}
		stops = append(stops, *s)
	}
	return stops
}

// Reachable counts the elements that the Tab key should reach.
func (p *Page) Reachable() int {
	p.t.Helper()
	var n int
	p.Into(reachable+".length", &n)
	return n
}

const reachable = `Array.from(document.querySelectorAll("a[href], button, input, select, textarea, summary, iframe, [tabindex]"))
	.filter(e => e.tabIndex >= 0 && !e.disabled && e.getClientRects().length > 0 && e.checkVisibility({visibilityProperty: true}))`

const maxParts = 20

// focused describes the focused element. A scrollable region counts as a stop between two others.
const focused = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body || e === document.documentElement) return null;
	const r = e.getBoundingClientRect(), s = getComputedStyle(e);
	return {
		Name: e.tagName.toLowerCase() + " " + (e.getAttribute("aria-label") || e.innerText || e.name || "").trim().slice(0, 60),
		Index: (all => 2 * all.filter(o => o.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING).length + all.includes(e))(` + reachable + `),
		Visible: r.width > 0 && r.height > 0 && r.bottom > 0 && r.top < innerHeight && s.visibility !== "hidden",
		Parts: /^(date|time|month|week|datetime-local)$/.test(e.type || ""),
		Marked: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none",
	};
})()`

// Screenshot writes a picture of the whole page to the folder TOWNLINE_SCREENSHOTS, if that is set.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	file, wanted := picture(name + "-" + p.view.Name())
	if !wanted {
		return
	}
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, p.Picture(), 0o644)
	}
	if err != nil {
		p.t.Errorf("pagetest: picture of %s: %v", p.url, err)
	}
}

// Window returns the visible part of the page as PNG.
func (p *Page) Window() []byte {
	p.t.Helper()
	return ask(p, "picture", chromedp.CaptureScreenshot())
}

// maxPictureHeight is in pixels. Software rendering repeats content in taller pictures.
const maxPictureHeight = 8000

// Picture returns the page as PNG, cut at maxPictureHeight. It resizes the window to the size of
// the page for a moment, because WebGL is drawn only inside the window.
func (p *Page) Picture() []byte {
	p.t.Helper()
	screen := p.view.screen()
	var high int64
	p.Into("(scrollTo(0, 0), document.documentElement.scrollHeight)", &high)
	whole := screen
	whole.Height = min(max(screen.Height, high), int64(maxPictureHeight/screen.DeviceScaleFactor))
	resize := func(to emulation.SetDeviceMetricsOverrideParams) {
		p.within("size", call(emulation.SetDeviceMetricsOverride, to))
	}
	if whole != screen {
		resize(whole)
		defer resize(screen)
	}
	if !p.view.NoScript {
		p.Eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))")
	}
	return p.Window()
}

// PDF prints the page on the paper size that its style sheet selects.
func (p *Page) PDF(options ...chromedp.PDFOption) []byte {
	p.t.Helper()
	return ask(p, "print", chromedp.PrintToPDF(append([]chromedp.PDFOption{chromedp.PDFPreferCSSPageSize()},
		options...)...))
}

// Heap returns the heap size of the page's scripts and the number of DOM nodes, after garbage
// collection.
func (p *Page) Heap() (bytes, nodes int) {
	p.t.Helper()
	p.within("heap", func(ctx context.Context) error {
		if err := call(heapprofiler.CollectGarbage, cdp.Empty{})(ctx); err != nil {
			return err
		}
		usage, err := chromedp.Call(ctx, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			return err
		}
		counted, err := chromedp.Call(ctx, memory.GetDOMCounters, cdp.Empty{})
		bytes, nodes = int(usage.UsedSize), int(counted.Nodes)
		return err
	})
	return bytes, nodes
}
