package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/llm/tools"
)

const (
	// bytesPerToken is how tokens are estimated.
	bytesPerToken = 4
	// maxAnswer is how many bytes one answer may have over all its pages.
	maxAnswer = 1 << 20
	// maxKept is how many long answers of a connection can be read on.
	maxKept = 4
)

// pages are the rests of long answers. They are safe for concurrent use.
type pages struct {
	most    int    // bytes of one page
	session string // the handle that goes with every answer; empty for none

	mu   sync.Mutex
	last int
	kept []rest
}

// A rest is what has not been read of an answer.
type rest struct {
	number int
	text   string
	failed bool
}

// cursorOf returns the cursor among the arguments of a tool; ok tells that there is one.
func cursorOf(args json.RawMessage) (cursor string, ok bool, err error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil || given["cursor"] == nil || string(given["cursor"]) == "null" {
		return "", false, nil
	}
	if json.Unmarshal(given["cursor"], &cursor) != nil {
		return "", true, errors.New("argument cursor: want the cursor from an answer")
	}
	if cursor == "" {
		return "", false, nil
	}
	if len(given) > 1 {
		return "", true, errors.New("argument cursor: pass it alone: it reads on in an earlier answer")
	}
	return cursor, true, nil
}

// handled adds the handle of a session to a tool's arguments.
func handled(schema json.RawMessage) json.RawMessage {
	return withProperty(schema, "session", "the session of an earlier answer: its descriptions, approvals and globals; "+
		"omit it to start a new one")
}

// handle takes the handle of a session from the arguments, where the tool takes one.
func (o offered) handle(args json.RawMessage) (rest json.RawMessage, handle string, err error) {
	var given map[string]json.RawMessage
	if !o.stateless || json.Unmarshal(args, &given) != nil || given["session"] == nil {
		return args, "", nil
	}
	if json.Unmarshal(given["session"], &handle) != nil {
		return nil, "", errors.New("argument session: want the session of an earlier answer, or nothing for a new one")
	}
	delete(given, "session")
	rest, err = json.Marshal(given)
	return rest, handle, err
}

// paged adds the cursor to a tool's arguments. Nothing is required then: a cursor comes alone.
func paged(schema json.RawMessage) json.RawMessage {
	return withProperty(schema, "cursor", "reads on in a long answer; pass it without other arguments of the call")
}

func withProperty(schema json.RawMessage, name, about string) json.RawMessage {
	var s map[string]any
	if err := json.Unmarshal(schema, &s); err != nil {
		return schema
	}
	properties, _ := s["properties"].(map[string]any)
	properties[name] = map[string]any{"type": "string", "description": about}
	delete(s, "required")
	text, err := json.Marshal(s)
	if err != nil {
		return schema
	}
	return text
}

// plain is the answer of a tool that is an action: its result, cut where it is too long.
func plain(reply tools.Reply, most int) *sdk.CallToolResult {
	text := reply.Text
	if len(text) > most {
		head := text[:pageEnd(text, most)]
		text = head + fmt.Sprintf("\n[%d more bytes: ask for less]", len(text)-len(head))
		reply.Data = nil
	}
	result := &sdk.CallToolResult{IsError: reply.Failed, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	if reply.Data != nil {
		result.StructuredContent = reply.Data
	}
	return result
}

// first is the answer to a call: the whole reply, or its first page.
func (p *pages) first(reply tools.Reply) *sdk.CallToolResult {
	if p.session != "" && reply.Data != nil {
		reply.Data["session"] = p.session
	}
	data, err := json.Marshal(reply.Data)
	if len(reply.Text) <= p.most && err == nil && len(data) <= 2*p.most {
		return &sdk.CallToolResult{
			IsError: reply.Failed, Content: []sdk.Content{&sdk.TextContent{Text: reply.Text + p.handled()}},
			StructuredContent: json.RawMessage(data),
		}
	}
	text := reply.Text
	if len(text) <= p.most && err == nil {
		text = string(data) // longer than what was written of it
	}
	return p.page(text, reply.Failed)
}

// next is the page that a cursor stands for.
func (p *pages) next(cursor string) *sdk.CallToolResult {
	number, _, _ := strings.Cut(cursor, "-")
	n, err := strconv.Atoi(number)
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range p.kept {
		if err == nil && r.number == n && cursor == r.cursor() {
			p.kept = append(p.kept[:i], p.kept[i+1:]...)
			return p.cutPage(r.text, r.failed)
		}
	}
	return failure(errors.New("argument cursor: expired: run the script again and return less"))
}

func (p *pages) page(text string, failed bool) *sdk.CallToolResult {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cutPage(text, failed)
}

// cutPage answers with the beginning of text and keeps the rest. p.mu is held.
func (p *pages) cutPage(text string, failed bool) *sdk.CallToolResult {
	data := map[string]any{"ok": !failed}
	end := pageEnd(text, p.most)
	head := text[:end]
	data["page"] = head
	if end < len(text) {
		p.last++
		r := rest{number: p.last, text: text[end:], failed: failed}
		p.kept = append(p.kept, r)
		p.kept = p.kept[max(0, len(p.kept)-maxKept):]
		data["cursor"] = r.cursor()
		head += fmt.Sprintf("\n[%d more bytes, about %d tokens: call again with cursor %q alone, or run a script that returns less]",
			len(r.text), len(r.text)/bytesPerToken, r.cursor())
	}
	if p.session != "" {
		data["session"] = p.session
		head += p.handled()
	}
	return &sdk.CallToolResult{
		IsError: failed, Content: []sdk.Content{&sdk.TextContent{Text: head}}, StructuredContent: data,
	}
}

// handled tells the model the handle of its session.
func (p *pages) handled() string {
	if p.session == "" {
		return ""
	}
	return "\n[session " + p.session + ": pass it in later calls]"
}

func (r rest) cursor() string { return fmt.Sprintf("%d-%d", r.number, len(r.text)) }

// pageEnd is where a page of at most n bytes ends: after a line where there is one in the second half, and never inside
// a character.
func pageEnd(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:n], '\n'); i > n/2 {
		return i + 1
	}
	end := n
	for end > n-utf8.UTFMax && end > 1 && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}
