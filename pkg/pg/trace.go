package pg

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

const tracer = "github.com/townline/townline/pkg/pg"

const maxStatement = 2000

// queries makes a span for each statement of traced work. Spans omit the arguments, which contain
// data.
type queries struct{}

func (queries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	text := strings.Join(strings.Fields(q.SQL), " ")
	verb, _, _ := strings.Cut(text, " ")
	return begin(ctx, strings.ToUpper(verb), text)
}

func (queries) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	end(ctx, q.CommandTag.RowsAffected(), q.Err)
}

func (queries) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, c pgx.TraceCopyFromStartData) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	return begin(ctx, "COPY", "COPY "+c.TableName.Sanitize())
}

func (queries) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, c pgx.TraceCopyFromEndData) {
	end(ctx, c.CommandTag.RowsAffected(), c.Err)
}

func begin(ctx context.Context, name, text string) context.Context {
	if len(text) > maxStatement {
		text = strings.ToValidUTF8(text[:maxStatement], "") + "…"
	}
	ctx, _ = trace.SpanFromContext(ctx).TracerProvider().Tracer(tracer).Start(ctx, name,
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", "postgresql"), attribute.String("db.query.text", text)))
	return ctx
}

func end(ctx context.Context, rows int64, err error) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.Int64("db.response.returned_rows", rows))
	if err != nil {
		span.SetStatus(codes.Error, Loggable(err))
	}
	span.End()
}
