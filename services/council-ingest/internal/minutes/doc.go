// Package minutes parses the text of approved minutes: body, date, attendance, items, votes with
// each member's position, and contradictions in the document.
//
// It is a pure function of text and options. It uses no files, clock or database, and knows no
// city: result words, page furniture and members that differ from town to town are Options. It
// never guesses a position: text that it cannot read with certainty becomes an anomaly.
//
// The text passes through these packages:
//
//   - rows: classified lines without headers, footers and page numbers; the names of members
//   - head: body and date of the meeting; attend: who was present
//   - decide: the outline, the decisions in any form, the checks of each vote
//   - record: the result
//
// All of them use dialect, which has the words, person, which decides what is a name, and lex, which
// reads numbers and tallies. The vocabulary is pkg/council.
package minutes
