package repl

// This file is the conversation as actions are told it.

import (
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/session/syntax"
)

// heard is the conversation as actions are told it: up to now, with the calls that have been answered, but for those
// that are about no matter of the conversation.
func heard(messages []llm.Message) []catalog.Message {
	var told []catalog.Message
	add := func(role, text string) {
		if text != "" {
			told = append(told, catalog.Message{Role: role, Text: text})
		}
	}
	aside := map[string]bool{} // by the id of the call
	for _, m := range messages {
		switch {
		case m.Role == llm.ToolRole && aside[m.CallID]:
		case m.Role == llm.User, m.Role == llm.Assistant, m.Role == llm.ToolRole:
			add(string(m.Role), m.Text)
		}
		for _, call := range m.Calls {
			text, _ := event.ToolText(call.Args)
			said := matter(call.Name, text)
			aside[call.ID] = said == ""
			add("call", said)
		}
	}
	return told
}

// matter is what a call of a tool says in the conversation. It is nothing where actions are looked up, whose
// specifications would pass for what was said, and where a part of the conversation is kept.
func matter(tool, text string) string {
	lookup := strings.HasSuffix(tool, "_describe") || strings.HasSuffix(tool, "_query")
	switch {
	case isOffload(tool), lookup && text != "":
		return ""
	case text == "":
		return tool
	}
	return withoutOffloads(text)
}

func isOffload(name string) bool { return name == "context.offload" || name == "context_offload" }

// withoutOffloads is a script without what its calls of context.offload are given; nothing where it does nothing else.
func withoutOffloads(script string) string {
	tokens := slices.DeleteFunc(syntax.Tokens(script), func(t syntax.Token) bool { return t.Kind == syntax.Comment })
	var rest strings.Builder
	from, other := 0, false
	for i := 0; i < len(tokens); i++ {
		first, last := offloaded(tokens[i:])
		if last == 0 {
			other = other || !slices.Contains([]string{"return", "print", "(", ")", ";"}, tokens[i].Text)
			continue
		}
		rest.WriteString(script[from:tokens[i+first].Pos.Offset] + "{…}")
		i += last
		from = tokens[i].Pos.Offset + len(tokens[i].Text)
		for i+2 < len(tokens) && tokens[i+1].Text == "." {
			i += 2
		}
	}
	if from > 0 && !other {
		return ""
	}
	return rest.String() + script[from:]
}

// offloaded finds the first and the last token of the arguments where tokens begin with a call of context.offload; last
// is 0 where they do not.
func offloaded(tokens []syntax.Token) (first, last int) {
	is := func(words ...string) bool {
		return len(tokens) > len(words) && slices.EqualFunc(tokens[:len(words)], words, func(t syntax.Token, w string) bool {
			return t.Text == w
		})
	}
	switch {
	case is("context", ".", "offload"):
		first = 3
	case is("context_offload"), is("call", "(") && len(tokens) > 2 && isOffload(strings.Trim(tokens[2].Text, `"'`)):
		first = 1
	default:
		return 0, 0
	}
	depth := 0
	for last = first; last < len(tokens); last++ {
		switch tokens[last].Text {
		case "{", "(":
			depth++
		case "}", ")":
			depth--
		}
		if depth == 0 {
			break
		}
	}
	if tokens[first].Kind != syntax.String && tokens[first].Text != "{" && tokens[first].Text != "(" {
		return 0, 0 // it is only named
	}
	return first, min(last, len(tokens)-1)
}
