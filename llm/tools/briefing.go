package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"almanac/catalog/text"
	"almanac/llm"
	"almanac/session"
	"almanac/session/vm"
)

// newsTokens is how much of an answer a changed catalog may take.
const newsTokens = 60

// A Briefing is what one conversation is told of the session it shares: a system text that stays as it is, so that a
// server's cache of it holds, and what has changed since, behind the next answer of a tool. Safe for concurrent use.
type Briefing struct {
	session *session.Session
	options Options

	mu           sync.Mutex
	policy, card string // as they were told last
	failures     map[string]failure
	cell, script int // the number of the last script in its cell
}

// NewBriefing returns the briefing of a conversation over s.
func NewBriefing(s *session.Session, o Options) *Briefing {
	b := &Briefing{session: s, options: o, failures: map[string]failure{}}
	b.options.Kept = b.kept
	return b
}

// maxKept is how many results of one cell are kept for good at a time: memory has an end.
const maxKept = 20

// kept names the global for what the next script returns: _7_2 for the second of cell 7.
func (b *Briefing) kept() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cell := b.options.cell(); cell != b.cell {
		b.cell, b.script = cell, 0
	}
	b.script++
	return fmt.Sprintf("_%d_%d", b.cell, (b.script-1)%maxKept+1)
}

// System returns the system text of now: SystemPrompt and the names of the globals. Only what changes after it is news.
func (b *Briefing) System() llm.Prompt {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session.News()
	b.policy, b.card = policyText(b.session.Policy()), b.session.View().Card(newsTokens)
	if b.options.Direct {
		return DirectPrompt(b.session, b.options)
	}
	prompt := SystemPrompt(b.session, b.options)
	if names := globalNames(b.session.Globals()); len(names) > 0 {
		prompt.Text += "\n\nLua globals so far: " + nameList(names, maxNames)
	}
	return prompt
}

// Tools returns the tools of New; their answers end with what has changed. A call that fails a second time in the same
// way is answered with that, and a third one is not run, unless something has changed meanwhile.
func (b *Briefing) Tools() []llm.Tool {
	if b.options.Direct {
		return b.direct()
	}
	var list []llm.Tool
	for _, t := range Tools(b.options) {
		list = append(list, llm.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema, Part: t.Part,
			Run: func(ctx context.Context, args json.RawMessage) (llm.Answer, error) { return b.run(ctx, t, args) }})
	}
	return list
}

func (b *Briefing) run(ctx context.Context, t Tool, args json.RawMessage) (llm.Answer, error) {
	news := b.news()
	key := t.Name + string(args)
	b.mu.Lock()
	if news != "" {
		clear(b.failures)
	}
	f := b.failures[key]
	b.mu.Unlock()
	if f.times >= maxFailures {
		return llm.Answer{}, fmt.Errorf("not run: the same call has failed %d times in the same way; %s",
			f.times, b.elsewhere(t.Name, f.call))
	}
	reply, err := t.Run(ctx, b.session, args)
	if ctx.Err() != nil {
		return reply.answer(news), err
	}
	again := b.failed(key, reply, err)
	if again {
		news = strings.TrimSpace("the same call failed in the same way before: change it, do not send it again\n" + news)
	}
	if err != nil && news != "" {
		return reply.answer(""), fmt.Errorf("%w\n%s", err, news)
	}
	return reply.answer(news), err
}

// answer is the reply with news behind it. What is new stays when it is made short.
func (r Reply) answer(news string) llm.Answer {
	a := llm.Answer{Text: strings.TrimSpace(r.Text + "\n" + news), Short: r.Short, Usage: r.Usage}
	if a.Short != "" {
		a.Short = strings.TrimSpace(a.Short + "\n" + news)
	}
	return a
}

// A failure is a call of a tool that failed, times times in a row with the same answer.
type failure struct {
	answer string
	call   string // the action at fault, where there is one
	times  int
}

// maxFailures is how often the same call may fail in the same way before it is not run.
const maxFailures = 2

// failed keeps what came of a call and reports whether that was the same failure as before. A success forgets all: what
// failed may work now.
func (b *Briefing) failed(key string, reply Reply, err error) (again bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && !reply.Failed {
		clear(b.failures)
		return false
	}
	answer := reply.Text
	if err != nil {
		answer += err.Error()
	}
	f := b.failures[key]
	if again = f.answer == answer; !again {
		f = failure{answer: answer, call: reply.Call}
	}
	f.times++
	b.failures[key] = f
	return again
}

// elsewhere says what to do instead of what failed.
func (b *Briefing) elsewhere(tool, call string) string {
	switch {
	case call != "":
		return fmt.Sprintf("describe %s in full with %s, or ask the person", call, b.options.name("describe"))
	case tool == b.options.name("execute"):
		return "run a smaller part of the script, or ask the person"
	}
	return "search in other words, or ask the person"
}

// news says what has changed since it was last asked; empty for nothing.
func (b *Briefing) news() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lines []string
	if text := globalNews(b.session.News(), b.session.Globals()); text != "" {
		lines = append(lines, "the developer "+text)
	}
	if text := policyText(b.session.Policy()); text != b.policy {
		b.policy = text
		lines = append(lines, "policy now: "+text)
	}
	if card := b.session.View().Card(newsTokens); card != b.card {
		b.card = card
		lines = append(lines, "the catalog now (data): "+strings.TrimSpace(card))
	}
	return strings.Join(lines, "\n")
}

// globalNews says what the person did to the globals: "set rows (table of 12); removed x".
func globalNews(n session.News, now []vm.Global) string {
	var parts []string
	if n.Reset {
		parts = append(parts, "reset Lua: all earlier globals are gone")
	}
	if n.Back {
		parts = append(parts, "took Lua back: globals are as they were at this point of the conversation")
	}
	if n.Moved != "" {
		parts = append(parts, n.Moved)
	}
	if n.Lost != "" {
		parts = append(parts, "ran a script that ended the Lua process: "+n.Lost)
	}
	typed := map[string]string{}
	for _, g := range now {
		typed[g.Name] = typeText(g)
	}
	parts = append(parts, changeParts(n.Globals, func(name string) string {
		return text.LineBytes(name, 40) + typed[name]
	})...)
	return strings.Join(parts, "; ")
}

func typeText(g vm.Global) string {
	switch g.Type {
	case "table":
		return fmt.Sprintf(" (table of %d)", g.Size)
	case "string":
		return fmt.Sprintf(" (string of %d bytes)", g.Size)
	}
	return " (" + g.Type + ")"
}

func globalNames(globals []vm.Global) []string {
	names := make([]string, len(globals))
	for i, g := range globals {
		names[i] = text.LineBytes(g.Name, 40)
	}
	return names
}
