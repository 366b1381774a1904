package gtfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// lookup returns an encoding by its name in the WHATWG Encoding Standard. The name "" means
// Windows-1252.
func lookup(name string) (encoding.Encoding, error) {
	if name == "" {
		return charmap.Windows1252, nil
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		return nil, fmt.Errorf("unknown encoding %q", name)
	}
	return enc, nil
}

// decodeWhole removes a byte order mark and decodes UTF-16 (with or without a mark) and
// ISO-2022-JP, whose escape sequences contain quotation marks. In all other encodings commas,
// quotes and line ends are the same bytes as in ASCII, so clean decodes cell by cell.
func decodeWhole(src io.Reader, name string) (io.Reader, error) {
	first := make([]byte, 4)
	n, err := io.ReadFull(src, first)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	first = first[:n]
	whole := io.MultiReader(bytes.NewReader(first), src)
	var enc encoding.Encoding
	switch {
	case bytes.HasPrefix(first, []byte("\xEF\xBB\xBF")):
		return io.MultiReader(bytes.NewReader(first[3:]), src), nil
	case bytes.HasPrefix(first, []byte("\xFF\xFE")), bytes.HasPrefix(first, []byte("\xFE\xFF")):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	case n == 4 && first[0] != 0 && first[1] == 0 && first[2] != 0 && first[3] == 0:
		enc = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case n == 4 && first[0] == 0 && first[1] != 0 && first[2] == 0 && first[3] != 0:
		enc = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case name != "":
		enc, err = lookup(name)
		if err != nil {
			return nil, err
		}
		if canonical, _ := htmlindex.Name(enc); canonical != "iso-2022-jp" {
			return whole, nil
		}
	default:
		return whole, nil
	}
	return transform.NewReader(whole, enc.NewDecoder()), nil
}

// appendDecoded appends cell as UTF-8. Bytes that are invalid in the encoding become U+FFFD.
func appendDecoded(dst []byte, d *encoding.Decoder, cell []byte) []byte {
	text, err := d.Bytes(cell)
	if err != nil {
		text = bytes.ToValidUTF8(bytes.Clone(cell), []byte("\uFFFD"))
	}
	return append(dst, text...)
}
