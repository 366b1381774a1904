package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

const tracer = "github.com/townline/townline/pkg/fetch"

// traced calls once, in a span if ctx has a trace. It does not send the ids of the trace to the
// server.
func (c *Client) traced(ctx context.Context, r Request, req *http.Request,
	open func() (io.Writer, error)) (Meta, error) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return c.once(ctx, r, req, open)
	}
	ctx, span := parent.TracerProvider().Tracer(tracer).Start(ctx, http.MethodGet,
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("http.request.method", http.MethodGet),
			attribute.String("url.full", clean(r.URL)),
			attribute.String("server.address", req.URL.Hostname())))
	defer span.End()
	meta, err := c.once(ctx, r, req, open)
	var answered *StatusError
	switch {
	case errors.As(err, &answered):
		span.SetAttributes(attribute.Int("http.response.status_code", answered.Code))
	case err == nil && meta.NotModified:
		span.SetAttributes(attribute.Int("http.response.status_code", http.StatusNotModified))
	case err == nil:
		span.SetAttributes(attribute.Int("http.response.status_code", http.StatusOK),
			attribute.Int64("http.response.body.size", meta.Bytes))
	}
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	return meta, err
}
