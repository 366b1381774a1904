package classify

import (
	_ "embed"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// vocabulary is what [Keywords] knows, and how to change it.
//
//go:embed terms.txt
var vocabulary string

// eachTerm calls add with every term of the vocabulary, the topic above it and the weight before it. A line that is none of the file's
// kinds is a term of no topic, which a test finds.
func eachTerm(add func(topic council.Topic, weight float64, term string)) {
	var topic council.Topic
	for line := range strings.Lines(vocabulary) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			topic = council.Topic(strings.TrimSuffix(name, "]"))
			continue
		}
		for term := range strings.SplitSeq(line[min(2, len(line)):], ",") {
			add(topic, float64(line[0]-'0'), strings.TrimSpace(term))
		}
	}
}
