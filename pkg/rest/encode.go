package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// An encoder writes the JSON of one answer. It stops as soon as that is larger than an answer may be, its time is over, or nobody
// waits for it.
type encoder struct {
	ctx  context.Context
	c    *Call
	b    []byte
	json *json.Encoder
}

// encode is the answer whose body is the JSON of a value.
func encode(ctx context.Context, c *Call, v any) (*answer, error) {
	e := &encoder{ctx: ctx, c: c}
	e.json = json.NewEncoder(e)
	e.json.SetEscapeHTML(false)
	err := e.value(v)
	if err != nil {
		return nil, err
	}
	return &answer{body: e.b}, nil
}

// A lister is a body with a list that is written entry by entry. Structs that embed one also have its methods, and are none.
type lister interface {
	list(e *encoder) error
	is() reflect.Type
}

func (e *encoder) value(v any) error {
	switch v := v.(type) {
	case lister:
		if v.is() == reflect.TypeOf(v) {
			return v.list(e)
		}
	case Appender:
		e.b = v.AppendJSON(e.b)
		return e.room()
	}
	if err := e.json.Encode(v); err != nil {
		return fmt.Errorf("encode %T: %w", v, err)
	}
	e.b = e.b[:len(e.b)-1] // the line break
	return e.room()
}

// Write takes what json.Encoder has made of one value.
func (e *encoder) Write(b []byte) (int, error) {
	if len(e.b)+len(b) > e.c.s.cfg.AnswerBytes {
		return 0, e.c.tooLarge()
	}
	e.b = append(e.b, b...)
	return len(b), nil
}

// room tells whether the answer may go on.
func (e *encoder) room() error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if len(e.b) > e.c.s.cfg.AnswerBytes {
		return e.c.tooLarge()
	}
	if len(e.b) > wideFrom {
		return e.c.widen(e.ctx)
	}
	return nil
}

// text adds what needs no encoding.
func (e *encoder) text(s string) { e.b = append(e.b, s...) }

// number adds an integer.
func (e *encoder) number(n int64) { e.b = strconv.AppendInt(e.b, n, 10) }

// data writes a list entry by entry, anything else at once.
func (e *encoder) data(data any) error {
	v := reflect.ValueOf(data)
	if _, whole := data.(json.Marshaler); whole || v.Kind() != reflect.Slice || v.IsNil() {
		return e.value(data)
	}
	if _, whole := data.(Appender); whole {
		return e.value(data)
	}
	e.text("[")
	for i := range v.Len() {
		if i > 0 {
			e.text(",")
		}
		if err := e.value(v.Index(i).Addr().Interface()); err != nil {
			return err
		}
	}
	e.text("]")
	return nil
}

func (Envelope[D]) is() reflect.Type { return reflect.TypeFor[Envelope[D]]() }

func (v Envelope[D]) list(e *encoder) error {
	m := &v.Meta
	e.text(`{"meta":{"totalCount":`)
	e.number(int64(m.TotalCount))
	e.text(`,"dataCount":`)
	e.number(int64(m.DataCount))
	e.text(`,"limit":`)
	e.number(m.Limit)
	e.text(`,"offset":`)
	e.number(m.Offset)
	e.text(`,"links":`)
	e.b = m.Links.AppendJSON(e.b)
	if m.LastFetched != nil {
		e.text(`,"last_fetched":`)
		e.number(*m.LastFetched)
	}
	if m.Truncated {
		e.text(`,"truncated":true`)
	}
	for i, alias := range m.Missing {
		e.text([]string{`,"missing":[`, ","}[min(i, 1)])
		e.b = AppendString(e.b, alias)
	}
	if len(m.Missing) > 0 {
		e.text("]")
	}
	e.text(`},"data":`)
	if err := e.data(v.Data); err != nil {
		return err
	}
	e.text("}")
	return nil
}

func (Page[R]) is() reflect.Type { return reflect.TypeFor[Page[R]]() }

func (p Page[R]) list(e *encoder) error {
	e.text(`{"data":`)
	if err := e.data(p.Data); err != nil {
		return err
	}
	e.text(`,"next_cursor":`)
	if err := e.value(p.NextCursor); err != nil {
		return err
	}
	e.text(`,"count":`)
	e.number(int64(p.Count))
	e.text("}")
	return nil
}

// megabytes names a size for readers.
func megabytes(n int) string {
	if n < 1<<20 {
		return strconv.Itoa(n) + " bytes"
	}
	return strconv.Itoa(n>>20) + " MB"
}
