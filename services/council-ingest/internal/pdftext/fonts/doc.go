// Package fonts turns the codes that a page shows into letters with widths.
//
// What a code means is asked of the font's ToUnicode and its encoding, in this order; if neither
// knows, the letter is U+FFFD and never a guess: font programs are not read. Widths are stated by
// the file, or guessed by likeness to a family. The library knows the names of glyphs; the rest of
// what it knows of fonts holds for some encodings only.
//
// font.go joins the sources; cmap.go and encoding.go read one each, metrics.go has the widths.
package fonts
