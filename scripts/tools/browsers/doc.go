// Package browsers tests the scripts of pages: they must run in the browsers that we support, and be
// small. `make check` runs it; the package has only tests.
//
// Screens at stops have old browsers: scripts of boards must run in Chromium 49, Firefox 52 and
// Safari 11. esbuild finds newer syntax. It does not find missing functions, so the test lists the
// usual ones.
package browsers
