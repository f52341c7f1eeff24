package repl

// This file is what the model's server says of its models: their names for /model, and how much each can read.

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"almanac/llm"
	"almanac/repl/event"
)

// modelsWait is how long the server may take to list its models; a screen waits less long for completions.
const modelsWait = 3 * time.Second

// models are those that the server listed, asked for once.
type models struct {
	asking sync.Mutex // held while the server is asked

	mu    sync.Mutex
	list  []llm.Model
	asked bool // the server has answered, or has refused
}

func (m *models) known() (list []llm.Model, asked bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.list, m.asked
}

// learn asks the server for its models unless it has answered already. A ctx that ends gives up: the next call asks
// again.
func (m *models) learn(ctx context.Context, ask func(context.Context) ([]llm.Model, error)) []llm.Model {
	m.asking.Lock()
	defer m.asking.Unlock()
	list, asked := m.known()
	if asked || ask == nil || ctx.Err() != nil {
		return list
	}
	ctx, cancel := context.WithTimeout(ctx, modelsWait)
	defer cancel()
	list, err := ask(ctx)
	if err != nil && ctx.Err() != nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list, m.asked = list, true
	return list
}

func modelWords(sh *Shell, typed string) []Completion {
	items := []Completion{{Text: "window", Detail: "how many tokens the model can read"}}
	if strings.Contains(typed, " ") || sh.options.Conversation == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), modelsWait)
	defer cancel()
	for _, m := range sh.models.learn(ctx, sh.options.Models) {
		item := Completion{Text: m.Name}
		if m.Window > 0 {
			item.Detail = count(m.Window) + " tokens"
		}
		items = append(items, item)
	}
	return items
}

// learnWindow asks the server, beside the completion that begins, how much the model can read. What it returns waits
// for that to end, and ends it.
func (sh *Shell) learnWindow(ctx context.Context) (end func()) {
	if _, asked := sh.models.known(); asked || sh.options.Models == nil || sh.options.Conversation.Target().Window > 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		sh.fitWindow(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// fitWindow sets the context window to what the server or the table of models says, where nobody has set it.
func (sh *Shell) fitWindow(ctx context.Context) {
	sh.mu.Lock()
	set := sh.windowSet || sh.options.Conversation.Target().Window > 0
	sh.mu.Unlock()
	if set {
		return
	}
	c := sh.options.Conversation
	model := c.Target().Model
	window := llm.KnownWindow(model)
	for _, m := range sh.models.learn(ctx, sh.options.Models) {
		if m.Name == model && m.Window > 0 {
			window = m.Window
		}
	}
	c.SetWindow(window)
}

// leastWindow is what the prompt, the tools and an answer need.
const leastWindow = 2000

func (sh *Shell) setWindow(arg string) error {
	c := sh.options.Conversation
	if arg == "" {
		sh.say(event.Plain, "context window %s tokens", count(c.Context().Window))
		return nil
	}
	n, ok := tokenCount(arg)
	if !ok || n < leastWindow {
		message := fmt.Sprintf("window %s: want a number of tokens from %s, such as 32768 or 128k", arg, count(leastWindow))
		return &UsageError{usage: modelUsage, message: message}
	}
	sh.mu.Lock()
	sh.windowSet = true
	sh.mu.Unlock()
	c.SetWindow(n)
	sh.say(event.Notice, "context window %s tokens from the next prompt", count(n))
	return nil
}

// tokenCount reads 32768, 32,768, 128k or 1m.
func tokenCount(s string) (int, bool) {
	s = strings.ToLower(strings.ReplaceAll(s, ",", ""))
	by := 1
	if rest, ok := strings.CutSuffix(s, "k"); ok {
		s, by = rest, 1000
	} else if rest, ok := strings.CutSuffix(s, "m"); ok {
		s, by = rest, 1_000_000
	}
	n, err := strconv.Atoi(s)
	return n * by, err == nil && n > 0 && n <= 100_000_000/by
}
