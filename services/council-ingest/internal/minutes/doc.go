// Package minutes parses the text of approved minutes: body, date, attendance, items, votes with
// each member's position, and contradictions in the document.
//
// It is a pure function of text and options. It uses no files, clock or database, and knows no
// city: result words, page furniture and members that differ from town to town are Options. It
// never guesses a position: text that it cannot read with certainty becomes an anomaly.
//
// The text goes through these passes, each a package with its own small types:
//
//   - lines: the text without headers, footers and page numbers
//   - head: body and date of the meeting; attend: who was present
//   - signal: what may speak of a decision: tables, motions, outcomes, rolls, headings
//   - decide: decisions out of signals, their items, and the proof of each vote
//   - record: the result
//
// All of them use lexicon, which has the words, person, which decides what is a name, and grid, which reads
// columns. The vocabulary is pkg/council.
package minutes
