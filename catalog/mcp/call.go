package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// metaEffects is the name below which the _meta of a tool's result lists effects.
const metaEffects = "almanac/effects"

// call is the action of a tool. A read waits briefly for a server that is restarting. A connection that breaks is
// transient, of a read if the server is back.
func (s *serverSource) call(tool string, read bool) catalog.Action {
	return func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
		conn, err := s.link.get(ctx)
		if err != nil && read {
			if again, gone := s.link.back(ctx, nil); gone == nil {
				conn, err = again, nil
			}
		}
		if err != nil {
			return catalog.Result{}, hinted(err)
		}
		on, token, stop := conn.begin(ctx, tool, func(p *sdk.ProgressNotificationParams) {
			catalog.Tell(ctx, catalog.Progress{ID: c.ID, Done: p.Progress, Total: p.Total, Text: clean(p.Message, 200)})
		})
		defer stop()
		params := &sdk.CallToolParams{Name: tool, Arguments: c.Args}
		params.SetProgressToken(token)
		answer, err := conn.session.CallTool(on, params)
		if err != nil {
			failure := s.failed(ctx, on, conn, err)
			if ctx.Err() != nil || isHung(on) {
				return catalog.Result{}, failure
			}
			var gone error
			if broke(conn, err) && read {
				_, gone = s.link.back(ctx, conn)
			}
			if broke(conn, err) && gone == nil && ctx.Err() == nil {
				failure = &catalog.Transient{Err: failure}
			}
			return catalog.Result{}, failure
		}
		conn.answered(tool)
		if answer.NeedsInput() {
			return catalog.Result{}, errInput
		}
		data, note := s.contents(ctx, answer)
		if answer.IsError {
			return catalog.Result{}, errors.New(errorText(answer))
		}
		result := catalog.Result{Data: data, Note: note}
		if effects, ok := answer.Meta[metaEffects]; ok {
			result.Effects, result.Rejected = catalog.ReadEffects(whole(effects))
			result.Effects = slices.DeleteFunc(result.Effects, func(e catalog.Effect) bool {
				if rounded(e.Value) {
					result.Rejected = append(result.Rejected, catalog.RejectedEffect{Effect: e, Reason: "value: " + inexact})
				}
				return rounded(e.Value)
			})
		}
		return result, nil
	}
}

// failed explains a failed request, for which begin made on of ctx: the server is down, or it refused. If the request
// timed out, the server is asked whether it answers at all.
func (s *serverSource) failed(ctx, on context.Context, c *conn, err error) error {
	switch {
	case ctx.Err() != nil:
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			c.hung(on)
			s.link.suspect(c)
		}
		return context.Cause(ctx)
	case isHung(on):
		s.link.suspect(c)
		return context.Cause(on)
	}
	if err := c.lacks(); err != nil {
		return s.link.redacted(err)
	}
	var waits *catalog.CallError
	if errors.As(err, &waits) {
		return waits // for an address to be opened
	}
	if broke(c, err) {
		return fmt.Errorf("mcp server %s went down during the call, which may or may not have taken effect; "+
			"call again when it is back", s.server.Name)
	}
	text := strings.TrimPrefix(clean(err.Error(), 2<<10), `calling "tools/call": `)
	return errors.New(s.link.redacted(errors.New(text)).Error())
}

// broke reports whether the connection ended during a request.
func broke(c *conn, err error) bool {
	text := err.Error()
	return c.gone.Err() != nil || errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing) ||
		strings.Contains(text, "EOF") || strings.Contains(text, "connection refused") ||
		strings.Contains(text, "client is closing")
}

// hinted appends the hint to the error text.
func hinted(err error) error {
	var down *downError
	if errors.As(err, &down) {
		return fmt.Errorf("%w; %s", err, down.Hint())
	}
	return err
}
