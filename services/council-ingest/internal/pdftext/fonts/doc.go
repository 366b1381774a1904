// Package fonts turns the codes that a page shows into letters with widths.
//
// What a code means is asked of the font's ToUnicode table, its encoding and its
// program, in this order; where none of them knows, the letter is U+FFFD and never
// a guess. Widths are stated by the file, or guessed by likeness to a family.
//
// It draws nothing, and reads no text program but the names and maps in it.
// font.go joins the sources; cmap.go, encoding.go, program.go and sfnt.go read one
// each, metrics.go has the widths, quirks.go what well-known programs do wrong.
package fonts
