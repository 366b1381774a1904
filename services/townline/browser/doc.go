// Package browser holds the tests that open the demo town's pages in a real browser. It has no code
// of its own.
//
// pages_test.go lists every page with its budget; each is opened in every language, theme and size,
// and held to what all pages keep: nothing that axe-core finds against WCAG 2.2 AA, no error on the
// console, no foreign request, nothing that shifts or runs out of the window (nor in wider
// letters), a visible place for each press of Tab, and the same facts without script. A new page is
// a line there. `make test` opens each page in a few views that cover all; with
// TOWNLINE_EVERYTHING=1 it is every combination. review_test.go does the same with the clerk's
// pages of `townline review`, and does all that a clerk does there by keys alone.
//
// What a page does over time has tests of its own, one file a kind of page. How pages are opened:
// pkg/pagetest.
package browser
