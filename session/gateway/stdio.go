package gateway

// This file serves one client over standard input and output.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client over in and out until in ends or ctx is done. Nothing but the protocol goes to out. A
// line that is no message is answered with an error, and nothing else comes of it.
func (g *Gateway) ServeStdio(ctx context.Context, c Client, in io.Reader, out io.Writer) error {
	m := &member{client: c, accounts: []*account{newAccount(c.called(), c.Limits.share(g.options, 1))}}
	g.mu.Lock()
	g.local = append(g.local, m)
	g.mu.Unlock()
	m.server = g.server(m, false)
	lines := &lineWriter{w: out}
	// The limit is the reader's: the transport's counts what stands behind a message, too.
	err := m.server.Run(ctx, &sdk.IOTransport{Reader: &messageReader{lines: bufio.NewReader(in), out: lines},
		Writer: lines, MaxLineLength: -1})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// maxRequest is the longest message a client may send, in bytes.
const maxRequest = 4 << 20

// A lineWriter writes whole lines, which several may do at once.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(line)
}

func (l *lineWriter) Close() error { return nil }

// A messageReader passes on the lines that are messages of JSON-RPC, and answers the others.
type messageReader struct {
	lines *bufio.Reader
	out   io.Writer
	rest  []byte
	// batches is set once the client has asked for a version of the protocol that has them.
	batches bool
}

func (r *messageReader) Close() error { return nil }

// Read gives the next bytes of messages. It fails where a line is longer than maxRequest.
func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		if len(bytes.TrimSpace(line)) > 0 {
			if id, refusal := r.refuses(line); refusal == nil {
				r.rest = append(bytes.TrimSpace(line), '\n')
			} else if err := r.answer(id, refusal); err != nil {
				return 0, err
			}
		}
		if err != nil && len(r.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line is the next line, also a last one that does not end.
func (r *messageReader) line() ([]byte, error) {
	var line []byte
	for {
		piece, err := r.lines.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxRequest {
			return nil, fmt.Errorf("standard input: a message of more than %d MiB", maxRequest>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// refuses says what is wrong with a line, and which request it is about as far as one can tell.
func (r *messageReader) refuses(line []byte) (id json.RawMessage, refusal *jsonrpc.Error) {
	var all []json.RawMessage
	if err := json.Unmarshal(line, &all); err == nil {
		if err := r.batch(all); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
		}
		return nil, nil
	} else if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON: " + err.Error()}
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		var named struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &named)
		if bytes.ContainsAny(named.ID, "[{") {
			named.ID = nil
		}
		return named.ID, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	}
	if request, ok := m.(*jsonrpc.Request); ok && request.Method == "initialize" {
		var wants sdk.InitializeParams
		_ = json.Unmarshal(request.Params, &wants)
		r.batches = wants.ProtocolVersion == "2024-11-05" || wants.ProtocolVersion == "2025-03-26"
	}
	return nil, nil
}

// batch says what is wrong with several messages in one line.
func (r *messageReader) batch(all []json.RawMessage) error {
	switch {
	case len(all) == 0:
		return errors.New("want a message, got none")
	case !r.batches:
		return errors.New("want one message: there are no batches since 2025-06-18")
	}
	ids := map[jsonrpc.ID]bool{}
	for _, one := range all {
		m, err := jsonrpc.DecodeMessage(one)
		if err != nil {
			return err
		}
		if request, ok := m.(*jsonrpc.Request); ok && request.ID.IsValid() {
			if ids[request.ID] {
				return fmt.Errorf("two requests have the id %v", request.ID.Raw())
			}
			ids[request.ID] = true
		}
	}
	return nil
}

// answer refuses what a line asks.
func (r *messageReader) answer(id json.RawMessage, refusal *jsonrpc.Error) error {
	line, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, refusal})
	if err != nil {
		return err
	}
	_, err = r.out.Write(append(line, '\n'))
	return err
}
