package mcp

// This file has one connection with a server, and the calls that are under way on it.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// errGone ends the calls of a connection that ended, errSilent those of one whose server does not answer.
var (
	errGone   = errors.New("client is closing")
	errSilent = errors.New("it does not answer")
)

// A conn is one connection and, where there is one, its process.
type conn struct {
	session *sdk.ClientSession
	process *process
	modern  bool
	// gone ends with the connection.
	gone context.Context
	end  context.CancelCauseFunc
	// doubt is closed when it is known whether the server answers; nil while nobody asks. The link's mu guards it.
	doubt chan struct{}

	mu    sync.Mutex
	login error      // why the server wants a login, or the login cannot be had; nil while it does not matter
	calls []*ongoing // oldest first
	begun int
	// waiting are requests that go on when their server says that the person is done at an address.
	waiting map[*waiting]bool
	// pages are addresses at which the person may be, oldest first.
	pages []*page
	wait  time.Duration // options.Hung
	// lastHung is when a call ran out of its time and nothing was answered since, lastHungOf the same for each tool.
	lastHung   time.Time
	lastHungOf map[string]time.Time
}

// An ongoing is a call that the server works on.
type ongoing struct {
	ctx context.Context
	// token is that of its progress, which goes to heard.
	token string
	heard func(*sdk.ProgressNotificationParams)
	// calm is called when the server reports progress, or asks.
	calm func()
}

func (c *conn) close() {
	// A server that does not read could block the closing message forever.
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c.session != nil {
			c.session.Close()
		}
	}()
	if c.process != nil {
		c.process.Close()
		<-done // nothing is left for it to wait for
		return
	}
	timer := time.NewTimer(leave)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// lacks is why the server cannot be asked for want of a login; nil where that is not so.
func (c *conn) lacks() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.login
}

// needed keeps why the server wants a login; nil when it does not any more.
func (c *conn) needed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.login = err
}

var errEnded = errors.New("the connection ended")

// reason is why the connection ended, with the last output of the process.
func (c *conn) reason(err error) error {
	if err := c.lacks(); err != nil {
		return err
	}
	if c.process == nil {
		if err == nil {
			return errEnded
		}
		return err
	}
	said := c.process.last()
	if err == nil || errors.Is(err, io.EOF) {
		return errors.New(said)
	}
	for _, broken := range []string{"EOF", "closed", "broken pipe"} {
		if strings.Contains(err.Error(), broken) {
			return errors.New(said)
		}
	}
	return fmt.Errorf("%w; %s", err, said)
}

// abandon ends a connection at once: one that was never established, or whose server does not answer.
func (c *conn) abandon() {
	c.end(errGone)
	if c.process != nil {
		c.process.kill()
	}
}

func (c *conn) progressed(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
	c.mu.Lock()
	i := slices.IndexFunc(c.calls, func(o *ongoing) bool { return o.token == r.Params.ProgressToken })
	var heard func(*sdk.ProgressNotificationParams)
	if i >= 0 {
		heard = c.calls[i].heard
		c.calls[i].calm()
	}
	c.mu.Unlock()
	if heard != nil {
		heard(r.Params)
	}
}

// begin prepares a call of the tool, or another request where it is empty: its context ends with the connection, and
// soon where the tool hung lately; what the server reports under the token goes to heard. stop ends it.
func (c *conn) begin(ctx context.Context, tool string, heard func(*sdk.ProgressNotificationParams)) (
	_ context.Context, token string, stop func()) {
	ctx, calm := c.impatient(ctx, tool)
	ctx, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(c.gone, func() { cancel(context.Cause(c.gone)) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	o := &ongoing{ctx: ctx, token: fmt.Sprintf("almanac-%d", c.begun), heard: heard, calm: calm}
	c.calls = append(c.calls, o)
	return ctx, o.token, func() {
		calm()
		unhook()
		cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.calls = slices.DeleteFunc(c.calls, func(other *ongoing) bool { return other == o })
	}
}
