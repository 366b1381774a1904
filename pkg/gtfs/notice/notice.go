// Package notice has the sentences about feeds and realtime messages: what is wrong, and what to do.
//
// A check reports a code with fields. The words of the code are in words/en.txt, es.txt and fr.txt,
// for pages, reports and the command line: feed.CODE is what is wrong with a feed, and rt.CODE with
// a message; .do is advice for the people who make it, and .value describes one occurrence by its
// fields. A code whose occurrences need no words has no .value. held.CODE is why a version of a feed
// waits.
package notice

import (
	"embed"
	"io/fs"
	"sync"

	"github.com/townline/townline/pkg/lang"
)

//go:embed words
var words embed.FS

// Sentences returns the sentences for pages.
func Sentences() fs.FS { return words }

// English returns the sentences for JSON and the command line.
func English() lang.Words { return english() }

var english = sync.OnceValue(func() lang.Words {
	w := lang.Words{}
	_ = w.Read(words, "en") // a test reads it
	return w
})
