package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// This file serves the same replies over the Responses interface.

// decodeResponses reads the input items as messages of the chat interface.
func (r *Request) decodeResponses() error {
	var q struct {
		Model        string `json:"model"`
		Instructions string `json:"instructions"`
		Input        []struct {
			Type, Role, Name, Arguments string
			Content, Output             content
			CallID                      string `json:"call_id"`
			Encrypted                   string `json:"encrypted_content"`
		} `json:"input"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &q); err != nil {
		return err
	}
	r.Model, r.Usage = q.Model, true
	if q.Instructions != "" {
		r.Messages = append(r.Messages, Message{Role: "system", Content: q.Instructions})
	}
	calls := false // the last message may take calls
	for _, item := range q.Input {
		switch item.Type {
		case "message":
			r.Messages = append(r.Messages, Message{Role: item.Role, Content: string(item.Content)})
		case "reasoning":
			r.Thoughts = append(r.Thoughts, item.Encrypted)
			continue
		case "function_call_output":
			r.Messages = append(r.Messages, Message{Role: "tool", Content: string(item.Output), ToolCallID: item.CallID})
		case "function_call":
			if !calls {
				r.Messages = append(r.Messages, Message{Role: "assistant"})
			}
			var call ToolCall
			call.ID, call.Function.Name, call.Function.Arguments = item.CallID, item.Name, item.Arguments
			last := &r.Messages[len(r.Messages)-1]
			last.ToolCalls = append(last.ToolCalls, call)
		default:
			return fmt.Errorf("input item of type %q", item.Type)
		}
		calls = r.Messages[len(r.Messages)-1].Role == "assistant"
	}
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	return nil
}

// items are the parts of a reply in their final form.
func (r Reply) items() []map[string]any {
	var items []map[string]any
	if r.Reasoning != "" {
		items = append(items, map[string]any{
			"id": "rs_1", "type": "reasoning", "encrypted_content": "encrypted: " + r.Reasoning,
			"summary": []any{map[string]any{"type": "summary_text", "text": r.Reasoning}},
		})
	}
	if r.Text != "" {
		items = append(items, map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": r.Text, "annotations": []any{}}},
		})
	}
	for i, c := range r.Calls {
		item := map[string]any{
			"id": fmt.Sprintf("fc_%d", i+1), "type": "function_call", "name": c.Name, "arguments": c.Args,
			"call_id": c.id(i),
		}
		if c.NoID {
			delete(item, "call_id")
		}
		if c.Object {
			item["arguments"] = json.RawMessage(c.Args)
		}
		items = append(items, item)
	}
	return items
}

// response is the whole answer, as it comes at the end of a stream.
func (r Reply) response(req Request) map[string]any {
	answer := map[string]any{
		"id": "resp_1", "object": "response", "model": req.Model, "status": "completed", "output": r.items(), "error": nil,
		"incomplete_details": nil,
	}
	reasons := map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}
	if reason := reasons[r.Finish]; reason != "" {
		answer["status"], answer["incomplete_details"] = "incomplete", map[string]any{"reason": reason}
	}
	if !r.NoUsage {
		chat := usage(req, r)
		u := map[string]any{}
		for was, is := range map[string]string{
			"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens", "total_tokens": "total_tokens",
			"prompt_tokens_details": "input_tokens_details", "completion_tokens_details": "output_tokens_details",
		} {
			if count, ok := chat[was]; ok {
				u[is] = count
			}
		}
		answer["usage"] = u
	}
	return answer
}

func (e *events) items(req Request, reply Reply) {
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		text, _ := json.Marshal(fields)
		e.line("event: " + kind + "\ndata: " + string(text))
	}
	send("response.created", map[string]any{"response": map[string]any{"id": "resp_1", "status": "in_progress"}})
	calls := 0
	for i, item := range reply.items() {
		begun := map[string]any{"id": item["id"], "type": item["type"]}
		kind, pieces := "response.output_text.delta", reply.pieces()
		switch item["type"] {
		case "reasoning":
			kind, pieces = "response.reasoning_summary_text.delta", reply.split(reply.Reasoning)
		case "function_call":
			begun["name"], begun["call_id"], begun["arguments"] = item["name"], item["call_id"], ""
			kind, pieces = "response.function_call_arguments.delta", reply.Calls[calls].argPieces()
			if c := reply.Calls[calls]; c.Object || c.OneChunk {
				pieces = nil
			}
			calls++
		}
		send("response.output_item.added", map[string]any{"output_index": i, "item": begun})
		for _, piece := range pieces {
			e.wait(reply.Delay)
			send(kind, map[string]any{"output_index": i, "item_id": item["id"], "delta": piece})
		}
		if !reply.Cut && !reply.Hang {
			send("response.output_item.done", map[string]any{"output_index": i, "item": item})
		}
	}
	for _, line := range reply.Raw {
		e.line(line)
	}
	switch {
	case reply.Hang:
		e.wait(-1)
	case reply.Cut:
		panic(http.ErrAbortHandler)
	case reply.Finish == "-" && reply.NoDone:
	default:
		answer := reply.response(req)
		send("response."+answer["status"].(string), map[string]any{"response": answer})
	}
}
