// Package minutes reads the text of approved minutes and returns what it records: body, date,
// attendance, items, votes with everyone's position, and the places where the document contradicts
// itself.
//
// It is a pure function of text and options. It opens nothing, asks no clock, knows no database and
// no city: result words, page furniture and people that differ from town to town are Options. It
// never guesses a position: what it cannot read for certain stays as printed and becomes an
// anomaly.
//
// The way is that of the text:
//
//   - layout: pages to lines, without headers, footers and page numbers
//   - rows: each line typed once, with the label or number it begins with; what
//     is true of the document as a whole
//   - attendance: who was there
//   - walk: how headings are numbered, and one walk over the rows, which opens headings and items;
//     parser.go begins it
//   - vote, motion: the table RESULT / MOVER / AYES, or the sentence and roll instead; the sentence
//     it votes on
//   - agenda: which items the vote on a list covers, which tables repeat others
//   - proof: does it add up
//   - unread: what is printed like a vote and was not read, by signs of its own
//   - record: what it comes to
//
// Below all of them, dialect knows the words, shape the forms of print and roster the people. The
// vocabulary is pkg/council.
package minutes
