package pdffile

import (
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"slices"
)

// ErrTooLarge says that a stream, or all streams of a file together, inflate
// beyond what is allowed.
var ErrTooLarge = errors.New("stream inflates beyond its limit")

var (
	errImage    = errors.New("stream holds an image")
	errCut      = errors.New("the file ends in the middle of a stream")
	errChecksum = errors.New("stream has another checksum than was stored with it")
)

// Data decodes a stream through its filters; it is nil for what is no stream. Where the data
// is damaged it gives what could be decoded together with the error, so a page keeps the
// text before the damage and its reader knows that something is missing.
func (v Value) Data() (data []byte, first error) {
	s, is := v.object.(*Stream)
	if !is {
		return nil, nil
	}
	f := v.file
	data = s.raw
	if s.state == streamCut {
		first = errCut
	}
	filters, params := v.either("Filter", "F"), v.either("DecodeParms", "DP")
	own := slices.ContainsFunc(filters, func(n Value) bool { return n.Name() == "Crypt" }) // only Identity is in use
	if f.crypt != nil && s.ref.Num != 0 && v.Key("Type").Name() != "XRef" && !own {
		data = f.crypt.open(f.crypt.streams, data, s.ref)
	}
	if len(filters) > 8 {
		return nil, fmt.Errorf("stream has %d filters", len(filters))
	}
	for i, name := range filters {
		var parm Value
		if i < len(params) {
			parm = params[i]
		}
		var err error
		data, err = f.filter(name.Name(), data, parm)
		f.inflated += len(data)
		if err == nil && f.inflated > maxInflate {
			err = ErrTooLarge
		}
		if err != nil {
			return data, errors.Join(first, err)
		}
	}
	return data, first
}

// Content is the content of a page in one piece, and why it is not whole. A blank between its streams
// keeps the last operator of one apart from the first of the next.
func (v Value) Content() (out []byte, first error) {
	streams := v.Key("Contents").list()
	for _, part := range streams {
		s, is := part.object.(*Stream)
		if !is {
			v.file.lost("a part of the page's content is missing")
			continue
		}
		if s.state == streamOtherLength && part.Key("Filter").IsNull() {
			v.file.mended("a part of the page's content has another length than is stored with it")
		}
		data, err := part.Data()
		if err != nil && first == nil {
			first = err
		}
		if len(streams) == 1 {
			return data, first
		}
		if out = append(append(out, data...), '\n'); len(out) > maxContent {
			return out[:maxContent], ErrTooLarge
		}
	}
	return out, first
}

// either is the list at a key, or at its short form.
func (v Value) either(key, short Name) []Value {
	if l := v.Key(key).list(); l != nil {
		return l
	}
	return v.Key(short).list()
}

// filter undoes one filter. LZW and run length are not read: no minutes have been seen that use them.
func (f *File) filter(name string, data []byte, parm Value) ([]byte, error) {
	limit := min(maxStream, maxInflate-f.inflated)
	switch name {
	case "FlateDecode", "Fl":
		out, err := inflate(data, limit)
		out, perr := unpredict(out, parm)
		return out, errors.Join(err, perr)
	case "ASCII85Decode", "A85":
		return unascii85(data)
	case "ASCIIHexDecode", "AHx":
		l := NewLexer(data)
		return []byte(l.hex()), nil
	case "Crypt":
		return data, nil
	case "DCTDecode", "DCT", "JPXDecode", "CCITTFaxDecode", "CCF", "JBIG2Decode":
		return nil, errImage
	}
	return nil, fmt.Errorf("unknown filter %q", name)
}

// inflate undoes zlib. The checksum behind the data decides: a wrong header is
// overlooked where it agrees, and nothing is where it does not or is missing. Viewers
// show what they can; a vote of which one bit has changed is another vote.
func inflate(data []byte, limit int) ([]byte, error) {
	body := bytes.TrimLeft(data, "\r\n")
	from := bytes.NewReader(body[min(2, len(body)):])
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(flate.NewReader(from), int64(limit)+1))
	if n > int64(limit) {
		return out.Bytes()[:limit], ErrTooLarge
	}
	if err != nil {
		return out.Bytes(), fmt.Errorf("inflating stream after %d bytes: %w", n, err)
	}
	var sum [4]byte
	if _, err := io.ReadFull(from, sum[:]); err != nil { // the decoder takes no byte more than it needs
		return out.Bytes(), fmt.Errorf("reading the checksum of a stream of %d bytes: %w", n, err)
	}
	if binary.BigEndian.Uint32(sum[:]) != adler32.Checksum(out.Bytes()) {
		return out.Bytes(), errChecksum
	}
	return out.Bytes(), nil
}

func unascii85(data []byte) ([]byte, error) {
	data = bytes.TrimLeft(data, "\r\n\t \x00")
	data = bytes.TrimPrefix(data, []byte("<~"))
	if i := bytes.IndexByte(data, '~'); i >= 0 {
		data = data[:i]
	}
	out := make([]byte, len(data)*4+8) // "z" is one byte for four
	n, _, err := ascii85.Decode(out, data, true)
	if err != nil {
		return out[:n], fmt.Errorf("decoding ascii85 stream: %w", err)
	}
	return out[:n], nil
}

// unpredict undoes the PNG predictors (ISO 32000-1, 7.4.4.4); that of TIFF is for pictures.
func unpredict(data []byte, parm Value) ([]byte, error) {
	predictor := parm.Key("Predictor").Int()
	if predictor < 2 {
		return data, nil
	}
	get := func(key Name, def int) int {
		if n := parm.Key(key).Int(); n > 0 && n < 1<<20 {
			return n
		}
		return def
	}
	colors, bpc, columns := get("Colors", 1), get("BitsPerComponent", 8), get("Columns", 1)
	pixel := max(1, colors*bpc/8)
	row := (colors*bpc*columns + 7) / 8
	switch {
	case row > maxStream:
		return nil, ErrTooLarge
	case predictor < 10:
		return data, fmt.Errorf("unknown predictor %d", predictor)
	}
	out := make([]byte, 0, len(data))
	prev := make([]byte, row)
	for len(data) > 1 {
		kind := data[0]
		cur := make([]byte, row)
		n := copy(cur, data[1:])
		data = data[1+n:]
		for i := range cur {
			var left, upLeft byte
			if i >= pixel {
				left, upLeft = cur[i-pixel], prev[i-pixel]
			}
			switch kind {
			case 1:
				cur[i] += left
			case 2:
				cur[i] += prev[i]
			case 3:
				cur[i] += byte((int(left) + int(prev[i])) / 2)
			case 4:
				cur[i] += paeth(left, prev[i], upLeft)
			}
		}
		out = append(out, cur[:n]...)
		prev = cur
	}
	return out, nil
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func abs(n int) int { return max(n, -n) }
