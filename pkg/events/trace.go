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

// carrier lets the trace context (W3C traceparent) travel in the header of a message.
type carrier nats.Header

func (c carrier) Get(key string) string { return nats.Header(c).Get(key) }
func (c carrier) Set(key, value string) { nats.Header(c).Set(key, value) }
func (c carrier) Keys() []string {
	keys := make([]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	return keys
}

// send begins the span of sending a message in a traced context, and puts its
// context into the header; outside of a trace it does nothing.
func send(ctx context.Context, m *nats.Msg) func(error) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return func(error) {}
	}
	ctx, span := parent.TracerProvider().Tracer(tracer).Start(ctx, "send "+m.Subject, trace.WithSpanKind(trace.SpanKindProducer), about(m.Subject))
	m.Header = nats.Header{}
	propagation.TraceContext{}.Inject(ctx, carrier(m.Header))
	return func(err error) { end(span, err) }
}

// receive begins the span of handling a message, as a child of its sending.
func (b *Bus) receive(ctx context.Context, subject string, header nats.Header) (context.Context, func(error)) {
	if b.traces == nil {
		return ctx, func(error) {}
	}
	ctx = propagation.TraceContext{}.Extract(ctx, carrier(header))
	ctx, span := b.traces.Tracer(tracer).Start(ctx, "process "+subject, trace.WithSpanKind(trace.SpanKindConsumer), about(subject))
	return ctx, func(err error) { end(span, err) }
}

func about(subject string) trace.SpanStartOption {
	return trace.WithAttributes(attribute.String("messaging.system", "nats"), attribute.String("messaging.destination.name", subject))
}

func end(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}
