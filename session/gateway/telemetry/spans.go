package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"almanac/session/gateway/audit"
)

// spans are the tool calls that are under way.
type spans struct {
	tracer trace.Tracer
	mu     sync.Mutex
	open   map[string]*open // by the tool call
}

// open is a tool call or a run that has not ended.
type open struct {
	ctx  context.Context
	span trace.Span
	runs map[string]*open // of a tool call, by their ids
}

func newSpans(t trace.Tracer) *spans { return &spans{tracer: t, open: map[string]*open{}} }

func (s *spans) observe(r *audit.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Event == audit.ToolBegin {
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{
			"traceparent": r.Parent.Traceparent, "tracestate": r.Parent.Tracestate,
		})
		s.open[r.ToolCall] = s.begin(ctx, "tools/call "+r.Tool, r, trace.SpanKindServer,
			attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.tool.name", r.Tool),
			attribute.String("almanac.client", r.Client), attribute.String("almanac.program", r.Program))
	}
	tool := s.open[r.ToolCall]
	if tool == nil {
		return
	}
	if id := tool.span.SpanContext().TraceID(); id.IsValid() {
		r.Trace = id.String()
	}
	under := tool
	if run := tool.runs[r.Run]; run != nil {
		under = run
	}
	switch r.Event {
	case audit.RunBegin:
		tool.runs[r.Run] = s.begin(tool.ctx, "run "+r.Mode, r, trace.SpanKindInternal,
			attribute.String("almanac.session", r.Session), attribute.String("almanac.run", r.Run))
	case audit.CallEnd:
		call := s.begin(under.ctx, "call "+r.Action, r, trace.SpanKindClient,
			attribute.String("almanac.action", r.Action), attribute.Bool("almanac.mutates", r.Mutates),
			attribute.String("almanac.rule", r.Rule))
		call.end(r)
	case audit.RunEnd:
		under.end(r)
		delete(tool.runs, r.Run)
	case audit.ToolEnd:
		for _, run := range tool.runs { // that came to nothing
			run.end(r)
		}
		tool.end(r)
		delete(s.open, r.ToolCall)
	}
}

// begin starts a span: now, or when what has ended began.
func (s *spans) begin(ctx context.Context, name string, r *audit.Record, kind trace.SpanKind,
	about ...attribute.KeyValue) *open {
	for key, value := range map[string]string{"almanac.tenant": r.Tenant, "almanac.actor": r.Actor} {
		if value != "" {
			about = append(about, attribute.String(key, value))
		}
	}
	start := r.Time.Add(-time.Duration(r.Millis * float64(time.Millisecond)))
	o := &open{runs: map[string]*open{}}
	o.ctx, o.span = s.tracer.Start(ctx, name, trace.WithTimestamp(start), trace.WithSpanKind(kind),
		trace.WithAttributes(about...))
	return o
}

func (o *open) end(r *audit.Record) {
	o.span.SetAttributes(attribute.String("almanac.outcome", r.Outcome), attribute.Int("almanac.bytes", r.Bytes))
	if r.Error != "" {
		o.span.SetStatus(codes.Error, r.Error)
	}
	o.span.End(trace.WithTimestamp(r.Time))
}
