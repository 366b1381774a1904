package notice

import "github.com/townline/townline/pkg/lang"

// A HoldCode names a reason why a version of a feed must not become live.
type HoldCode string

// A Hold is why a version of a feed must not become live. Its sentence is held.CODE.
type Hold struct {
	Code   HoldCode    `json:"code"`
	Fields lang.Fields `json:"fields,omitempty"`
}

// Text returns the sentence. It begins with a small letter and has no full stop.
func (h *Hold) Text(say lang.Words) string { return say.Fill("held."+string(h.Code), h.Fields) }
