package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"almanac/llm"
)

// This file asks over the Responses interface, POST BASE/responses. It is stateless: the server stores nothing, and
// each request has the whole conversation.

// A wire is what a server has taught of one model.
type wire struct {
	responses bool     // it is asked over the Responses interface
	without   []string // optional fields that are left out, because the server refused them
}

func (p *Provider) wire(model string) wire {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wires[model]
}

func (p *Provider) learn(model string, change func(*wire)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.wires[model]
	change(&w)
	p.wires[model] = w
}

// respond completes r over the Responses interface. Fields that the server refuses are left out from then on.
func (p *Provider) respond(ctx context.Context, r llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	for {
		without := p.wire(r.Model).without
		response, x, err := p.respondOnce(ctx, r, without, hear)
		refused := x.refusedField(without)
		if err == nil || refused == "" {
			return response, err
		}
		p.learn(r.Model, func(w *wire) { w.without = append(slices.Clip(w.without), refused) })
	}
}

// The optional fields of a request, and the words of a refusal that mean them.
const (
	fieldInclude   = "include"   // asks for reasoning that can be sent back
	fieldReasoning = "reasoning" // asks for reasoning that can be read
)

// refusedField returns the optional field, not yet left out, that the server refused; empty for none.
func (x *exchange) refusedField(without []string) string {
	if x.status != http.StatusBadRequest && x.status != http.StatusUnprocessableEntity {
		return ""
	}
	body := strings.ToLower(string(x.body))
	for _, field := range []struct{ name, sign string }{
		{fieldReasoning, "reasoning.summary"}, {fieldReasoning, "reasoning summaries"}, // of an organization not verified
		{fieldInclude, "encrypted content"}, {fieldInclude, "encrypted_content"},
		{fieldInclude, `"include"`}, {fieldInclude, `'include'`},
		{fieldReasoning, `"reasoning"`}, {fieldReasoning, `'reasoning'`},
	} {
		if strings.Contains(body, field.sign) && !slices.Contains(without, field.name) {
			return field.name
		}
	}
	return ""
}

// respondOnce makes one HTTP exchange of the Responses interface.
func (p *Provider) respondOnce(ctx context.Context, r llm.Request, without []string,
	hear func(llm.Piece)) (llm.Response, *exchange, error) {
	x := &exchange{client: p.http, base: p.base, model: r.Model, responses: true}
	fail := func(err error) (llm.Response, *exchange, error) { return llm.Response{}, x, p.failure(ctx, x, err) }
	body, err := json.Marshal(p.responsesRequest(r, without))
	if err != nil {
		return fail(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/responses", bytes.NewReader(body))
	if err != nil {
		return fail(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if p.key != "" {
		req.Header.Set("Authorization", "Bearer "+p.key)
	}
	resp, err := x.Do(req)
	if err != nil {
		return fail(err)
	}
	defer resp.Body.Close()
	a := itemAnswer{answer: answer{hear: hear, nextID: p.nextID}}
	if err := x.readEvents(bufio.NewReader(resp.Body), &a); err != nil {
		return fail(err)
	}
	response := a.response()
	p.thoughts.keep(a.encrypted(r.Model))
	return response, x, nil
}

// readEvents takes the events of the stream into a until the response is complete.
func (x *exchange) readEvents(in *bufio.Reader, a *itemAnswer) error {
	for {
		line, err := readLine(in)
		if payload, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok {
			if err := x.takeEvent(bytes.TrimSpace(payload), a); err != nil {
				return err
			}
		}
		switch {
		case a.stop != "":
			return nil
		case errors.Is(err, io.EOF):
			return x.brokenError("the stream ended in the middle of the answer", io.ErrUnexpectedEOF)
		case err != nil:
			return x.brokenError(brief(err.Error()), err)
		}
	}
}

func (x *exchange) takeEvent(payload []byte, a *itemAnswer) error {
	if string(payload) == "[DONE]" {
		return nil
	}
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return x.brokenError("unreadable event: "+brief(string(payload)), err)
	}
	if e.Type == "" && e.Object == "response" { // the server does not stream
		if err := json.Unmarshal(payload, &e.Response); err != nil {
			return x.brokenError("unreadable answer: "+brief(string(payload)), err)
		}
		e.Type = "response." + cmp.Or(e.Response.Status, "completed")
	}
	switch {
	case e.Type == "error", present(e.Error):
		return x.streamError(readFault(payload))
	case e.Type == "response.failed", e.Type == "response.cancelled", present(e.Response.Error):
		if !present(e.Response.Error) {
			return x.streamError(fault{message: "the server gave up the answer"})
		}
		return x.streamError(readFault([]byte(`{"error":` + string(e.Response.Error) + `}`)))
	}
	a.take(e)
	if what := a.excess(); what != "" {
		return x.endlessError(what)
	}
	return nil
}

// responsesRequest is r as the Responses interface has it.
func (p *Provider) responsesRequest(r llm.Request, without []string) map[string]any {
	q := map[string]any{
		"model": r.Model, "stream": true, "store": false, "input": p.input(r, !slices.Contains(without, fieldInclude)),
	}
	if r.System != "" {
		q["instructions"] = r.System
	}
	if !slices.Contains(without, fieldInclude) {
		q["include"] = []string{"reasoning.encrypted_content"}
	}
	if !slices.Contains(without, fieldReasoning) {
		q["reasoning"] = map[string]string{"summary": "auto"}
	}
	var tools []map[string]any
	for _, t := range r.Tools {
		tools = append(tools, map[string]any{
			"type": "function", "name": t.Name, "description": t.Description, "parameters": t.Schema,
			"strict": false, // the default here, which takes few schemas
		})
	}
	if tools != nil {
		q["tools"] = tools
	}
	return q
}

// An inputItem is a message, a call or the answer to one.
type inputItem struct {
	Type      string `json:"type"`
	Role      string `json:"role,omitempty"`
	Content   string `json:"content,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Output    any    `json:"output,omitempty"`
}

// An inputPart is a part of an answer that has pictures.
type inputPart struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Image string `json:"image_url,omitempty"`
}

// output is an answer: its text, or the text and the pictures.
func output(m llm.Message) any {
	if len(m.Images) == 0 {
		return &m.Text
	}
	parts := []inputPart{{Type: "input_text", Text: m.Text}}
	for _, image := range m.Images {
		label, address := picture(image)
		parts = append(parts, inputPart{Type: "input_text", Text: label})
		if address != "" {
			parts = append(parts, inputPart{Type: "input_image", Image: address})
		}
	}
	return parts
}

// input is the conversation as a list of items. With reasoning, those of the running turn have what the model thought
// before its calls.
func (p *Provider) input(r llm.Request, reasoning bool) []any {
	last := 0 // where the running turn begins
	for i, m := range r.Messages {
		if m.Role == llm.User {
			last = i
		}
	}
	items := []any{}
	for i, m := range r.Messages {
		switch {
		case m.Role == llm.ToolRole:
			items = append(items, inputItem{Type: "function_call_output", CallID: m.CallID, Output: output(m)})
			continue
		case m.Text != "" || len(m.Calls) == 0:
			items = append(items, inputItem{Type: "message", Role: string(m.Role), Content: m.Text})
		}
		for _, call := range m.Calls {
			if reasoning && i > last {
				for _, thought := range p.thoughts.before(r.Model, call.ID) {
					items = append(items, thought)
				}
			}
			args := cmp.Or(string(bytes.TrimSpace(call.Args)), "{}")
			items = append(items, inputItem{Type: "function_call", CallID: call.ID, Name: call.Name, Arguments: args})
		}
	}
	return items
}
