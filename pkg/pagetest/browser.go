// Package pagetest opens pages in a real browser, for tests, with a reader's language, screen and
// settings.
//
//	browser := pagetest.Start(t)
//	page := browser.Open(t, server.URL+"/stops/1", pagetest.View{Dark: true, Width: 320})
//	for _, v := range page.Violations() { … }
//
// A page reports its requests, console errors, violations of WCAG 2.2 AA (axe-core), layout shifts,
// text, and the order of Tab stops.
//
// The browser comes from npm (pkg/embed/chromium). Tests are skipped without a browser; with
// TOWNLINE_BROWSER=must they fail instead. TOWNLINE_BROWSER=path selects another browser.
// TOWNLINE_SCREENSHOTS is a folder for screenshots.
//
// The package does not depend on our pages. page.go has the content of pages, keys.go the keyboard,
// speed.go the slow line.
package pagetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/townline/townline/pkg/embed/chromium"
)

// patience is the timeout of a command, which usually takes far less.
const patience = 3 * time.Minute

// A Browser runs until its test ends. Its pages share no cache, service worker or storage.
type Browser struct{ ctx context.Context }

// Start starts a browser for a test and its subtests. If there is no browser, it skips the test, or
// fails it if a browser is required.
func Start(t testing.TB) *Browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	program, err := chromium.Find(ctx, func(what string) { t.Logf("fetching a browser with npm, once: %s", what) })
	switch {
	case err != nil && chromium.IsRequired():
		t.Fatalf("pagetest: %v", err)
	case err != nil:
		t.Skipf("pages are not tested: %v", err)
	}
	t.Logf("pages are opened in %s (%s)", program.Version, program.Origin)
	profile := t.TempDir()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program.Path), chromedp.Env(program.Env...), chromedp.UserDataDir(profile), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", false),
		// Software rendering replaces the graphics card for WebGL.
		chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("ignore-gpu-blocklist", true),
		// Software compositing of everything else saves a tenth of the time.
		chromedp.Flag("disable-gpu-compositing", true),
		// With these flags each machine renders the same glyphs.
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("lang", "en-US"))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	b := &Browser{}
	var end context.CancelFunc
	b.ctx, end = chromedp.NewContext(allocated)
	t.Cleanup(func() {
		if err := chromedp.Cancel(b.ctx); err != nil { // waits for the end, so that the profile can be removed
			t.Logf("pagetest: end the browser: %v", err)
		}
		end()
		stop()
	})
	if err := chromedp.Do(b.ctx); err != nil {
		t.Fatalf("pagetest: start %s: %v", program.Path, err)
	}
	return b
}

// A View has the settings of a reader. The zero value is an English reader with the light theme on
// a 1280 × 800 screen.
type View struct {
	Language      string  // Accept-Language
	Dark          bool    // prefers-color-scheme
	Forced        bool    // forced colours, as in high contrast
	Calm          bool    // prefers-reduced-motion
	Width, Height int     // size of the window in CSS pixels before zoom
	Zoom          float64 // 2 means 200 %
	NoScript      bool
	Slow          bool   // 1.6 Mbit/s with a latency of 150 ms
	Print         bool   // use the print style sheet
	Before        string // script that runs before the page's scripts
	Header        map[string]string
}

// Name describes the view in names of tests and screenshots.
func (v View) Name() string {
	words := []string{"light"}
	if v.Dark {
		words[0] = "dark"
	}
	for _, w := range []struct {
		on   bool
		word string
	}{{v.Forced, "forced"}, {v.Calm, "calm"}, {v.NoScript, "noscript"}, {v.Slow, "slow"}, {v.Print, "print"},
		{v.Width != 0, fmt.Sprint(v.Width)}, {v.Zoom > 1, fmt.Sprintf("%.0f%%", v.Zoom*100)},
		{v.Language != "", v.Language}} {
		if w.on {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, "-")
}

// Open opens a page in a new tab, which is closed when the test ends.
func (b *Browser) Open(t testing.TB, url string, v View) *Page {
	t.Helper()
	p := &Page{t: t, view: v}
	var end context.CancelFunc
	p.ctx, end = chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	if err := chromedp.Listen(p.ctx, p.seen.record); err != nil {
		t.Fatalf("pagetest: open %s: %v", url, err)
	}
	if err := p.apply(v); err != nil {
		t.Fatalf("pagetest: open %s: %v", url, err)
	}
	p.Go(url)
	return p
}

func (p *Page) apply(v View) error {
	headers := network.Headers{"Accept-Language": "en"}
	if v.Language != "" {
		headers["Accept-Language"] = v.Language
	}
	for k, value := range v.Header {
		headers[k] = value
	}
	media := ""
	if v.Print {
		media = "print"
	}
	features := []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: pick(v.Dark, "dark", "light")},
		{Name: "forced-colors", Value: pick(v.Forced, "active", "none")},
		{Name: "prefers-reduced-motion", Value: pick(v.Calm, "reduce", "no-preference")},
	}
	steps := []func(context.Context) error{
		call(network.Enable, network.EnableParams{}),
		call(log.Enable, cdp.Empty{}),
		call(network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: headers}),
		call(emulation.SetDeviceMetricsOverride, v.screen()),
		call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: features}),
		call(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		call(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchShift +
			v.Before}),
		call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.NoScript}),
	}
	if v.Slow {
		steps = append(steps, slowLine)
	}
	for _, step := range steps {
		if err := step(p.ctx); err != nil {
			return err
		}
	}
	return nil
}

// screen returns the size of the window. A page at 200 % has half as many CSS pixels.
func (v View) screen() emulation.SetDeviceMetricsOverrideParams {
	width := int64(1280)
	height := int64(800)
	zoom := max(v.Zoom, 1)
	if v.Width > 0 {
		width = int64(v.Width)
	}
	if v.Height > 0 {
		height = int64(v.Height)
	}
	return emulation.SetDeviceMetricsOverrideParams{Width: int64(float64(width) / zoom),
		Height: int64(float64(height) / zoom), DeviceScaleFactor: zoom}
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

func picture(name string) (string, bool) {
	folder := os.Getenv("TOWNLINE_SCREENSHOTS")
	return filepath.Join(folder, strings.NewReplacer("/", "_", "?", "_", "&", "_", "%", "").Replace(name)+".png"),
		folder != ""
}

type seen struct {
	mu       sync.Mutex
	problems []string
	requests []string
	loads    int
}
