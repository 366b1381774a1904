package pagetest

import (
	"context"
	"strconv"
	"time"

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
func (p *Page) until(reached func() bool) bool {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for !reached() {
		if !wait.For(ctx, 10*time.Millisecond) {
			return false
		}
	}
	return true
}
