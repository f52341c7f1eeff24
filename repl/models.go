package repl

// This file is which models there are: those of the configuration, and what their servers list; for /model, and for how
// much each can read.

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/repl/show"
)

// modelsWait is how long a server may take to list its models; a screen waits less long for completions.
const modelsWait = 3 * time.Second

// models are those that servers listed; each server is asked once.
type models struct {
	asking sync.Mutex // held while a server is asked

	mu    sync.Mutex
	lists map[string][]llm.Model // by server, also of those that refused
}

func (m *models) known(server string) (list []llm.Model, asked bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, asked = m.lists[server]
	return list, asked
}

// learn asks the target's server for its models unless it has answered already. A ctx that ends gives up: the next call
// asks again.
func (m *models) learn(ctx context.Context, t llm.Target) []llm.Model {
	m.asking.Lock()
	defer m.asking.Unlock()
	list, asked := m.known(t.Server)
	if asked || t.Models == nil || ctx.Err() != nil {
		return list
	}
	ctx, cancel := context.WithTimeout(ctx, modelsWait)
	defer cancel()
	list, err := t.Models(ctx)
	if err != nil && ctx.Err() != nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lists == nil {
		m.lists = map[string][]llm.Model{}
	}
	m.lists[t.Server] = list
	return list
}

// lists tells whether the server of the target is known to have the model.
func (m *models) has(t llm.Target, model string) bool {
	list, _ := m.known(t.Server)
	return slices.ContainsFunc(list, func(m llm.Model) bool { return m.Name == model })
}

// target returns what a name stands for: a model of the configuration, or one of the server that lists it, or else of
// the server for models that the configuration does not name.
func (sh *Shell) target(name string) llm.Target {
	for _, t := range sh.options.Targets {
		if t.Name == name {
			return t
		}
	}
	now := sh.options.Conversation.Target()
	t := sh.options.Server
	if t.Provider == nil || sh.models.has(now, name) && now.Server != t.Server {
		t = now
		t.Window = 0
	}
	t.Name, t.Model, t.Price = "", name, llm.Price{}
	return t
}

func modelWords(sh *Shell, typed string) []Completion {
	items := []Completion{{Text: "window", Detail: "how many tokens the model can read"}}
	c := sh.conversation()
	if strings.Contains(typed, " ") || c == nil {
		return nil
	}
	for _, t := range sh.options.Targets {
		items = append(items, Completion{Text: t.Name, Detail: t.Model + " at " + t.Host()})
	}
	ctx, cancel := context.WithTimeout(context.Background(), modelsWait)
	defer cancel()
	for _, m := range sh.models.learn(ctx, c.Target()) {
		item := Completion{Text: m.Name}
		if m.Window > 0 {
			item.Detail = count(m.Window) + " tokens"
		}
		items = append(items, item)
	}
	return items
}

// shownModels is how many models of a server /model lists.
const shownModels = 12

// listModels tells which model answers, and which others can be chosen.
func (sh *Shell) listModels(c *llm.Conversation) {
	now := c.Target()
	name := now.String()
	if name == "" {
		name = "not set: the server chooses"
	}
	lines := []string{fmt.Sprintf("model %s, context window %s tokens", name, count(c.Context().Window))}
	if len(sh.options.Targets) > 0 {
		rows := [][]string{{"  name", "model", "window", "price of a million in/cached/out", "server"}}
		for _, t := range sh.options.Targets {
			mark, window := "  ", t.Window
			if t.Name == now.Name {
				mark, window = "* ", c.Context().Window
			}
			if window == 0 {
				window = sh.windowOf(t)
			}
			rows = append(rows, []string{mark + t.Name, t.Model, count(window), priceText(t.Price), t.Host()})
		}
		lines = append(lines, strings.TrimRight(show.Columns(rows), "\n"))
	}
	if list, _ := sh.models.known(now.Server); len(list) > 0 {
		var names []string
		for _, m := range list[:min(len(list), shownModels)] {
			names = append(names, m.Name)
		}
		more := ""
		if len(list) > shownModels {
			more = ", …; Tab lists all"
		}
		lines = append(lines, fmt.Sprintf("its server lists %s: %s%s", text.Count(len(list), "model"),
			strings.Join(names, ", "), more))
	}
	sh.say(event.Plain, "%s", strings.Join(lines, "\n"))
}

// priceText is "0.4/0.1/1.6"; what is not known is a dash.
func priceText(p llm.Price) string {
	if p == (llm.Price{}) {
		return "-"
	}
	var parts []string
	for _, price := range []float64{p.In, p.Cached, p.Out} {
		part := "-"
		if price > 0 {
			part = strconv.FormatFloat(price, 'f', -1, 64)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/")
}

// chooseModel has another model answer from the next prompt on, and tells what becomes of the conversation.
func (sh *Shell) chooseModel(ctx context.Context, c *llm.Conversation, name string) error {
	t := sh.target(name)
	var names []string
	for _, t := range sh.options.Targets {
		names = append(names, t.Name)
	}
	near := spelling.Nearest(name, names)
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, name) }); i >= 0 && near == "" {
		near = names[i]
	}
	if t.Name == "" && near != "" {
		if sh.models.learn(ctx, t); !sh.models.has(t, name) {
			return &UsageError{
				usage: modelUsage, message: fmt.Sprintf("model %q: neither configured nor listed: did you mean %s?", name, near),
			}
		}
	}
	if t.Ready != nil {
		if err := t.Ready(ctx); err != nil {
			return fmt.Errorf("model %s: its key cannot be read, so %s stays: %w", name, c.Target(), err)
		}
	}
	sh.use(ctx, c, t, name)
	return nil
}

// use has t, which the person calls name, answer from the next prompt on.
func (sh *Shell) use(ctx context.Context, c *llm.Conversation, t llm.Target, name string) {
	before := c.Target()
	sh.mu.Lock()
	sh.windowSet = false
	sh.mu.Unlock()
	c.Use(t)
	sh.fitWindow(ctx)
	size := c.Context()
	where := ""
	switch host := t.Host(); {
	case t.Name != "":
		where = fmt.Sprintf(" (%s at %s)", t.Model, host)
	case host != "":
		where = " at " + host
	}
	told := fmt.Sprintf("model %s%s from the next prompt, context window %s tokens", name, where, count(size.Window))
	if list, _ := sh.models.known(t.Server); len(list) > 0 && !sh.models.has(t, t.Model) {
		told += fmt.Sprintf("; the server does not list it: Tab shows the %s it has", text.Count(len(list), "model"))
	}
	turns := c.Turns()
	if turns > 0 && (t.Server != before.Server || t.Model != before.Model) {
		cached := "none of them in its cache"
		if slices.ContainsFunc(c.Messages(), func(m llm.Message) bool { return m.Model == t.String() }) {
			cached = "in its cache at most up to its last answer"
		}
		told += fmt.Sprintf("\nthe conversation goes along without reasoning: %s, ~%s tokens, %s",
			text.Count(turns, "turn"), count(size.Used), cached)
		if room := c.Room(); size.Used > room {
			told += fmt.Sprintf("; what exceeds %s tokens is shortened and summed up at the next prompt", count(room))
		}
	}
	sh.say(event.Notice, "%s", told)
}

// learnWindow asks the server, beside the completion that begins, how much the model can read. What it returns waits
// for that to end, and ends it.
func (sh *Shell) learnWindow(ctx context.Context) (end func()) {
	t := sh.options.Conversation.Target()
	if _, asked := sh.models.known(t.Server); asked || t.Models == nil || t.Window > 0 || sh.options.Once {
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
	c := sh.options.Conversation
	t := c.Target()
	sh.mu.Lock()
	set := sh.windowSet || t.Window > 0
	sh.mu.Unlock()
	if set {
		return
	}
	if !sh.options.Once {
		sh.models.learn(ctx, t)
	}
	if c.Target().Server == t.Server && c.Target().Model == t.Model { // it may have been changed meanwhile
		c.SetWindow(sh.windowOf(t))
	}
}

// windowOf is how much a model can read, by the configuration, its server or the table of models.
func (sh *Shell) windowOf(t llm.Target) int {
	if t.Window > 0 {
		return t.Window
	}
	list, _ := sh.models.known(t.Server)
	for _, m := range list {
		if m.Name == t.Model && m.Window > 0 {
			return m.Window
		}
	}
	return llm.KnownWindow(t.Model)
}

// leastWindow is what the prompt, the tools and an answer need.
const leastWindow = 2000

func (sh *Shell) setWindow(arg string) error {
	c := sh.conversation()
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
