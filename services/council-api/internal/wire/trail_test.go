package wire

import (
	"encoding/json"
	"fmt"
	"testing"
)

// A cursor has the ids of the rows that the client has read of the last group, newest first. They
// may come from several pages, up to a limit.
func TestTrailHasTheRowsRead(t *testing.T) {
	t.Parallel()
	row := func(group string, place, id int) Key {
		return Key{json.RawMessage(fmt.Sprintf(`[%q, %d, [%d]]`, group, place, id))}
	}
	text := func(s string) *string { return &s }
	var many []Key
	for i := range 30 {
		many = append(many, row("a", i+1, 100+i))
	}
	for name, c := range map[string]struct {
		rows  []Key
		after *string
		want  string
	}{
		"one row":          {[]Key{row("a", 1, 9)}, nil, `["a",1,[9]]`},
		"one group":        {[]Key{row("a", 1, 9), row("a", 2, 8)}, nil, `["a",2,[8,9]]`},
		"the last group":   {[]Key{row("a", 1, 9), row("b", 1, 8), row("b", 2, 7)}, text(`["b", 9, [1]]`), `["b",2,[7,8]]`},
		"goes on":          {[]Key{row("a", 3, 7)}, text(`["a",2,[8,9]]`), `["a",3,[7,8,9]]`},
		"another group":    {[]Key{row("b", 1, 7)}, text(`["a",2,[8,9]]`), `["b",1,[7]]`},
		"an old cursor":    {[]Key{row("a", 3, 7)}, text(`["a",2]`), `["a",3,[7]]`},
		"a cursor by hand": {[]Key{row("a", 3, 7)}, text(`["a",{},["x",null]]`), `["a",3,[7,"x",null]]`},
		"many": {many, nil,
			`["a",30,[129,128,127,126,125,124,123,122,121,120,119,118,117,116,115,114,113,112,111,110]]`},
		"no group":           {[]Key{{json.RawMessage(`["a", 3, 7]`)}}, text(`["a", 2, 8]`), `["a", 3, 7]`},
		"neither group":      {[]Key{{json.RawMessage(`[7]`)}}, nil, `[7]`},
		"an id and no group": {[]Key{{json.RawMessage(`[[7]]`)}}, nil, `[[7]]`},
	} {
		if got := string(trail(c.rows, c.after)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
