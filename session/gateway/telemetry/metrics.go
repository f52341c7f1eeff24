package telemetry

import (
	"context"
	"errors"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"almanac/session/gateway/audit"
)

// metrics count what is told. No label has a value that a client could make up.
type metrics struct {
	tools, answered, runs, calls, results, refused metric.Int64Counter
	toolTime, callTime                             metric.Float64Histogram
}

// seconds are the buckets of durations.
var seconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

func newMetrics(m metric.Meter, now func() Now) (*metrics, error) {
	var errs []error
	counter := func(name, unit, about string) metric.Int64Counter {
		c, err := m.Int64Counter("almanac."+name, metric.WithUnit(unit), metric.WithDescription(about))
		errs = append(errs, err)
		return c
	}
	duration := func(name, about string) metric.Float64Histogram {
		h, err := m.Float64Histogram("almanac."+name, metric.WithUnit("s"), metric.WithDescription(about),
			metric.WithExplicitBucketBoundaries(seconds...))
		errs = append(errs, err)
		return h
	}
	gauge := func(name, about string) metric.Int64ObservableGauge {
		g, err := m.Int64ObservableGauge("almanac."+name, metric.WithDescription(about))
		errs = append(errs, err)
		return g
	}
	made := &metrics{
		tools:    counter("tool.calls", "", "tool calls that have ended"),
		answered: counter("answers", "By", "text of answers to tool calls"),
		runs:     counter("runs", "", "scripts that have ended"),
		calls:    counter("calls", "", "action calls that have ended, by the first part of their ids"),
		results:  counter("results", "By", "results of actions, before scripts made them less"),
		refused:  counter("refused", "", "requests without a good token, or beyond a rate"),
		toolTime: duration("tool.duration", "how long tool calls take"),
		callTime: duration("call.duration", "how long action calls take"),
	}
	sessions, connections := gauge("sessions", "open Lua sessions"), gauge("connections", "MCP connections over HTTP")
	running, waiting := gauge("running", "calls that run"), gauge("waiting", "calls that wait for their turn")
	sources := gauge("sources", "sources of actions, by state")
	if now != nil {
		_, err := m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
			n := now()
			o.ObserveInt64(sessions, int64(n.Sessions))
			o.ObserveInt64(connections, int64(n.Connections))
			o.ObserveInt64(running, int64(n.Running))
			o.ObserveInt64(waiting, int64(n.Waiting))
			for state, count := range n.Sources {
				o.ObserveInt64(sources, int64(count), metric.WithAttributes(attribute.String("state", state)))
			}
			return nil
		}, sessions, connections, running, waiting, sources)
		errs = append(errs, err)
	}
	return made, errors.Join(errs...)
}

func (m *metrics) observe(r *audit.Record) {
	ctx := context.Background()
	labels := func(pairs ...string) metric.MeasurementOption {
		var set []attribute.KeyValue
		for i := 0; i < len(pairs); i += 2 {
			set = append(set, attribute.String(pairs[i], pairs[i+1]))
		}
		return metric.WithAttributes(set...)
	}
	switch r.Event {
	case audit.ToolEnd:
		of := labels("client", r.Client, "tool", r.Tool, "outcome", r.Outcome)
		m.tools.Add(ctx, 1, of)
		m.answered.Add(ctx, int64(r.Bytes), labels("client", r.Client))
		m.toolTime.Record(ctx, r.Millis/1000, labels("tool", r.Tool))
	case audit.RunEnd:
		m.runs.Add(ctx, 1, labels("mode", r.Mode, "outcome", r.Outcome))
	case audit.CallEnd:
		namespace := ""
		if r.Outcome != "rejected" { // else the id is whatever the script made up
			namespace, _, _ = strings.Cut(r.Action, ".")
		}
		m.calls.Add(ctx, 1, labels("client", r.Client, "namespace", namespace, "outcome", r.Outcome))
		m.results.Add(ctx, int64(r.Bytes), labels("client", r.Client))
		m.callTime.Record(ctx, r.Millis/1000, labels("namespace", namespace))
	case audit.Refused:
		m.refused.Add(ctx, int64(max(1, r.Times)), labels("client", r.Client))
	}
}
