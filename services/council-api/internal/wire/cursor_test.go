package wire

import (
	"encoding/json"
	"net/url"
	"testing"

	"pgregory.net/rapid"
)

func TestCursorProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bound := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bound")
		key, err := json.Marshal(rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "key"))
		if err != nil {
			t.Fatal(err)
		}
		sealed := sealCursor(bound, key)
		if got, err := openCursor(bound, sealed); err != nil || *got != string(key) {
			t.Fatalf("round trip of %q gives %v, %v", key, got, err)
		}
		if sealed != url.QueryEscape(sealed) {
			t.Fatalf("%q needs escaping", sealed)
		}
		if _, err := openCursor(append(bound, 'x'), sealed); err == nil {
			t.Fatal("accepted a cursor with other filters")
		}
		b := []byte(sealed)
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		b[at] = byte(rapid.IntRange(0, 255).Draw(t, "to"))
		if _, err := openCursor(bound, string(b)); err == nil && string(b) != sealed {
			t.Fatalf("accepted a cursor that was changed at %d: %q", at, b)
		}
		for _, other := range []string{sealed[:at], sealed + "A", sealed[:at] + "\n" + sealed[at:]} {
			if _, err := openCursor(bound, other); err == nil {
				t.Fatalf("opened the invalid cursor %q", other)
			}
		}
	})
}

func FuzzCursor(f *testing.F) {
	bound := []byte("listThings\x00=red")
	f.Add(sealCursor(bound, json.RawMessage(`["2026-01-02",7]`)))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, s string) {
		key, err := openCursor(bound, s)
		if err == nil && sealCursor(bound, json.RawMessage(*key)) != s {
			t.Errorf("two cursors decode to %s", *key)
		}
	})
}
