package mcp

// This file has the person open an address that a server wants opened before it takes a request (error -32042): a
// login, a consent, a payment. Nobody else opens it.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/secret"
)

const (
	// maxOpened is how many addresses a server may want opened for one request.
	maxOpened = 3
	// openedWait is how long the server is waited for, which says when the person has finished at an address.
	openedWait = 30 * time.Second
	// codeOpen is the code of the error of a call that waits for an address.
	codeOpen = "open_address"
)

// wanted are the addresses that a server wants opened before it takes a request; none where err is another error.
func wanted(err error) []*sdk.ElicitParams {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != sdk.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(refused.Data, &data) != nil || len(data.Elicitations) > maxOpened {
		return nil
	}
	for _, p := range data.Elicitations {
		if p == nil || p.Mode != "url" {
			return nil
		}
	}
	return data.Elicitations
}

// opening puts the addresses that a request needs to the person. After a yes to all of them the request is made again:
// it was refused, so it has changed nothing. A server that goes on refusing says when the person has finished, and gets
// the request then.
func (l *link) opening(c *conn) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			answer, err := next(ctx, method, r)
			pages := wanted(err)
			if len(pages) == 0 {
				return answer, err
			}
			finished, stop := c.finishing(pages)
			defer stop()
			c.calmed(ctx)
			for _, p := range pages {
				if err := l.open(ctx, c, p); err != nil {
					return nil, err
				}
			}
			answer, err = next(ctx, method, r)
			if pages = wanted(err); len(pages) == 0 {
				return answer, err
			}
			late := time.NewTimer(openedWait)
			defer late.Stop()
			select {
			case <-finished:
				if answer, err = next(ctx, method, r); len(wanted(err)) == 0 {
					return answer, err
				}
			case <-late.C:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			return nil, l.unopened(pages[0], "the server still waits for it")
		}
	}
}

// open puts one address to the person.
func (l *link) open(ctx context.Context, c *conn, p *sdk.ElicitParams) error {
	address, err := openable(p.URL)
	if err != nil {
		return l.unopened(p, "")
	}
	reply := c.inquire(ctx, catalog.Inquiry{Server: l.server.Name, Text: strings.TrimSpace(clean(p.Message, maxAsked)),
		URL: address, Again: true, Finish: c.page(p.ElicitationID)})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !reply.Accepted && reply.Reason == "":
		return l.unopened(p, "declined")
	case !reply.Accepted:
		return l.unopened(p, reply.Reason)
	}
	return nil
}

// unopened is the error of a request that waits for an address.
func (l *link) unopened(p *sdk.ElicitParams, reason string) error {
	hidden := l.hidden()
	said := strings.TrimSpace(hidden.Text(clean(p.Message, 200)))
	if said != "" {
		said = fmt.Sprintf("; it says %q", said)
	}
	if reason != "" {
		reason = " (" + clean(reason, 200) + ")"
	}
	address, err := openable(p.URL)
	if err == nil && hidden.Text(address) != address {
		err = errors.New("the address has a secret in it")
	}
	if err != nil {
		return &catalog.CallError{Code: codeOpen, Message: fmt.Sprintf("server %s wants an address opened first, which is "+
			"not shown: %v%s", l.server.Name, err, said)}
	}
	return &catalog.CallError{Code: codeOpen,
		Message: fmt.Sprintf("server %s wants this address opened first%s: %s%s", l.server.Name, reason, address, said),
		Hint:    "a person has to open it in a browser and finish there; then call again"}
}

// hidden takes the server's secrets out of texts.
func (l *link) hidden() secret.Cutter {
	return secret.New(slices.Concat(l.server.Secrets, l.options.Vault.Secrets()), 0)
}

// finishing returns a channel that is closed when the server has said of all the addresses that the person is done.
func (c *conn) finishing(pages []*sdk.ElicitParams) (finished chan struct{}, stop func()) {
	w := &waiting{ids: map[string]bool{}, done: make(chan struct{})}
	for _, p := range pages {
		w.ids[p.ElicitationID] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[*waiting]bool{}
	}
	c.waiting[w] = true
	return w.done, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, w)
	}
}

// A waiting request goes on when the person is done at the addresses with these ids.
type waiting struct {
	ids  map[string]bool
	done chan struct{}
}

// finished hears that the person is done at an address.
func (c *conn) finished(_ context.Context, r *sdk.ElicitationCompleteNotificationRequest) {
	var tell []func()
	c.mu.Lock()
	for w := range c.waiting {
		if delete(w.ids, r.Params.ElicitationID); len(w.ids) == 0 {
			delete(c.waiting, w)
			close(w.done)
		}
	}
	c.pages = slices.DeleteFunc(c.pages, func(p *page) bool {
		if p.id != r.Params.ElicitationID {
			return false
		}
		p.done, tell = true, append(tell, p.tell...)
		return true
	})
	c.mu.Unlock()
	for _, each := range tell {
		each()
	}
}

// A page is an address at which the person is until the server says otherwise.
type page struct {
	id   string
	done bool
	tell []func()
}

// mostPages are kept of a connection: who forgets a page is never done there.
const mostPages = 64

// page keeps an address that the server calls id, and returns what catalog.Inquiry has as Finish.
func (c *conn) page(id string) func(tell func()) {
	if id == "" {
		return nil
	}
	p := &page{id: id}
	c.mu.Lock()
	c.pages = append(c.pages, p)
	c.pages = c.pages[max(0, len(c.pages)-mostPages):]
	c.mu.Unlock()
	return func(tell func()) {
		c.mu.Lock()
		done := p.done
		if !done {
			p.tell = append(p.tell, tell)
		}
		c.mu.Unlock()
		if done {
			tell()
		}
	}
}

// calmed gives the call under ctx its whole time: its server has answered.
func (c *conn) calmed(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.calls {
		if one.ctx == ctx {
			one.calm()
		}
	}
}
