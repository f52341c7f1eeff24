// Package telemetry tells what clients of the gateway do to systems that watch programs: metrics for Prometheus, and
// metrics and traces by OpenTelemetry.
//
//	Options    what is asked for, by flags and by the variables of OpenTelemetry
//	Telemetry  Observe takes in a record, Handler answers Prometheus
//	Probe      whether the collectors that are asked for take what is sent
//	Now        what there is at a moment, such as open sessions
//
// A tool call is a span, the runs in it are spans below it, and action calls below these. Nothing is started that is
// not asked for.
package telemetry

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	export "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"almanac/session/gateway/audit"
)

// Options say what is asked for.
type Options struct {
	// Version is that of this program.
	Version string
	// Prometheus has Handler answer.
	Prometheus bool
	// Getenv has the variables of OpenTelemetry; nil: there are none. The endpoints, OTEL_SDK_DISABLED and
	// OTEL_*_EXPORTER say whether anything is sent; the libraries read the others themselves.
	Getenv func(string) string
	// Now is asked at each collection.
	Now func() Now
	// Log is told what cannot be sent; nil tells nobody.
	Log func(format string, args ...any)
}

// Now is what there is at a moment.
type Now struct {
	Sessions, Connections, Running, Waiting int
	// Sources are counted by their state.
	Sources map[string]int
}

// Telemetry is safe for concurrent use. Close sends what is left.
type Telemetry struct {
	handler http.Handler
	metrics *metrics
	spans   *spans
	close   []func(context.Context) error
}

// New starts what is asked for; nil where that is nothing.
func New(ctx context.Context, o Options) (*Telemetry, error) {
	traces, err := o.sends("TRACES")
	sent, wrong := o.sends("METRICS")
	if err = errors.Join(err, wrong); err != nil || !traces && !sent && !o.Prometheus {
		return nil, err
	}
	if o.Log != nil {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log("telemetry: %v", err) }))
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "almanac"), attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", rand.Text()),
	), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t := &Telemetry{}
	measured := []metric.Option{metric.WithResource(about)}
	if o.Prometheus {
		registry := prometheus.NewRegistry()
		registry.MustRegister(collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		reader, err := export.New(export.WithRegisterer(registry), export.WithoutScopeInfo())
		if err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
		measured = append(measured, metric.WithReader(reader))
		t.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	}
	if sent {
		exporter, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
		measured = append(measured, metric.WithReader(metric.NewPeriodicReader(exporter)))
	}
	if sent || o.Prometheus {
		provider := metric.NewMeterProvider(measured...)
		t.close = append(t.close, provider.Shutdown)
		if t.metrics, err = newMetrics(provider.Meter("almanac"), o.Now); err != nil {
			return nil, errors.Join(fmt.Errorf("telemetry: %w", err), t.Close(ctx))
		}
	}
	if traces {
		exporter, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("telemetry: %w", err), t.Close(ctx))
		}
		provider := trace.NewTracerProvider(trace.WithResource(about), trace.WithBatcher(exporter))
		t.close = append(t.close, provider.Shutdown)
		t.spans = newSpans(provider.Tracer("almanac"))
	}
	return t, nil
}

// sends tells that a signal goes out by OTLP, or what is wrong with how that is asked for.
func (o Options) sends(signal string) (bool, error) {
	if o.Getenv == nil || o.Getenv("OTEL_SDK_DISABLED") == "true" || o.Getenv("OTEL_"+signal+"_EXPORTER") == "none" ||
		o.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && o.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") == "" {
		return false, nil
	}
	if exporter := o.Getenv("OTEL_" + signal + "_EXPORTER"); exporter != "" && exporter != "otlp" {
		return false, fmt.Errorf("OTEL_%s_EXPORTER: %q: want otlp or none", signal, exporter)
	}
	protocol := cmp.Or(o.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_PROTOCOL"), o.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"))
	if protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: %q: want http/protobuf", protocol)
	}
	return true, nil
}

// Probe sends nothing to the collector of each signal that is sent, and returns what came of it by the signal's name:
// an error, or nil where it was taken. The map is empty where nothing is sent.
func Probe(ctx context.Context, o Options) map[string]error {
	found := map[string]error{}
	for signal, send := range map[string]func() error{
		"traces": func() error {
			client := otlptracehttp.NewClient(otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
			if err := client.Start(ctx); err != nil {
				return err
			}
			return errors.Join(client.UploadTraces(ctx, nil), client.Stop(ctx))
		},
		"metrics": func() error {
			exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
			if err != nil {
				return err
			}
			return errors.Join(exporter.Export(ctx, &metricdata.ResourceMetrics{}), exporter.Shutdown(ctx))
		},
	} {
		sent, err := o.sends(strings.ToUpper(signal))
		if sent {
			err = send()
		}
		if sent || err != nil {
			found[signal] = err
		}
	}
	return found
}

// Observe takes in a record, and tells it of its trace.
func (t *Telemetry) Observe(r *audit.Record) {
	if t.metrics != nil {
		t.metrics.observe(r)
	}
	if t.spans != nil {
		t.spans.observe(r)
	}
}

// Handler answers Prometheus; nil where that was not asked for.
func (t *Telemetry) Handler() http.Handler { return t.handler }

// Close sends what is left, and ends.
func (t *Telemetry) Close(ctx context.Context) error {
	var errs []error
	for _, end := range t.close {
		errs = append(errs, end(ctx))
	}
	return errors.Join(errs...)
}
