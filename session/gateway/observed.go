package gateway

// This file tells what clients do: tool calls, runs and action calls, and requests that were refused.

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"almanac/session/gateway/audit"
	"almanac/session/trace"
)

// observing tells that somebody is told.
func (g *Gateway) observing() bool { return g.options.Observe != nil || g.recent != nil }

// observe tells what happens. What may not happen untold begins with it: an error says that it must not.
func (g *Gateway) observe(r audit.Record) error {
	if !g.observing() {
		return nil
	}
	r.Time, r.Error = time.Now(), g.options.Secrets.Text(r.Error)
	if g.recent != nil {
		g.recent.take(r)
	}
	if g.options.Observe == nil {
		return nil
	}
	if err := g.options.Observe(&r); err != nil {
		g.options.Log("%v: what cannot be recorded is refused", err)
		return fmt.Errorf("it cannot be recorded, and so it is not done: %w", err)
	}
	return nil
}

// began tells of a tool call that is about to begin. g.mu is not held.
func (g *Gateway) began(c *toolCall) error {
	g.mu.Lock()
	m := c.member.client
	g.mu.Unlock()
	c.began = time.Now()
	c.about = audit.Record{
		Client: m.Name, Tenant: m.Rules.Tenant, Actor: m.Rules.Actor, Tool: c.tool.name,
		ToolCall: strings.ToLower(rand.Text()[:16]), Parent: parent(c.request),
	}
	c.about.Trace = c.about.Parent.Trace()
	if info := c.request.ClientInfo(); info != nil {
		c.about.Program = strings.TrimSpace(info.Name + " " + info.Version)
	}
	r := c.about
	r.Event = audit.ToolBegin
	return g.observe(r)
}

// ended tells of a tool call that has ended. What cannot be told is not answered either.
func (g *Gateway) ended(c *toolCall, result *sdk.CallToolResult) *sdk.CallToolResult {
	r := c.record()
	r.Event, r.Outcome, r.Millis = audit.ToolEnd, audit.OK, millis(time.Since(c.began))
	for _, content := range result.Content {
		if text, ok := content.(*sdk.TextContent); ok {
			r.Bytes += len(text.Text)
			if result.IsError && r.Error == "" {
				r.Error, _, _ = strings.Cut(text.Text, "\n") // not the script's lines
			}
		}
	}
	if result.IsError {
		r.Outcome = audit.Error
	}
	if err := g.observe(r); err != nil {
		return failure(err)
	}
	return result
}

// record is what is told of anything in the call.
func (c *toolCall) record() audit.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.about
	if c.in != nil {
		r.Session = c.in.ID()
	}
	return r
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// recorded tells of a run or an action call in a session.
func (g *Gateway) recorded(ctx context.Context, s *served, r trace.Record) error {
	var told audit.Record
	if c, ok := ctx.Value(callKey{}).(*toolCall); ok {
		told = c.record()
	} else { // a prompt or a resource was read
		told = s.unattended()
	}
	told.Run, told.Mode = r.Run, string(r.Mode)
	switch {
	case r.Kind == trace.KindRun:
		told.Event = audit.RunBegin
	case r.Kind == trace.KindOutcome && r.Ended != nil:
		told.Event, told.Outcome, told.Error = audit.RunEnd, audit.OK, r.Ended.Error
		if !r.Ended.OK {
			told.Outcome = audit.Error
		}
		told.Millis, told.Calls = millis(r.Ended.Took), r.Ended.Calls
	case r.Call != nil:
		one := r.Call
		told.Event = audit.CallBegin
		told.Action, told.N, told.Line, told.Mutates, told.Risk = one.ID, one.N, one.Line, one.Mutates, one.Risk
		told.Args, told.Rule = audit.Bound(one.Args), one.Rule
		if one.Actor != "" {
			told.Actor = one.Actor
		}
		if r.Kind == trace.KindCall {
			told.Event, told.Outcome, told.Error = audit.CallEnd, string(one.Verdict), one.Error
			told.Millis, told.Bytes = millis(one.Took), one.Bytes
		}
	default:
		return nil
	}
	return g.observe(told)
}

// parent is the trace context of a request: in the message, or else in the header of HTTP.
func parent(r *sdk.CallToolRequest) audit.Parent {
	text := func(name string) string { s, _ := r.Params.Meta[name].(string); return s }
	p := audit.Parent{Traceparent: text("traceparent"), Tracestate: text("tracestate")}
	if p.Traceparent == "" && r.Extra != nil && r.Extra.Header != nil {
		p = audit.Parent{Traceparent: r.Extra.Header.Get("traceparent"), Tracestate: r.Extra.Header.Get("tracestate")}
	}
	return p
}

// A sparing teller does not let those who are refused fill a disk.
type sparing struct {
	limiter *rate.Limiter
	mu      sync.Mutex
	untold  int
}

// refusedPace is how many refused requests a second are told one by one, in bursts of some more.
const refusedPace, refusedBurst = 5, 50

// refused tells of a request that was.
func (g *Gateway) refused(client string, r *http.Request, why string) {
	if !g.observing() {
		return
	}
	told := audit.Record{Event: audit.Refused, Client: client, Outcome: "denied", Error: why}
	if r != nil {
		told.Remote = r.RemoteAddr
	}
	g.sparing.mu.Lock()
	if !g.sparing.limiter.Allow() {
		g.sparing.untold++
		g.sparing.mu.Unlock()
		return
	}
	if g.sparing.untold > 0 {
		told.Times, g.sparing.untold = 1+g.sparing.untold, 0
	}
	g.sparing.mu.Unlock()
	_ = g.observe(told) // it is refused already
}
