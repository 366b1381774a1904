package rest

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const tracer = "github.com/townline/townline/pkg/rest"

// begin starts the span of a request, in the trace that its traceparent header
// names if there is one. What is asked to answer it hangs below it; a body that others
// wait for as well is in the trace of whoever came first.
func (s *Server) begin(c *Call) {
	route := s.Base() + c.e.Path
	ctx := propagation.TraceContext{}.Extract(c.r.Context(), propagation.HeaderCarrier(c.r.Header))
	ctx, c.span = s.cfg.Traces.Tracer(tracer).Start(ctx, c.r.Method+" "+route, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", c.r.Method), attribute.String("http.route", route),
		attribute.String("url.path", c.r.URL.Path), attribute.String("townline.request_id", c.id[0])))
	c.r = c.r.WithContext(ctx)
}

// end ends the span with what the client was told.
func (c *Call) end(status int) {
	c.span.SetAttributes(attribute.Int("http.response.status_code", status))
	if c.cause != nil {
		c.span.SetStatus(codes.Error, c.cause.Error())
	}
	c.span.End()
}
