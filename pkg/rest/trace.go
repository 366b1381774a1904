package rest

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const tracer = "github.com/townline/townline/pkg/rest"

// startSpan starts the span of a request, in the trace of its traceparent header. If several
// requests wait for one body, the body belongs to the trace of the first.
func (c *Call) startSpan(provider trace.TracerProvider) {
	ctx := propagation.TraceContext{}.Extract(c.r.Context(), propagation.HeaderCarrier(c.r.Header))
	ctx, c.span = provider.Tracer(tracer).Start(ctx, c.r.Method+" "+c.r.Pattern, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(
			attribute.String("http.request.method", c.r.Method), attribute.String("http.route", c.r.Pattern),
			attribute.String("url.path", c.r.URL.Path), attribute.String("townline.request_id", c.id[0])))
	c.r = c.r.WithContext(ctx)
}

func (c *Call) endSpan(status int) {
	c.span.SetAttributes(attribute.Int("http.response.status_code", status))
	if c.cause != nil {
		c.span.SetStatus(codes.Error, c.cause.Error())
	}
	c.span.End()
}
