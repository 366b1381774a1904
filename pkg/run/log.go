package run

import (
	"io"
	"log/slog"

	"github.com/townline/townline/pkg/pg"
)

// Version is the version of the program, which the linker sets.
var Version = "devel"

// Logger writes structured logs to w. level is debug, info, warn or error; format is text or json.
// Other values mean info and text. If the context of a log line has a span, the line has the span's
// ids.
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
