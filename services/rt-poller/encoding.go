package rtpoller

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// decode replaces an answer that is gzip without the header Content-Encoding, or JSON by the mapping
// of Protocol Buffers, by the message in its binary form. Other answers stay as they are.
func (a *answerBuffer) decode(maxBytes int64) error {
	if bytes.HasPrefix(a.body, []byte{0x1f, 0x8b}) {
		if err := a.inflate(maxBytes); err != nil {
			return fmt.Errorf("the answer is gzip: %w", err)
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(a.body, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if !bytes.HasPrefix(text, []byte("{")) {
		return nil
	}
	var m rt.FeedMessage
	err := protojson.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true, RecursionLimit: 100}.Unmarshal(text, &m)
	if err == nil && m.Header == nil {
		err = errors.New("it has no header")
	}
	if err != nil {
		return fmt.Errorf("the answer is JSON, but no message of GTFS-Realtime: %w", err)
	}
	a.body, err = proto.MarshalOptions{AllowPartial: true}.Marshal(&m)
	return err
}

func (a *answerBuffer) inflate(maxBytes int64) error {
	packed := a.body
	a.body = nil
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	n, err := io.Copy(a, io.LimitReader(r, maxBytes+1))
	if err == nil && n > maxBytes {
		err = fmt.Errorf("it expands to more than %d bytes", maxBytes)
	}
	return err
}
