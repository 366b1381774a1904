// Package browsers tests the scripts of pages: they must run in the supported browsers and be
// small. `make check` runs it; the package has only tests.
//
// Screens at stops have old browsers: scripts of boards must run in Chromium 49, Firefox 52 and
// Safari 11. esbuild detects newer syntax. It does not detect missing functions, so the test lists
// the usual ones.
package browsers
