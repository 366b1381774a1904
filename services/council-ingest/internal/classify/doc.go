// Package classify says what agenda items are about: one topic of the API's
// thirteen or none, and, where a model is configured, one sentence on what the item does.
//
// Two classifiers answer. Keywords is ours: a table of weighted terms (terms.txt), pure and fast,
// which abstains when it is not sure and whose confidence was measured on labelled titles
// (ACCURACY.md). A Model is whatever stands behind an OpenAI-compatible endpoint (chat.go); what it
// says is checked against the item before anybody sees it (guard.go), and is null where it does not hold.
//
// Either is given what an item is called and the heading above it, and nothing else: no motion, no
// roll, no result. A label never states or changes a vote.
//
// Run is the way in: it asks about the items that have no answer yet, keeps every answer in
// council.answer, and brings the items to what the answers say. To judge the labels,
// begin with topics.go, which defines them, and ACCURACY.md, which counts the mistakes.
package classify

//go:generate go test -run ^TestAccuracyCard$ -update .
