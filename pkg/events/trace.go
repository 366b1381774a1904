package events

import (
	"context"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const tracer = "github.com/townline/townline/pkg/events"

// send starts the span of a sent message and adds the ids of the trace to its header. Without a
// trace in ctx it does nothing.
func send(ctx context.Context, m *nats.Msg) func(error) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return func(error) {}
	}
	ctx, span := parent.TracerProvider().Tracer(tracer).Start(ctx, "send "+m.Subject,
		trace.WithSpanKind(trace.SpanKindProducer), about(m.Subject))
	parts := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, parts)
	m.Header = nats.Header{}
	for name, value := range parts {
		m.Header.Set(name, value)
	}
	return func(err error) { end(span, err) }
}

// receive starts the span of handling a message, as a child of the sender's span.
func (b *Bus) receive(ctx context.Context, subject string, header nats.Header) (context.Context, func(error)) {
	if b.traces == nil {
		return ctx, func(error) {}
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{
		"traceparent": header.Get("traceparent"), "tracestate": header.Get("tracestate")})
	ctx, span := b.traces.Tracer(tracer).Start(ctx, "process "+subject, trace.WithSpanKind(trace.SpanKindConsumer),
		about(subject))
	return ctx, func(err error) { end(span, err) }
}

func about(subject string) trace.SpanStartOption {
	return trace.WithAttributes(attribute.String("messaging.system", "nats"),
		attribute.String("messaging.destination.name", subject))
}

func end(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}
