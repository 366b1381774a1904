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
)

// ErrTooLarge says that a stream, or all streams of a file together, inflate
// beyond what is allowed.
var ErrTooLarge = errors.New("stream inflates beyond its limit")

var (
	errImage    = errors.New("stream holds an image")
	errCut      = errors.New("the file ends in the middle of a stream")
	errChecksum = errors.New("stream has another checksum than was stored with it")
)

// Data decodes a stream through its filters. Where the data is damaged it
// gives what could be decoded together with the error, so a page keeps the
// text before the damage and its reader knows that something is missing.
func (f *File) Data(s *Stream) ([]byte, error) {
	data := s.raw
	if s.state == streamCut {
		return f.decoded(s, data, errCut)
	}
	return f.decoded(s, data, nil)
}

// decoded undoes the encryption and the filters of a stream of which first is known to be wrong.
func (f *File) decoded(s *Stream, data []byte, first error) ([]byte, error) {
	if f.crypt != nil && s.ref.Num != 0 && f.Name(s.Dict["Type"]) != "XRef" && !f.ownCrypt(s) {
		data = f.crypt.stream(data, s.ref)
	}
	for k := range s.Dict {
		if meant, ok := misspelt(k, s.Dict, streamKeys); ok && !streamKeys[k] {
			first = errors.Join(first, fmt.Errorf("stream has a key %q that is /%s but for one bit", k, meant))
		}
	}
	filters := f.list(s.Dict["Filter"], s.Dict["F"])
	params := f.list(s.Dict["DecodeParms"], s.Dict["DP"])
	if len(filters) > 8 {
		return nil, fmt.Errorf("stream has %d filters", len(filters))
	}
	for i, name := range filters {
		var parm Dict
		if i < len(params) {
			parm = f.Dict(params[i])
		}
		var err error
		data, err = f.filter(f.Name(name), data, parm)
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

// list makes one value a list of one, as /Filter may be a name or an array.
func (f *File) list(os ...Object) Array {
	for _, o := range os {
		switch o := f.Resolve(o).(type) {
		case Array:
			return o
		case Name, Dict:
			return Array{o}
		}
	}
	return nil
}

// ownCrypt tells a stream that names its own crypt filter, of which only Identity is in use.
func (f *File) ownCrypt(s *Stream) bool {
	for _, n := range f.list(s.Dict["Filter"]) {
		if f.Name(n) == "Crypt" {
			return true
		}
	}
	return false
}

func (f *File) filter(name Name, data []byte, parm Dict) ([]byte, error) {
	limit := min(maxStream, maxInflate-f.inflated)
	switch name {
	case "FlateDecode", "Fl":
		out, err := inflate(data, limit)
		out, perr := f.unpredict(out, parm)
		return out, errors.Join(err, perr)
	case "LZWDecode", "LZW":
		early := 1
		if n, ok := f.Int(parm["EarlyChange"]); ok {
			early = n
		}
		out, err := unlzw(data, early, limit)
		out, perr := f.unpredict(out, parm)
		return out, errors.Join(err, perr)
	case "ASCII85Decode", "A85":
		return unascii85(data)
	case "ASCIIHexDecode", "AHx":
		l := NewLexer(data)
		return []byte(l.hex()), nil
	case "RunLengthDecode", "RL":
		return unrunlength(data, limit)
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

func unrunlength(data []byte, limit int) ([]byte, error) {
	var out []byte
	for i := 0; i < len(data); {
		n := int(data[i])
		i++
		switch {
		case n == 128:
			return out, nil
		case n < 128:
			end := min(len(data), i+n+1)
			out = append(out, data[i:end]...)
			if end-i <= n {
				return out, io.ErrUnexpectedEOF
			}
			i = end
		case i < len(data):
			out = append(out, bytes.Repeat(data[i:i+1], 257-n)...)
			i++
		}
		if len(out) > limit {
			return out, ErrTooLarge
		}
	}
	return out, nil
}

// unlzw undoes LZW with codes of 9 to 12 bits, high bit first. Package
// compress/lzw cannot: PDF widens its codes one step early.
func unlzw(data []byte, early, limit int) ([]byte, error) {
	type link struct {
		prev, size int
		last       byte
	}
	var table [4096]link
	for i := range 256 {
		table[i] = link{-1, 1, byte(i)}
	}
	var out []byte
	next, width, prev := 258, 9, -1
	acc, bits := 0, 0
	first := func(c int) byte {
		for table[c].prev >= 0 {
			c = table[c].prev
		}
		return table[c].last
	}
	for _, b := range data {
		acc, bits = acc<<8|int(b), bits+8
		if bits < width {
			continue
		}
		code := acc >> (bits - width) & (1<<width - 1)
		bits -= width
		acc &= 1<<bits - 1
		switch {
		case code == 256:
			next, width, prev = 258, 9, -1
			continue
		case code == 257:
			return out, nil
		case prev < 0 && code < 256:
		case prev >= 0 && code < next && code != 256 && next < 4096:
			table[next] = link{prev, table[prev].size + 1, first(code)}
			next++
		case prev >= 0 && code == next && next < 4096:
			table[next] = link{prev, table[prev].size + 1, first(prev)}
			next++
		case prev >= 0 && code < next && next >= 4096:
		default:
			return out, errors.New("lzw stream has a code out of order")
		}
		size := table[code].size
		if len(out)+size > limit {
			return out, ErrTooLarge
		}
		out = append(out, make([]byte, size)...)
		for c, i := code, len(out)-1; c >= 0; c, i = table[c].prev, i-1 {
			out[i] = table[c].last
		}
		prev = code
		if next+early >= 1<<width && width < 12 {
			width++
		}
	}
	return out, nil
}

// unpredict undoes the TIFF and PNG predictors (ISO 32000-1, 7.4.4.4).
func (f *File) unpredict(data []byte, parm Dict) ([]byte, error) {
	predictor, _ := f.Int(parm["Predictor"])
	if predictor < 2 {
		return data, nil
	}
	get := func(key Name, def int) int {
		if n, ok := f.Int(parm[key]); ok && n > 0 && n < 1<<20 {
			return n
		}
		return def
	}
	colors, bpc, columns := get("Colors", 1), get("BitsPerComponent", 8), get("Columns", 1)
	pixel := max(1, colors*bpc/8)
	row := (colors*bpc*columns + 7) / 8
	if row > maxStream {
		return nil, ErrTooLarge
	}
	if predictor == 2 {
		if bpc != 8 {
			return data, fmt.Errorf("tiff predictor of %d bits", bpc)
		}
		for at := 0; at < len(data); at += row {
			for i := at + pixel; i < min(at+row, len(data)); i++ {
				data[i] += data[i-pixel]
			}
		}
		return data, nil
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
