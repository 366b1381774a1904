package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/townline/townline/pkg/pg"
)

// Tracing has the settings of tracing. The SDK also reads its own variables, such as
// OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER.
type Tracing struct {
	Endpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" doc:"OpenTelemetry collector that takes OTLP over HTTP, such as http://collector:4318. Empty: no tracing."`
}

func (t *Tracing) Validate() error {
	if u, err := url.Parse(t.Endpoint); t.Endpoint != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" ||
		u.Host == "") {
		return errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL")
	}
	return nil
}

// maxQueue bounds the number of spans that wait to be sent. An ingest ends thousands within
// seconds.
const maxQueue = 16384

// flushFor bounds the time that a stop waits until the last spans are sent.
const flushFor = 5 * time.Second

// Open returns the provider of a service's spans and a function that sends the remaining spans. The
// provider is nil if no endpoint is set. If the collector is unreachable, spans are lost but the
// service does not wait.
func (t Tracing) Open(ctx context.Context, service string, log *slog.Logger) (trace.TracerProvider, func(), error) {
	if t.Endpoint == "" {
		return nil, func() {}, nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(strings.TrimSuffix(t.Endpoint, "/")+
		"/v1/traces"))
	if err != nil {
		return nil, nil, fmt.Errorf("open tracing: %w", err)
	}
	about := resource.NewSchemaless(attribute.String("service.name", service),
		attribute.String("service.version", Version))
	if more, err := resource.New(ctx, resource.WithFromEnv(), resource.WithAttributes(about.Attributes()...)); err == nil {
		about = more // set by OTEL_RESOURCE_ATTRIBUTES: the pod, the region
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(&watched{SpanExporter: exporter, log: log},
		sdktrace.WithMaxQueueSize(maxQueue)), sdktrace.WithResource(about))
	return provider, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushFor)
		defer cancel()
		if err := provider.Shutdown(end); err != nil {
			log.Warn("cannot end tracing in time", "error", err)
		}
	}, nil
}

// watched logs once when the collector stops accepting spans, and once when it accepts them again.
// Otherwise the SDK would write to standard error.
type watched struct {
	sdktrace.SpanExporter
	log  *slog.Logger
	lost atomic.Bool
}

func (w *watched) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := w.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !w.lost.Swap(true):
		w.log.Warn("spans are lost: the collector does not accept them", "error", err)
	case err == nil && w.lost.Swap(false):
		w.log.Info("the collector accepts spans again")
	}
	return nil
}

const tracer = "github.com/townline/townline"

// Span starts a span. The returned function ends it with the error of the work. Queries, fetches
// and messages with the returned context become children of the span. Without tracing, Span does
// nothing.
func (d Deps) Span(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, func(error)) {
	if d.Traces == nil {
		return ctx, func(error) {}
	}
	ctx, span := d.Traces.Tracer(tracer).Start(ctx, name)
	for _, a := range attrs {
		span.SetAttributes(attribute.String("townline."+a.Key, a.Value.String()))
	}
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, pg.Loggable(err))
		}
		span.End()
	}
}

type traced struct{ slog.Handler }

func (h traced) Handle(ctx context.Context, r slog.Record) error {
	if sc := trace.SpanContextFromContext(ctx); sc.IsValid() {
		r.AddAttrs(slog.String("trace_id", sc.TraceID().String()), slog.String("span_id", sc.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{h.Handler.WithAttrs(attrs)} }

func (h traced) WithGroup(name string) slog.Handler { return traced{h.Handler.WithGroup(name)} }
