// Package classify says what agenda items are about: one topic of the API's
// thirteen or none, and, where a model is configured, one sentence on what the item does.
//
// Two classifiers answer. Keywords is a table of weighted terms (terms.txt), pure and fast, which abstains when it is not
// sure and whose confidence was measured on labelled titles (ACCURACY.md). A model stands behind an OpenAI-compatible
// endpoint (chat.go); its answer is checked against the item (guard.go), and is null where it does not hold.
//
// Either gets the title of an item and the heading above it, and nothing else. A label never states or changes a vote.
//
// Start with Run: it asks about the items without an answer, keeps every answer in council.answer, and labels the items.
// To judge the labels, begin with the guide in prompt.go, and ACCURACY.md, which counts the mistakes.
package classify

//go:generate go test -run ^TestAccuracyCard$ -update .
