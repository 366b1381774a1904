// Package pdffile is the gatekeeper of PDF files: hostile bytes in, a plain
// well-formed file out ([Clean]; ISO 32000-1, chapter 7).
//
// It exists because minutes come from portals that stamp, merge, encrypt and
// truncate what other programs wrote, and a vote lost to a strict reader is a
// vote misquoted. So it is lenient where the meaning is clear (a wrong stream
// length, a broken cross-reference table, rubbish around the file) and bounded
// everywhere: every chain is followed a limited number of steps, every stream
// inflated to a limited size, and no input may make it loop. Behind it a simple
// reader does, and every file takes the same way.
//
// Start with clean.go, which says what a plain file is; file.go, xref.go,
// stream.go and crypt.go read what came, tokens.go and write.go write what goes on.
//
// It never draws and never knows what a font or a text means: that is made one
// floor up, in pdftext.
package pdffile
