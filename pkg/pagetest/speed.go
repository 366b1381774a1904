package pagetest

import (
	"context"
	"strconv"
	"time"

	"github.com/chromedp/cdproto/cdp"
)

// A slow line, as Lighthouse has it for phones: 1.6 Mbit/s and 150 ms.
const (
	slowBits    = 1_600_000
	slowLatency = 150
)

// A line has the limits of a network; throughput is in bytes per second.
type line struct {
	Offline            bool    `json:"offline"`
	Latency            float64 `json:"latency"`
	DownloadThroughput float64 `json:"downloadThroughput"`
	UploadThroughput   float64 `json:"uploadThroughput"`
}

// limitLine is a command that older browsers have too.
const limitLine = "Network.emulateNetworkConditions"

// slowLine limits the network of a tab to the slow line.
func slowLine(ctx context.Context) error {
	const bytes = slowBits / 8
	limit := cdp.Command[line, cdp.Empty]{Method: limitLine}
	return call(limit, line{Latency: slowLatency, DownloadThroughput: bytes, UploadThroughput: bytes})(ctx)
}

// Painted returns the time from the start of the navigation to the largest contentful paint so far.
func (p *Page) Painted() time.Duration {
	p.t.Helper()
	ms, err := strconv.ParseFloat(p.Eval(largestPaint), 64)
	if err != nil {
		p.t.Fatalf("pagetest: read the largest paint of %s: %v", p.url, err)
	}
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Millisecond)
}

const largestPaint = `new Promise(done => {
	new PerformanceObserver(l => done(l.getEntries().pop().startTime)).observe({type: "largest-contentful-paint", buffered: true});
	setTimeout(done, 3000, 0);
})`
