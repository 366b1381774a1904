package run

import (
	"io"
	"log/slog"

	"github.com/townline/townline/pkg/pg"
)

// Version of the program, set when it is linked.
var Version = "devel"

// Logger writes structured logs to w. level is debug, info, warn or error; format is text or json.
// Other values mean info and text. A line with the context of a span has its ids.
func Logger(w io.Writer, level, format string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: l, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(pg.Loggable(err))
		}
		return a
	}}
	if format == "json" {
		return slog.New(traced{slog.NewJSONHandler(w, opts)})
	}
	return slog.New(traced{slog.NewTextHandler(w, opts)})
}
