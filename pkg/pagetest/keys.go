package pagetest

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/townline/townline/pkg/wait"
)

// Press types text into the focused element, including Enter and Space.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.do("press keys", chromedp.KeyEvent(keys))
}

const (
	Enter = kb.Enter
	Space = " "
	Down  = kb.ArrowDown
)

// PressAnew presses keys that load another page, and waits until it is loaded.
func (p *Page) PressAnew(keys string) {
	p.t.Helper()
	p.awaitLoad(keys, func() { p.Press(keys) })
}

func (p *Page) TabTo(selector string) {
	p.t.Helper()
	const most = 400
	for range most {
		p.do("press Tab", chromedp.KeyEvent(kb.Tab))
		if p.Eval(`document.activeElement.matches(`+strconv.Quote(selector)+`)`) == "true" {
			return
		}
	}
	p.t.Fatalf("pagetest: Tab does not reach %s on %s:\n%s", selector, p.url, p.Text())
}

// find scrolls to the first element that a selector matches, if it is outside the window. It returns how
// many windows a reader scrolls, the middle of the element, and whether nothing is in front of it.
const find = `(what => {
	const e = Array.from(document.querySelectorAll(what)).find(e => e.offsetWidth > 1 && e.getClientRects().length);
	if (!e) return null;
	const at = () => e.getClientRects()[0], far = Math.max(at().bottom - innerHeight, -at().top, 0);
	if (far > 0) e.scrollIntoView({block: "center"});
	const x = at().left + at().width / 2, y = at().top + at().height / 2, hit = document.elementFromPoint(x, y);
	return {Scrolls: Math.ceil(far / innerHeight), X: x, Y: y, Free: !!hit && e.contains(hit)};
})`

type place struct {
	Scrolls int
	X, Y    float64
	Free    bool
}

// See scrolls to an element and returns how many windows a reader scrolls to see it.
func (p *Page) See(selector string) int {
	p.t.Helper()
	return p.find(selector).Scrolls
}

func (p *Page) find(selector string) place {
	p.t.Helper()
	var at *place
	if err := json.Unmarshal([]byte(p.Eval(find+`(`+strconv.Quote(selector)+`)`)), &at); err != nil || at == nil {
		p.t.Fatalf("pagetest: no %s on %s:\n%s", selector, p.url, p.Text())
	}
	return *at
}

// Tap taps an element with the mouse. It returns how many windows a reader scrolls before.
func (p *Page) Tap(selector string) int {
	p.t.Helper()
	at := p.find(selector)
	if !at.Free {
		p.t.Fatalf("pagetest: something is in front of %s on %s", selector, p.url)
	}
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed,
		input.DispatchMouseEventTypeMouseReleased} {
		p.within("tap", call(input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y,
			Button: input.MouseButtonLeft, ClickCount: 1}))
	}
	return at.Scrolls
}

// TapAnew taps an element that loads another page, and waits until it is loaded. It taps again if a script
// replaced the element meanwhile.
func (p *Page) TapAnew(selector string) (scrolls int) {
	p.t.Helper()
	const times, each = 3, 20 * time.Second
	before := p.seen.loaded()
	for range times {
		scrolls += p.Tap(selector)
		if p.untilIn(each, func() bool { return p.seen.loaded() > before }) {
			return scrolls
		}
	}
	p.t.Fatalf("pagetest: after taps on %s %s did not load a page", selector, p.url)
	return scrolls
}

// Widen spaces all text as widely as WCAG 2.2 (1.4.12) requires a page to support.
func (p *Page) Widen() {
	p.t.Helper()
	p.Eval(`(() => {
		const wider = new CSSStyleSheet();
		wider.replaceSync("* { letter-spacing: .12em !important; word-spacing: .16em !important }");
		document.adoptedStyleSheets = [...document.adoptedStyleSheets, wider];
	})()`)
}

func (p *Page) awaitLoad(what string, do func()) {
	p.t.Helper()
	before := p.seen.loaded()
	do()
	if !p.until(func() bool { return p.seen.loaded() > before }) {
		p.t.Fatalf("pagetest: after %.80q %s did not load a page", what, p.url)
	}
}

// until polls reached until it returns true, for at most patience, and reports whether it did.
func (p *Page) until(reached func() bool) bool { return p.untilIn(patience, reached) }

// untilIn is like until, for at most a time.
func (p *Page) untilIn(most time.Duration, reached func() bool) bool {
	ctx, cancel := context.WithTimeout(p.ctx, most)
	defer cancel()
	for !reached() {
		if !wait.For(ctx, 10*time.Millisecond) {
			return false
		}
	}
	return true
}
