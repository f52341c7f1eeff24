package mcp

// This file passes on what a server asks during a call: a form for the person, an answer of a model.

//lint:file-ignore SA1019 roots and sampling are deprecated in the last version of the protocol, which still has them.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

const (
	// maxAsked is how long a question may be, maxForm its form, maxURL an address, and maxSample what a model is to
	// answer, in bytes.
	maxAsked, maxForm, maxURL, maxSample = 4 << 10, 16 << 10, 2 << 10, 32 << 10
	// metaReason is the name below which the _meta of an answer says why it is a no.
	metaReason = "almanac/reason"
	// codeRejected is the error of a request that the person has refused, as the protocol has it.
	codeRejected = -1
)

// capabilities are those that a server is told of. They are the same whoever runs the program: servers offer other
// tools to clients that cannot be asked.
func (o options) capabilities() *sdk.ClientCapabilities {
	can := &sdk.ClientCapabilities{
		Elicitation: &sdk.ElicitationCapabilities{
			Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{},
		},
	}
	can.Sampling = &sdk.SamplingCapabilities{}
	if len(o.Roots) > 0 {
		can.RootsV2 = &sdk.RootCapabilities{}
	}
	return can
}

// roots are the folders that a server is told of.
func (o options) roots() (all []*sdk.Root) {
	for _, dir := range o.Roots {
		u := url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}
		all = append(all, &sdk.Root{URI: u.String(), Name: filepath.Base(dir)})
	}
	return all
}

// asking is the context of the call in which a server asks. Where the protocol does not say which one it is, it is the
// oldest that runs, unless their questions would go to different people.
func (c *conn) asking(ctx context.Context) (_ context.Context, stop func(), err error) {
	if catalog.Inquirer(ctx) != nil {
		return ctx, func() {}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) == 0 {
		return nil, nil, errors.New("no call is running in which to ask")
	}
	first := c.calls[0].ctx
	for _, other := range c.calls[1:] {
		if catalog.Inquirer(other.ctx) != catalog.Inquirer(first) {
			return nil, nil, errors.New("calls of several sessions are running, and it is not known which of them asks")
		}
	}
	for _, one := range c.calls {
		one.calm()
	}
	on, cancel := context.WithCancel(first)
	unhook := context.AfterFunc(ctx, cancel)
	return on, func() { unhook(); cancel() }, nil
}

// inquire puts a question in the call that it belongs to.
func (c *conn) inquire(ctx context.Context, q catalog.Inquiry) catalog.Reply {
	on, stop, err := c.asking(ctx)
	if err != nil {
		return catalog.Reply{Reason: err.Error()}
	}
	defer stop()
	return catalog.Inquire(on, q)
}

// elicited asks the person. What cannot be shown whole is declined.
func (l *link) elicited(ctx context.Context, c *conn, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	decline := func(reason string) (*sdk.ElicitResult, error) {
		no := &sdk.ElicitResult{Action: "decline"}
		if reason != "" {
			no.Meta = sdk.Meta{metaReason: reason}
		}
		return no, nil
	}
	q := catalog.Inquiry{Server: l.server.Name, Text: strings.TrimSpace(clean(p.Message, maxAsked))}
	form, err := json.Marshal(p.RequestedSchema)
	switch {
	case p.Mode == "url" || p.URL != "":
		if q.URL, err = openable(p.URL); err != nil {
			return decline(err.Error())
		}
		q.Finish = c.page(p.ElicitationID)
	case len(p.Message) > maxAsked || len(form) > maxForm || err != nil:
		return decline("the question is too large to show")
	}
	if p.RequestedSchema != nil {
		if q.Form, err = catalog.ParseSchema(form); err == nil {
			err = q.Form.Usable()
		}
		if err != nil {
			return decline("the form cannot be read")
		}
		if len(q.Form.Fields()) == 0 {
			q.Form = nil
		}
	}
	reply := c.inquire(ctx, q)
	switch {
	case ctx.Err() != nil:
		return &sdk.ElicitResult{Action: "cancel"}, nil
	case !reply.Accepted:
		return decline(reply.Reason)
	}
	if q.URL != "" {
		return &sdk.ElicitResult{Action: "accept"}, nil
	}
	if reply.Values == nil {
		reply.Values = map[string]any{}
	}
	return &sdk.ElicitResult{Action: "accept", Content: reply.Values}, nil
}

// openable is an address that a person may be asked to open, as it is shown: nothing in it may look like something
// else.
func openable(address string) (string, error) {
	u, err := url.Parse(address)
	switch {
	case len(address) > maxURL:
		return "", errors.New("the address is too long to show")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", errors.New("the address is none of the web")
	case u.User != nil:
		return "", errors.New("the address has a name or a password before its host")
	case strings.ContainsFunc(u.Host, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("the address has a host with letters that may look like others")
	}
	return u.String(), nil // with all but ASCII escaped
}

// sampled has a model answer, where the person agrees. It gets texts only.
func (l *link) sampled(ctx context.Context, c *conn, p *sdk.CreateMessageParams) (*sdk.CreateMessageResult, error) {
	refuse := func(reason string) (*sdk.CreateMessageResult, error) {
		return nil, &jsonrpc.Error{Code: codeRejected, Message: "refused: " + reason}
	}
	var b strings.Builder
	for _, m := range p.Messages {
		if m == nil {
			continue
		}
		said, ok := m.Content.(*sdk.TextContent)
		if !ok {
			return refuse("only text is answered")
		}
		fmt.Fprintf(&b, "%s: %s\n", clean(string(m.Role), 20), clean(said.Text, maxSample))
	}
	sample := &catalog.Sample{
		System: clean(p.SystemPrompt, maxSample), Text: strings.TrimSpace(b.String()), Most: p.MaxTokens,
	}
	switch {
	case sample.Text == "":
		return refuse("there is nothing to answer")
	case len(p.SystemPrompt)+b.Len() > maxSample:
		return refuse(fmt.Sprintf("more than %d KiB cannot be shown", maxSample>>10))
	}
	reply := c.inquire(ctx, catalog.Inquiry{Server: l.server.Name, Sample: sample})
	if !reply.Accepted {
		return refuse(reply.Reason)
	}
	return &sdk.CreateMessageResult{
		Content: &sdk.TextContent{Text: reply.Text}, Model: reply.Model, Role: "assistant", StopReason: "endTurn",
	}, nil
}
