// Package pdffile reads the objects of a PDF file: bytes in, dictionaries,
// arrays and decoded streams out (ISO 32000-1, chapter 7).
//
// It exists because minutes come from portals that stamp, merge, encrypt and
// truncate what other programs wrote, and a vote lost to a strict reader is a
// vote misquoted. So it is lenient where the meaning is clear (a wrong stream
// length, a broken cross-reference table, rubbish around the file) and bounded
// everywhere: every chain is followed a limited number of steps, every stream
// inflated to a limited size, and no input may make it loop.
//
// It never draws, never knows of fonts or text, and never writes. The text of
// a page is made one floor up, in pdftext.
package pdffile
