package rtpoller

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Sources may answer in JSON, or in gzip without saying so. The snapshot is the binary message.
func TestEncodings(t *testing.T) {
	t.Parallel()
	binary := feed(t, time.Now().Unix(), 2)
	var m rt.FeedMessage
	if err := proto.Unmarshal(binary, &m); err != nil {
		t.Fatal(err)
	}
	camel, err := protojson.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	snake, err := protojson.MarshalOptions{UseProtoNames: true, UseEnumNumbers: true, Multiline: true}.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	unknown := bytes.Replace(camel, []byte("{"), []byte(`{"producer": {"x": [1]}, `), 1)
	for name, c := range map[string]struct {
		body  []byte
		wrong string
	}{
		"binary": {binary, ""}, "gzip": {packed(t, binary), ""}, "JSON": {camel, ""}, "JSON of the field names": {snake, ""},
		"JSON with a mark": {append([]byte("\xEF\xBB\xBF\n"), camel...), ""}, "unknown members": {unknown, ""},
		"JSON in gzip": {packed(t, snake), ""},
		"an error in JSON": {[]byte(`{"error": "no key"}`),
			"the answer is JSON, but no message of GTFS-Realtime: it has no header"},
		"cut JSON": {camel[:len(camel)/2], "the answer is JSON, but no message of GTFS-Realtime"},
		"cut gzip": {packed(t, binary)[:30], "the answer is gzip: unexpected EOF"},
		"a bomb":   {packed(t, make([]byte, 4<<20)), "the answer is gzip: it expands to more than 2097152 bytes"},
	} {
		a := &answerBuffer{ctx: t.Context(), large: make(chan struct{}, 1), body: bytes.Clone(c.body)}
		err := a.decode(2 << 20)
		if c.wrong != "" {
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "\u00a0", " "), c.wrong) {
				t.Errorf("%s: %v, want %q", name, err, c.wrong)
			}
			continue
		}
		var got rt.FeedMessage
		if err != nil || proto.Unmarshal(a.body, &got) != nil || !proto.Equal(&m, &got) {
			t.Errorf("%s: %v, %v", name, err, &got)
		}
	}
	pool, up, p := alone(t, time.Millisecond)
	up.set(200, packed(t, camel))
	poll(t, p)
	var updates int
	var data []byte
	if err := pool.QueryRow(t.Context(), `SELECT trip_updates, data FROM transit.snapshot`).Scan(&updates,
		&data); err != nil {
		t.Fatal(err)
	}
	var stored rt.FeedMessage
	if err := proto.Unmarshal(data, &stored); err != nil || updates != 2 || !proto.Equal(&m, &stored) {
		t.Errorf("%d updates, %v", updates, err)
	}
}
