// Package browser has the tests that open the demo town's pages in a real browser.
//
// pages_test.go lists every page with its budget. Each page is opened in every language, theme and
// size, and checked by the rules for all pages: no violation of WCAG 2.2 AA found by axe-core, no
// console error, no request to other hosts, no layout shift, no overflow (even with wider letters),
// a visible focus for each press of Tab, and the same facts without script. Add new pages there.
// `make test` opens each page in a few views that together cover all; TOWNLINE_EVERYTHING=1 tests
// every combination. review_test.go does the same for the clerk's pages of `townline review`, and
// performs each action there by keyboard only.
//
// The behaviour of pages over time has separate tests, one file per type of page. pkg/pagetest
// opens the pages.
package browser
