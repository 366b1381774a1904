package pdftext

import "github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"

// programEncoding reads the encoding that is built into an embedded font program.
func programEncoding(f *pdffile.File, desc pdffile.Dict) (e encoding, ok bool) {
	return e, false
}

// programUnicode makes the map from CID to text of an embedded TrueType font
// that came without ToUnicode.
func programUnicode(f *pdffile.File, below, desc pdffile.Dict) *cmap {
	return nil
}
