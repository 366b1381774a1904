// Package pdffile reads PDF files of any origin and in any state: objects,
// streams and pages (ISO 32000-1, chapter 7).
//
// Minutes come from portals that stamp, merge, encrypt and truncate what other
// programs wrote. So this reader is lenient where the meaning is clear (a wrong
// stream length, a broken cross-reference table, rubbish around the file), and
// notes as a [Flaw] whatever was wrong; a flaw that may cost letters is lost, and
// such a file is not published as whole. It is bounded everywhere: every chain
// is followed a limited number of steps, every stream inflated to a limited
// size, and no input may make it loop.
//
// It reads an object when it is asked for, as a [Value]. Flaws are therefore those
// of what the text depends on.
//
// Start with file.go; open.go finds the objects, by the file's table (xref.go) or by search,
// stream.go and crypt.go decode them, value.go and pages.go are what pdftext uses.
//
// It never draws and never knows what a font or a text means: see pdftext.
package pdffile
