// Package minutes parses the text of approved minutes: body, date, attendance, items, votes with
// each member's position, and the contradictions of the document.
//
// It is a pure function of text and options. It opens nothing, uses no clock and no database, and
// knows no city: result words, page furniture and members that differ from town to town are Options.
// It never guesses a position: what it cannot read with certainty becomes an anomaly.
//
// The text passes through these packages:
//
//   - rows: lines without headers, footers and page numbers, classified; the names of members
//   - agenda: the attendance list, headings, items and their votes, the checks of each vote
//   - missed: what looks like a vote and was not read
//   - record: the result
//
// All of them use dialect, which has the words, and lex, which reads numbers and tallies. The
// vocabulary is pkg/council.
package minutes
