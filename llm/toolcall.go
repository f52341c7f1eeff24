package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// This file runs the tools that a response asks for. A name that is not a tool, arguments that are not an object
// and a tool that fails are answered with text for the model, never with an end of the conversation.

const (
	notRun = "not run: interrupted by the user"
	// unanswered stands for the answer of a call that a session ended in.
	unanswered = "no answer: the program ended; the call may have run in part"
)

// addWithAnswers adds an assistant message together with an answer for each of its calls, so that the history is
// valid from the first moment; runTools puts the real answers in their places, and only those are kept.
func (c *Conversation) addWithAnswers(m Message) {
	c.add(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range m.Calls {
		c.messages = append(c.messages, Message{Role: ToolRole, CallID: call.ID, Text: notRun})
	}
	c.waiting = len(m.Calls)
}

// runTools runs the calls of the last response in order. It returns ctx's error when ctx is done; calls that were
// not reached are answered that they were not run.
func (c *Conversation) runTools(ctx context.Context, tools []Tool, r Response) error {
	c.mu.Lock()
	first := len(c.messages) - len(r.Calls)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.waiting = 0
		c.mu.Unlock()
	}()
	for i, call := range r.Calls {
		if err := ctx.Err(); err != nil {
			for _, left := range r.Calls[i:] {
				c.options.Keep(Message{Role: ToolRole, CallID: left.ID, Text: notRun})
			}
			return interrupted(err)
		}
		shown := storable(call)
		c.options.Observe(Event{Kind: ToolStarted, Call: shown})
		said, err := runTool(ctx, tools, call, r.Stop)
		c.spend(said.Usage)
		answer := answerText(said.Text, err)
		c.mu.Lock()
		c.messages[first+i].Text, c.messages[first+i].Short = answer, said.Short
		answered := c.messages[first+i]
		c.waiting--
		c.mu.Unlock()
		c.options.Keep(answered)
		c.options.Observe(Event{Kind: ToolEnded, Call: shown, Text: answer, Err: err})
	}
	if err := ctx.Err(); err != nil {
		return interrupted(err)
	}
	return nil
}

func interrupted(err error) error { return fmt.Errorf("conversation: interrupted: %w", err) }

// answerText is what the model reads of a tool's end. It is never empty: some servers refuse an empty message.
func answerText(text string, err error) string {
	switch {
	case err != nil && errors.Is(err, context.Canceled):
		text = strings.TrimSpace(text + "\ninterrupted by the person")
	case err != nil:
		text = strings.TrimSpace(text + "\nerror: " + err.Error())
	}
	if text == "" {
		return "(nothing)"
	}
	return text
}

func runTool(ctx context.Context, tools []Tool, call ToolCall, stop string) (Answer, error) {
	args, ok := objectArgs(call.Args)
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		names = append(names, t.Name)
		if t.Name != call.Name {
			continue
		}
		if !ok && stop == StopLength {
			return Answer{},
				fmt.Errorf("%s: arguments cut off at the output limit; split the script into several calls", call.Name)
		}
		if !ok {
			return Answer{}, &ArgsError{Tool: call.Name, Fault: jsonFault(call.Args), Unread: true}
		}
		return t.Run(ctx, args)
	}
	if len(names) == 0 {
		return Answer{}, fmt.Errorf("unknown tool %q: no tools available", call.Name)
	}
	return Answer{}, fmt.Errorf("unknown tool %q: the tools are %s", call.Name, strings.Join(names, ", "))
}

// writesCall tells whether text has a call of a tool in one of the forms in which models write them, where a server
// does not read them: in <tool_call> or a code block as JSON, as <function=NAME>, <invoke name="NAME"> or [NAME(…)].
func writesCall(text string, tools []Tool) bool {
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		if strings.Contains(text, t.Name) {
			names = append(names, regexp.QuoteMeta(t.Name))
		}
	}
	if len(names) == 0 {
		return false
	}
	name := "(" + strings.Join(names, "|") + `)\b`
	forms := []string{
		`"(name|function|tool)"\s*:\s*"` + name, `<function=` + name, `<invoke name="` + name, `<tool_call>\s*` + name,
		`\[TOOL_CALLS\]\s*` + name, `to=functions\.` + name, `\[` + name + `\(`,
	}
	return regexp.MustCompile(strings.Join(forms, "|")).MatchString(text)
}

// storable is call as the history keeps it: servers parse the arguments of old calls again, so that malformed ones
// must not be sent back as they were.
func storable(call ToolCall) ToolCall {
	args, ok := objectArgs(call.Args)
	if !ok {
		args, _ = json.Marshal(map[string]string{"malformed": string(call.Args)})
	}
	call.Args = args
	return call
}

// objectArgs reads arguments as models write them: nothing for no arguments, an object in a string, raw line ends
// within a string.
func objectArgs(raw json.RawMessage) (json.RawMessage, bool) {
	text := bytes.TrimSpace(raw)
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage("{}"), true
	}
	if !json.Valid(text) {
		text = escapeControls(text)
	}
	if text[0] == '"' {
		var inner string
		if json.Unmarshal(text, &inner) != nil {
			return nil, false
		}
		text = bytes.TrimSpace([]byte(inner))
		if !json.Valid(text) {
			text = escapeControls(text)
		}
	}
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return nil, false
	}
	return json.RawMessage(text), true
}

// escapeControls escapes control characters within the strings of JSON text.
func escapeControls(text []byte) []byte {
	var b bytes.Buffer
	quoted, escaped := false, false
	for _, ch := range text {
		switch {
		case quoted && ch < 0x20 && !escaped:
			fmt.Fprintf(&b, `\u%04x`, ch)
			continue
		case escaped:
			escaped = false
		case quoted && ch == '\\':
			escaped = true
		case ch == '"':
			quoted = !quoted
		}
		b.WriteByte(ch)
	}
	return b.Bytes()
}

func jsonFault(raw json.RawMessage) string {
	var object map[string]json.RawMessage
	err := json.Unmarshal(raw, &object)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%v at byte %d of %d", err, syntax.Offset, len(raw))
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return "got " + kind.Value
	}
	return "malformed"
}
