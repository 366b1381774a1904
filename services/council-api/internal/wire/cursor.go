package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
)

// A cursor is base64url(checksum ‖ sort key). The sort key belongs to the last row of a page and is
// JSON. The checksum is eight bytes of SHA-256 over the sort key and over the path and filters of
// the request. It is not a signature: a client that computes a cursor only gets another page of
// public data.
const (
	cursorSum = 8
	cursorMax = 2048
)

var cursorText = base64.RawURLEncoding.Strict()

var errCursor = errors.New("is damaged, or belongs to another path or other filters")

// sealCursor makes a cursor for requests whose path and filters are in bound.
func sealCursor(bound []byte, key json.RawMessage) string {
	return cursorText.EncodeToString(append(cursorCheck(bound, key), key...))
}

// openCursor returns the sort key of a cursor, or errCursor.
func openCursor(bound []byte, cursor string) (*string, error) {
	if len(cursor) > cursorMax {
		return nil, errCursor
	}
	b, err := cursorText.DecodeString(cursor)
	if err != nil || len(b) <= cursorSum || cursorText.EncodeToString(b) != cursor { // the decoder skips newlines
		return nil, errCursor
	}
	key := b[cursorSum:]
	if string(cursorCheck(bound, key)) != string(b[:cursorSum]) || !json.Valid(key) || key[0] != '[' {
		return nil, errCursor
	}
	return new(string(key)), nil
}

func cursorCheck(bound, key []byte) []byte {
	h := sha256.New()
	h.Write(bound)
	h.Write([]byte{1}) // separates bound and key: bound is text, and a key begins with "["
	h.Write(key)
	return h.Sum(nil)[:cursorSum]
}
