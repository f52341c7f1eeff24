package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"almanac/catalog/media"
	"almanac/catalog/secret"
)

// Marks that stand in the history where words are missing, so that the model knows too.
const (
	interruptedMark = "[interrupted]"
	lengthMark      = "[cut off: output limit reached]"
	filterMark      = "[cut off by the server's content filter]"
	textCallMark    = "[not run: a tool call written as text, which the server did not read as one; turn on tool calling for " +
		"this model on the server, or choose another model]"
)

// Options configure a Conversation.
type Options struct {
	// Target completes first; its Provider is required. See Use.
	Target Target
	// Fallback are the targets that are tried, in their order, where one fails for good.
	Fallback []Target
	// System returns the system text. It is asked when a history begins and when turns are left out of it, not in between:
	// what stays the same is in the server's cache. Nil means none.
	System func() Prompt
	// Tools returns the tools of now; it is asked before every completion. Nil means none.
	Tools func() []Tool
	// Ready is asked before each Send and Retry; its error ends them before anything is sent. Nil is always ready.
	Ready func() error
	// MaxTurns is how many completions one Send may take. Default 20.
	MaxTurns int
	// Retries is how often a failed completion is tried again; negative means never. Default 3.
	Retries int
	// RetryWait is the wait before the first retry; it doubles with each. A server's own wish counts instead.
	// Default one second.
	RetryWait time.Duration
	// Cell returns the number that the person knows the prompt by that is being sent; see Cut. Nil means that there is
	// none.
	Cell func() int
	// Arrived returns what other sessions sent and no prompt has carried yet, oldest first. It is asked at the beginning
	// of each Send, and of a Retry whose prompt left nothing; never in between. Each becomes a user's message before the
	// prompt. carried is called once the server has answered the prompt; it may be called twice. A prompt that fails
	// before leaves them to the next one. Nil: nothing arrives.
	Arrived func(ctx context.Context) (arrived []Arrival, carried func())
	// Media has the pictures that a target with Images is shown; "" has none.
	Media media.Folder
	// Secrets are taken out of what goes to the provider and of what comes back; nil: there are none.
	Secrets *secret.Filter
	// Observe is told what happens during a Send, from the goroutine of the Send, one event at a time. It must not
	// call Send. Nil means that nobody is told.
	Observe func(Event)
	// Keep is told of every message of the history as it comes, from the goroutine of the Send; Restore takes them in
	// again. The answer to a call comes when its tool has run, or when it is sure that it will not. Nil keeps nothing.
	Keep func(Message)
	// Usage is what an earlier conversation, which this one goes on from, has cost.
	Usage Usage
	// Spent is told what each completion and each tool took, from the goroutine of the Send. Nil means that nobody is
	// told.
	Spent func(Usage)
}

// The defaults of Options.
const (
	defaultTurns     = 20
	defaultWindow    = 100_000
	defaultRetries   = 3
	defaultRetryWait = time.Second
)

// A Conversation is a history of messages with a model at its other end. Safe for concurrent use; only one Send
// runs at a time. Between Sends the history is always valid.
type Conversation struct {
	options Options

	mu       sync.Mutex
	busy     bool
	reset    bool // Reset was called during a Send
	target   Target
	window   int // how many tokens the model can read
	messages []Message
	waiting  int     // how many calls of the last message with some have no answer yet
	start    int     // messages before this one are left out of requests; the first of a turn, or a summary
	short    int     // answers of tools before this message are sent short
	system   *Prompt // as it was asked for; nil where it has to be asked for
	context  contextSize
	failed   *failed // the prompt of the last Send, if that failed
	// usage is of the whole conversation, turnUsage of the last turn.
	usage, turnUsage Usage
}

// NewConversation returns an empty conversation.
func NewConversation(o Options) *Conversation {
	if o.MaxTurns <= 0 {
		o.MaxTurns = defaultTurns
	}
	if o.Retries == 0 {
		o.Retries = defaultRetries
	}
	if o.RetryWait <= 0 {
		o.RetryWait = defaultRetryWait
	}
	if o.System == nil {
		o.System = func() Prompt { return Prompt{} }
	}
	if o.Tools == nil {
		o.Tools = func() []Tool { return nil }
	}
	if o.Cell == nil {
		o.Cell = func() int { return 0 }
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if o.Keep == nil {
		o.Keep = func(Message) {}
	}
	if o.Spent == nil {
		o.Spent = func(Usage) {}
	}
	c := &Conversation{options: o, usage: o.Usage}
	c.Use(o.Target)
	return c
}

// Send adds text as the user's message and talks to the model until it answers, running the tools it asks for in
// the order it asks. It returns the answer, or what there is of it with an error: an *Error from the provider, a
// *TurnLimitError, ErrBusy, or ctx's error. Whatever happens, what came after the user's message stays in the history,
// and the next Send may follow. A message that nothing came after does not stay: it is sent again only by Retry.
func (c *Conversation) Send(ctx context.Context, text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errors.New("conversation: the message is empty")
	}
	if !c.begin() {
		return "", ErrBusy
	}
	defer c.end()
	return c.converse(ctx, text, c.prompted(ctx, text))
}

// prompted adds a prompt to the history, behind what has arrived.
func (c *Conversation) prompted(ctx context.Context, text string) (carried func()) {
	cell := c.options.Cell()
	carried = c.receive(ctx, cell)
	c.add(Message{Role: User, Text: text, Cell: cell})
	return carried
}

// converse makes completions until the model answers the last message of the history, which the prompt led to. carried
// is called when something came after it.
func (c *Conversation) converse(ctx context.Context, prompt string, carried func()) (answer string, err error) {
	c.setFailed(nil)
	defer func() {
		if limit := new(TurnLimitError); err != nil && !errors.As(err, &limit) {
			c.setFailed(c.fail(prompt))
		}
	}()
	if c.options.Ready != nil {
		if err := c.options.Ready(); err != nil {
			return "", err
		}
	}
	tried := &fallback{first: c.Target()}
	for range c.options.MaxTurns {
		tools := c.options.Tools()
		response, err := c.turn(ctx, tools, tried)
		if c.hasAnswer() {
			carried()
		}
		if err != nil || len(response.Calls) == 0 {
			return response.Text, err
		}
		if err := c.runTools(ctx, tools, response); err != nil {
			return response.Text, err
		}
	}
	limit := &TurnLimitError{Turns: c.options.MaxTurns}
	c.add(Message{Role: Assistant, Text: fmt.Sprintf("[stopped after %d turns]", limit.Turns)})
	return "", limit
}

// turn makes one completion and adds what came of it to the history. Of a completion that failed it keeps the text,
// marked, and not the tool calls: nothing says that they were whole.
func (c *Conversation) turn(ctx context.Context, tools []Tool, tried *fallback) (Response, error) {
	response, usage, err := c.attempt(ctx, tools)
	for err != nil && c.fallBack(ctx, response, err, tried) {
		response, usage, err = c.attempt(ctx, tools)
	}
	c.settle(tried, err)
	if err != nil {
		switch {
		case response.Text == "" && response.Reasoning != "":
			c.options.Keep(Message{Role: Assistant, Reasoning: keptReasoning(response.Reasoning)}) // to be read, not sent
		case response.Text != "":
			text := response.Text + "\n" + interruptedMark
			c.add(Message{Role: Assistant, Text: text, Reasoning: keptReasoning(response.Reasoning)})
		}
		return response, err
	}
	mark := stopMark(response.Stop)
	if mark == "" && writesCall(response.Text, tools) {
		mark = textCallMark
	}
	if response.Text == "" && len(response.Calls) == 0 && mark == "" {
		return Response{}, &Error{
			Kind:    ServerFault,
			Message: fmt.Sprintf("model %s: empty answer", c.Target().Model),
			Hint:    "ask again, or try another model",
		}
	}
	stored := Message{
		Role: Assistant, Text: response.Text, Reasoning: keptReasoning(response.Reasoning), Model: c.Target().String(),
	}
	if mark != "" && len(response.Calls) == 0 {
		if stored.Text != "" {
			mark = "\n" + mark
		}
		c.options.Observe(Event{Kind: Delta, Text: mark})
		stored.Text += mark
		response.Text = stored.Text
	}
	for _, call := range response.Calls {
		stored.Calls = append(stored.Calls, storable(call))
	}
	if len(stored.Calls) == 0 {
		c.add(stored)
	} else {
		c.addWithAnswers(stored)
	}
	c.count(usage)
	c.options.Observe(Event{Kind: TurnEnded, Text: response.Text, Usage: usage, Target: c.Target()})
	return response, nil
}

// attempt makes one completion by the target of now.
func (c *Conversation) attempt(ctx context.Context, tools []Tool) (Response, Usage, error) {
	if err := c.makeRoom(ctx, tools); err != nil {
		return Response{}, Usage{}, err
	}
	request, parts := c.request(tools)
	began := time.Now()
	response, err := c.complete(ctx, request)
	return response, c.meter(parts, response, err, began), err
}

func stopMark(stop string) string {
	switch stop {
	case StopLength:
		return lengthMark
	case StopFilter:
		return filterMark
	}
	return ""
}

func (c *Conversation) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		return false
	}
	c.busy, c.turnUsage = true, Usage{}
	return true
}

func (c *Conversation) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	if c.reset {
		c.clear()
	}
}

func (c *Conversation) add(m Message) {
	c.mu.Lock()
	c.messages = append(c.messages, m)
	c.mu.Unlock()
	c.options.Keep(m)
}

// Messages returns a copy of the history, oldest first. It holds the turns that requests leave out, too.
func (c *Conversation) Messages() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Message(nil), c.messages...)
}

// Said is Messages without the calls that have no answer yet: what a tool that runs may know of the conversation.
func (c *Conversation) Said() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	said := append([]Message(nil), c.messages[:len(c.messages)-c.waiting]...)
	for i := len(said) - 1; i >= 0 && c.waiting > 0; i-- {
		if calls := said[i].Calls; len(calls) > 0 {
			said[i].Calls = calls[:len(calls)-c.waiting]
			break
		}
	}
	return said
}

// Reset forgets all messages. While a Send runs, they are forgotten when it ends.
func (c *Conversation) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		c.reset = true
		return
	}
	c.clear()
}

func (c *Conversation) clear() {
	c.messages, c.start, c.short, c.system, c.context, c.reset, c.failed = nil, 0, 0, nil, contextSize{}, false, nil
}
