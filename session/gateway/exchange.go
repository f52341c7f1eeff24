package gateway

// This file keeps what client and gateway have asked each other over standard input and output, and answers what is too
// long.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"almanac/catalog/text"
)

// An exchange is what is not answered yet.
type exchange struct {
	mu        sync.Mutex
	requests  map[jsonrpc.ID]bool // of the client
	questions map[jsonrpc.ID]bool // of the gateway
	broken    bool                // no answer reaches the client
	changed   chan struct{}       // has room for one
}

// listening is the request whose answer is the end of the connection.
const listening = "subscriptions/listen"

// messages are those of a line.
func messages(line []byte) (all []jsonrpc.Message) {
	var lines []json.RawMessage
	if bytes.HasPrefix(line, []byte("[")) {
		_ = json.Unmarshal(line, &lines) // what is no message was refused
	} else {
		lines = append(lines, line)
	}
	for _, one := range lines {
		if m, err := jsonrpc.DecodeMessage(one); err == nil {
			all = append(all, m)
		}
	}
	return all
}

// asked notes what comes from the client.
func (x *exchange) asked(line []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range messages(line) {
		switch m := m.(type) {
		case *jsonrpc.Request:
			if m.ID.IsValid() && m.Method != listening {
				x.requests[m.ID] = true
			}
		case *jsonrpc.Response:
			delete(x.questions, m.ID)
		}
	}
}

// asks notes what the gateway is about to ask.
func (x *exchange) asks(all []jsonrpc.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range all {
		if m, is := m.(*jsonrpc.Request); is && m.ID.IsValid() {
			x.questions[m.ID] = true
		}
	}
}

// wrote notes what the client has been sent, or that it cannot be.
func (x *exchange) wrote(all []jsonrpc.Message, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.broken = x.broken || err != nil
	for _, m := range all {
		if m, is := m.(*jsonrpc.Response); is {
			delete(x.requests, m.ID)
		}
	}
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

// settle waits until all requests are answered, and ends with io.EOF then. To what the gateway asks it gives the answer
// that nobody is there.
func (r *messageReader) settle() ([]byte, error) {
	if r.late == nil {
		r.late = time.After(r.drain)
	}
	for {
		id, asks, settled := r.open.next()
		switch {
		case settled:
			return nil, io.EOF
		case asks:
			line, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
				Code: jsonrpc.CodeInternalError, Message: "the client has ended the connection"}})
			return append(line, '\n'), err
		}
		select {
		case <-r.open.changed:
		case <-r.late:
			return nil, io.EOF
		case <-r.done:
			return nil, io.EOF
		}
	}
}

// next is a question of the gateway, if there is one, and whether there is nothing to wait for.
func (x *exchange) next() (id jsonrpc.ID, asks, settled bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.broken || len(x.requests) == 0 {
		return id, false, true
	}
	for id := range x.questions {
		return id, true, false
	}
	return id, false, false
}

// A head is what is kept of a message that is too long: what tells whom to answer. Its members may come in any order.
type head struct {
	depth            int
	quoted, escaped  bool
	name, part       []byte // of the member at hand, as JSON; part is its name until the colon
	id               json.RawMessage
	method, response bool
}

// mostHead is how much of the name and the value of a member is kept.
const mostHead = 256

// read takes the next bytes of the message.
func (h *head) read(piece []byte) {
	for _, c := range piece {
		switch {
		case h.quoted:
			h.quoted = c != '"' || h.escaped
			h.escaped = c == '\\' && !h.escaped
		case c == '"':
			h.quoted = true
		case c == '{' || c == '[':
			h.depth++
			continue
		case c == '}' || c == ']':
			if h.depth--; h.depth == 0 {
				h.member()
			}
			continue
		case h.depth != 1, c == ' ', c == '\t', c == '\r', c == '\n':
			continue
		case c == ':':
			h.name, h.part = h.part, nil
			continue
		case c == ',':
			h.member()
			continue
		}
		if h.depth == 1 && len(h.part) < mostHead {
			h.part = append(h.part, c)
		}
	}
}

// member ends a member of the message.
func (h *head) member() {
	switch string(h.name) {
	case `"id"`:
		if json.Valid(h.part) && bytes.ContainsAny(h.part[:1], `"-0123456789`) {
			h.id = h.part
		}
	case `"method"`:
		h.method = true
	case `"result"`, `"error"`:
		h.response = true
	}
	h.name, h.part = nil, nil
}

// refusal is what the message gets: an answer for the client, or the line that stands for an answer of the client's.
func (h *head) refusal() (answer *jsonrpc.Error, instead []byte) {
	answer = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
		Message: fmt.Sprintf("the message has more than %s", text.Bytes(maxRequest))}
	if h.response && !h.method && h.id != nil {
		instead, _ = json.Marshal(errorLine{"2.0", h.id, answer})
		return nil, append(instead, '\n')
	}
	return answer, nil
}
