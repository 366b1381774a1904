package pdffile

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
)

// Clerks often "secure" minutes against changes: the file is encrypted with an
// empty user password, so that everybody may read it and nobody edit it. Such
// files are read here (ISO 32000-2, 7.6; revisions 2 to 6 of the standard
// handler). A file that wants a password stays closed; none is ever guessed.

// A crypt is the opened protection of a file.
type crypt struct {
	key     []byte
	streams method
	strings method
}

type method int

const (
	methodNone method = iota
	methodRC4
	methodAES128 // a key per object
	methodAES256 // one key
)

// unlock opens the file's protection, if it has one, with the empty password.
func (f *File) unlock() error {
	f.crypt = nil // the dictionary itself is not encrypted
	if f.Trailer["Encrypt"] == nil {
		return nil
	}
	f.clear() // strings read so far are not open
	d := f.Value(f.Trailer["Encrypt"])
	if d.Dict() == nil {
		return fmt.Errorf("%w: unreadable protection", ErrEncrypted)
	}
	if h := d.Key("Filter").Name(); h != "Standard" {
		return fmt.Errorf("%w: by handler %q", ErrEncrypted, h)
	}
	version, revision, bits := d.Key("V").Int(), d.Key("R").Int(), d.Key("Length").Int()
	c := &crypt{streams: methodRC4, strings: methodRC4}
	switch version {
	case 1:
		bits = 40
	case 2, 3:
		if bits == 0 {
			bits = 40
		}
	case 4, 5:
		var err error
		if c.streams, err = filterMethod(d, "StmF"); err != nil {
			return err
		}
		if c.strings, err = filterMethod(d, "StrF"); err != nil {
			return err
		}
		bits = 128
	default:
		return fmt.Errorf("%w: version %d", ErrEncrypted, version)
	}
	if bits < 40 || bits > 128 || bits%8 != 0 {
		return fmt.Errorf("%w: key of %d bits", ErrEncrypted, bits)
	}
	var ok bool
	if revision >= 5 {
		c.key, ok = key256(d, revision)
	} else {
		c.key, ok = key128(f, d, revision, bits/8)
	}
	if !ok {
		return fmt.Errorf("%w: a password is wanted", ErrEncrypted)
	}
	f.crypt = c
	own, _ := f.Trailer["Encrypt"].(Ref)
	f.clear()
	if own.Num != 0 {
		f.objects[own.Num] = d.object // it alone is not encrypted
	}
	return nil
}

// filterMethod reads the crypt filter that is used for streams or strings.
func filterMethod(d Value, use Name) (method, error) {
	name := d.Key(use).Name()
	if name == "" || name == "Identity" {
		return methodNone, nil
	}
	switch cfm := d.Key("CF").Named(name).Key("CFM").Name(); cfm {
	case "None":
		return methodNone, nil
	case "V2":
		return methodRC4, nil
	case "AESV2":
		return methodAES128, nil
	case "AESV3":
		return methodAES256, nil
	default:
		return 0, fmt.Errorf("%w: by method %q", ErrEncrypted, cfm)
	}
}

var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// key128 derives the file key of revisions 2 to 4 (algorithm 2) and checks it
// against the U entry (algorithms 4 and 5).
func key128(f *File, d Value, revision, size int) ([]byte, bool) {
	owner, user := []byte(d.Key("O").Text()), []byte(d.Key("U").Text())
	if len(owner) < 32 || len(user) < 16 {
		return nil, false
	}
	perms := d.Key("P").Int()
	id := []byte(f.Value(f.Trailer["ID"]).Index(0).Text())
	h := md5.New()
	h.Write(padding)
	h.Write(owner[:32])
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(perms)))
	h.Write(id)
	if meta, is := d.Key("EncryptMetadata").object.(bool); is && !meta && revision >= 4 {
		h.Write([]byte{255, 255, 255, 255})
	}
	key := h.Sum(nil)[:size]
	if revision == 2 {
		want := rc4ed(key, padding)
		return key, bytes.Equal(want, user[:min(32, len(user))])
	}
	for range 50 {
		sum := md5.Sum(key)
		copy(key, sum[:size])
	}
	sum := md5.Sum(append(bytes.Clone(padding), id...))
	want := sum[:]
	for i := range 20 {
		step := bytes.Clone(key)
		for j := range step {
			step[j] ^= byte(i)
		}
		want = rc4ed(step, want)
	}
	return key, bytes.Equal(want, user[:16])
}

// key256 finds the file key of revisions 5 and 6 (algorithm 2.A).
func key256(d Value, revision int) ([]byte, bool) {
	user, sealed := []byte(d.Key("U").Text()), []byte(d.Key("UE").Text())
	if len(user) < 48 || len(sealed) < 32 {
		return nil, false
	}
	check, salt := user[32:40], user[40:48]
	if !bytes.Equal(hash256(check, revision), user[:32]) {
		return nil, false
	}
	block, err := aes.NewCipher(hash256(salt, revision))
	if err != nil {
		return nil, false
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, 16)).CryptBlocks(key, sealed[:32])
	return key, true
}

// hash256 is algorithm 2.B for the empty password.
func hash256(salt []byte, revision int) []byte {
	first := sha256.Sum256(salt)
	k := first[:]
	if revision < 6 {
		return k
	}
	for i := 0; ; i++ {
		k1 := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(k1, k1)
		mod := 0
		for _, b := range k1[:16] {
			mod += int(b)
		}
		switch mod % 3 {
		case 0:
			s := sha256.Sum256(k1)
			k = s[:]
		case 1:
			s := sha512.Sum384(k1)
			k = s[:]
		default:
			s := sha512.Sum512(k1)
			k = s[:]
		}
		if i >= 63 && int(k1[len(k1)-1]) <= i-31 {
			return k[:32]
		}
	}
}

func rc4ed(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

func (c *crypt) open(m method, data []byte, ref Ref) []byte {
	if m == methodNone {
		return data
	}
	key := c.key
	if m != methodAES256 { // algorithm 1
		h := md5.New()
		h.Write(key)
		h.Write([]byte{byte(ref.Num), byte(ref.Num >> 8), byte(ref.Num >> 16), byte(ref.Gen), byte(ref.Gen >> 8)})
		if m == methodAES128 {
			h.Write([]byte("sAlT"))
		}
		key = h.Sum(nil)[:min(16, len(key)+5)]
	}
	if m == methodRC4 {
		return rc4ed(key, data)
	}
	if len(data) < 32 {
		return nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	body := data[16:]
	out := make([]byte, len(body)/16*16)
	cipher.NewCBCDecrypter(block, data[:16]).CryptBlocks(out, body[:len(out)])
	if n := int(out[len(out)-1]); n >= 1 && n <= 16 {
		out = out[:len(out)-n]
	}
	return out
}

// decrypted opens the strings within an object of the file's body.
func (f *File) decrypted(o Object, ref Ref) Object {
	if f.crypt == nil || f.crypt.strings == methodNone {
		return o
	}
	switch o := o.(type) {
	case String:
		return String(f.crypt.open(f.crypt.strings, []byte(o), ref))
	case Array:
		for i := range o {
			o[i] = f.decrypted(o[i], ref)
		}
	case Dict:
		for k := range o {
			o[k] = f.decrypted(o[k], ref)
		}
	}
	return o
}
