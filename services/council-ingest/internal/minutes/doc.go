// Package minutes reads the text of approved minutes and returns what it
// records: body, date, attendance, items, votes with everyone's position, and
// the places where the document contradicts itself.
//
// It is a pure function of text and options. It opens nothing, asks no clock,
// knows no database and no city: result words, page furniture and people that
// differ from town to town are Options. It never guesses a position: what it
// cannot read for certain stays as printed and becomes an anomaly.
//
// The way through the package is the way of the text:
//
//   - package layout: pages to lines
//   - package shape and package dialect: what a line or a cell can be, by its
//     form and by its words
//   - package roster: who is meant by a printed name
//   - head.go, attendance.go, attendancerow.go, rollcall.go: the body, the day,
//     who was there
//   - scan.go: one walk over the lines
//   - outline.go, levels.go, heading.go, title.go: headings and items
//   - block.go, collect.go, tall.go, ticks.go, spoken.go, align.go, fill.go: the
//     table RESULT / MOVER / AYES
//   - motion.go, motionvote.go, consent.go, packet.go: which motion, which
//     items, which repetition
//   - finish.go, proof.go, tallyprose.go: the record, and does it add up
//
// The vocabulary is pkg/council.
package minutes
