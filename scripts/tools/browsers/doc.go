// Package browsers holds the scripts of pages to the browsers that must run them, and to their
// sizes. `make check` runs it; it has no code of its own.
//
// Screens at stops are old: the scripts of boards must be readable by Chromium 49, Firefox 52 and
// Safari 11. esbuild says which syntax is newer. It is blind to functions that those browsers lack,
// so the test knows the usual ones by name.
package browsers
