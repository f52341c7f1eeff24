package telemetry

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"almanac/session/gateway/audit"
)

// A collector takes in what is sent by OTLP.
type collector struct {
	mu      sync.Mutex
	spans   []*traces.Span
	metrics []string
	from    string // the resource
}

func collect(t *testing.T) (*collector, string) {
	c := &collector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch r.URL.Path {
		case "/v1/traces":
			var sent collecttraces.ExportTraceServiceRequest
			if err := proto.Unmarshal(body, &sent); err != nil {
				t.Error(err)
			}
			for _, of := range sent.ResourceSpans {
				c.from = of.Resource.String()
				for _, scope := range of.ScopeSpans {
					c.spans = append(c.spans, scope.Spans...)
				}
			}
		case "/v1/metrics":
			var sent collectmetrics.ExportMetricsServiceRequest
			if err := proto.Unmarshal(body, &sent); err != nil {
				t.Error(err)
			}
			for _, of := range sent.ResourceMetrics {
				for _, scope := range of.ScopeMetrics {
					for _, m := range scope.Metrics {
						c.metrics = append(c.metrics, m.Name)
					}
				}
			}
		default:
			t.Error(r.URL.Path)
		}
	}))
	t.Cleanup(server.Close)
	return c, server.URL
}

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// records are a tool call with a run, a call that went well and one that was denied, and a run that never ended.
func records() []audit.Record {
	of := audit.Record{Client: "a", Actor: "ann", Session: "s", ToolCall: "t", Tool: "execute", Time: time.Now(),
		Parent: audit.Parent{Traceparent: parent}}
	var all []audit.Record
	add := func(e audit.Event, change func(*audit.Record)) {
		r := of
		r.Event = e
		if change != nil {
			change(&r)
		}
		all = append(all, r)
	}
	add(audit.ToolBegin, nil)
	add(audit.RunBegin, func(r *audit.Record) { r.Run, r.Mode = "r1", "preview" })
	add(audit.RunBegin, func(r *audit.Record) { r.Run, r.Mode = "r2", "run" })
	add(audit.CallEnd, func(r *audit.Record) {
		r.Run, r.Action, r.Outcome, r.Millis, r.Bytes = "r2", "crm.get", "ok", 20, 700
	})
	add(audit.CallEnd, func(r *audit.Record) {
		r.Run, r.Action, r.Outcome, r.Error, r.Rule = "r2", "crm.set", "denied", "crm.set: denied", "readonly"
	})
	add(audit.CallEnd, func(r *audit.Record) {
		r.Run, r.Action, r.Outcome, r.Error = "r2", "made.up", "rejected", "no such"
	})
	add(audit.RunEnd, func(r *audit.Record) { r.Run, r.Mode, r.Outcome, r.Millis = "r2", "run", "ok", 30 })
	add(audit.ToolEnd, func(r *audit.Record) { r.Outcome, r.Millis, r.Bytes = "ok", 40, 12 })
	add(audit.Refused, func(r *audit.Record) { r.Client, r.ToolCall, r.Times = "", "", 3 })
	return all
}

// One span for each tool call, run and action call, each below the other and all below the request's.
func TestSpans(t *testing.T) {
	c, url := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url}
	made, err := New(t.Context(), Options{Version: "v1", Getenv: func(name string) string { return env[name] },
		Log: t.Errorf, Now: func() Now { return Now{Sessions: 2} }})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records() {
		made.Observe(&r)
		if want := strings.Split(parent, "-")[1]; r.ToolCall != "" && r.Trace != want {
			t.Errorf("%s: trace %s, want %s", r.Event, r.Trace, want)
		}
	}
	if n := len(made.spans.open); n != 0 {
		t.Errorf("%d tool calls are still open", n)
	}
	if err := made.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{fmt.Sprintf("%x", []byte{0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7}): "the request"}
	for _, s := range c.spans {
		names[fmt.Sprintf("%x", s.SpanId)] = s.Name
	}
	var got []string
	for _, s := range c.spans {
		took := time.Duration(s.EndTimeUnixNano - s.StartTimeUnixNano).Round(time.Millisecond)
		got = append(got, fmt.Sprintf("%s < %s %s %s", s.Name, names[fmt.Sprintf("%x", s.ParentSpanId)],
			s.Status.GetMessage(), took))
	}
	slices.Sort(got)
	want := `call crm.get < run run  20ms
call crm.set < run run crm.set: denied 0s
call made.up < run run no such 0s
run preview < tools/call execute  0s
run run < tools/call execute  0s
tools/call execute < the request  0s`
	// A tool call and a run begin when they are told of, which in this test is at once.
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	for _, part := range []string{"service.name", `"almanac"`, "deployment.environment", "v1"} {
		if !strings.Contains(c.from, part) {
			t.Errorf("no %s in %s", part, c.from)
		}
	}
	for _, name := range []string{"almanac.tool.calls", "almanac.call.duration", "almanac.sessions"} {
		if !slices.Contains(c.metrics, name) {
			t.Errorf("no %s in %v", name, c.metrics)
		}
	}
}

// What Prometheus reads, and that no label holds what a script made up.
func TestMetrics(t *testing.T) {
	made, err := New(t.Context(), Options{Prometheus: true, Now: func() Now {
		return Now{Sessions: 2, Connections: 3, Sources: map[string]int{"ready": 4, "failed": 1}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records() {
		made.Observe(&r)
	}
	w := httptest.NewRecorder()
	made.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := w.Body.String()
	for _, line := range []string{
		`almanac_tool_calls_total{client="a",outcome="ok",tool="execute"} 1`,
		`almanac_answers_bytes_total{client="a"} 12`,
		`almanac_results_bytes_total{client="a"} 700`,
		`almanac_runs_total{mode="run",outcome="ok"} 1`,
		`almanac_calls_total{client="a",namespace="crm",outcome="ok"} 1`,
		`almanac_calls_total{client="a",namespace="crm",outcome="denied"} 1`,
		`almanac_calls_total{client="a",namespace="",outcome="rejected"} 1`,
		`almanac_refused_total{client=""} 3`,
		`almanac_call_duration_seconds_bucket{namespace="crm",le="0.025"} 2`,
		`almanac_sessions 2`, `almanac_connections 3`, `almanac_sources{state="failed"} 1`,
		`# HELP almanac_waiting calls that wait for their turn`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s", line)
		}
	}
	if strings.Contains(text, `="made`) {
		t.Error("an id that a script made up is a label")
	}
	if t.Failed() {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "almanac_") {
				t.Log(line)
			}
		}
	}
	if err := made.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// Nothing is started that is not asked for, and what cannot be done is an error.
func TestAskedFor(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, c := range []struct {
		env    map[string]string
		starts bool
		err    string
	}{
		{nil, false, ""},
		{map[string]string{endpoint: "http://127.0.0.1:1"}, true, ""},
		{map[string]string{endpoint: "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}, false, ""},
		{map[string]string{endpoint: "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none",
			"OTEL_METRICS_EXPORTER": "none"}, false, ""},
		{map[string]string{endpoint: "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "zipkin"}, false, "zipkin"},
		{map[string]string{endpoint: "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "http/protobuf"},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"}, true, ""},
	} {
		made, err := New(t.Context(), Options{Getenv: func(name string) string { return c.env[name] }})
		if (made != nil) != c.starts || c.err == "" && err != nil ||
			c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%v: %v %v", c.env, made, err)
		}
		if made != nil {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_ = made.Close(ctx)
		}
	}
}
