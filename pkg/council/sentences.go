package council

import (
	"embed"
	"io/fs"
)

//go:embed words
var words embed.FS

// Sentences returns the sentences about anomalies for pages in each language, by code and by kind:
// words/en.txt, es.txt and fr.txt.
func Sentences() fs.FS { return words }
