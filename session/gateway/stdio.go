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
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client over in and out until in ends or ctx is done. Nothing but the protocol goes to out. A
// line that is no message, or is too long, is answered with an error, and nothing else comes of it. What was asked
// before in ended is answered, within Options.Drain.
func (g *Gateway) ServeStdio(ctx context.Context, c Client, in io.Reader, out io.Writer) error {
	m := &member{client: c, accounts: []*account{newAccount(c.called(), c.Limits.share(g.options, 1))}}
	g.mu.Lock()
	g.local = append(g.local, m)
	g.mu.Unlock()
	m.server = g.server(m, false)
	open := &exchange{changed: make(chan struct{}, 1), requests: map[jsonrpc.ID]bool{}, questions: map[jsonrpc.ID]bool{}}
	lines := &lineWriter{w: out, open: open}
	// The limit is the reader's: the transport's counts what stands behind a message, too.
	err := m.server.Run(ctx, &sdk.IOTransport{Reader: &messageReader{lines: bufio.NewReader(in), out: lines, open: open,
		drain: g.options.Drain, done: ctx.Done()}, Writer: lines, MaxLineLength: -1})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// maxRequest is the longest message a client may send, in bytes.
const maxRequest = 4 << 20

// A lineWriter writes whole lines, which several may do at once.
type lineWriter struct {
	mu   sync.Mutex
	w    io.Writer
	open *exchange
}

func (l *lineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := messages(line)
	l.open.asks(all) // before an answer can come
	n, err := l.w.Write(line)
	l.open.wrote(all, err)
	return n, err
}

func (l *lineWriter) Close() error { return nil }

// A messageReader passes on the lines that are messages of JSON-RPC, and answers the others.
type messageReader struct {
	lines *bufio.Reader
	out   io.Writer
	open  *exchange
	rest  []byte
	// batches is set once the client has asked for a version of the protocol that has them.
	batches bool
	// drain is how long what is asked is waited for once lines has ended, unless done is closed; late tells its end.
	drain time.Duration
	done  <-chan struct{}
	late  <-chan time.Time
}

func (r *messageReader) Close() error { return nil }

// Read gives the next bytes of messages. It ends when all that was asked is answered.
func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, long, err := r.line()
		switch {
		case long != nil:
			refusal, instead := long.refusal()
			if r.rest = instead; refusal == nil {
				break
			}
			if err := r.answer(long.id, refusal); err != nil {
				return 0, err
			}
		case len(bytes.TrimSpace(line)) > 0:
			if id, refusal := r.refuses(line); refusal == nil {
				r.rest = append(bytes.TrimSpace(line), '\n')
			} else if err := r.answer(id, refusal); err != nil {
				return 0, err
			}
		}
		if errors.Is(err, io.EOF) && len(r.rest) == 0 {
			r.rest, err = r.settle()
		}
		if err != nil && len(r.rest) == 0 {
			return 0, err
		}
		r.open.asked(r.rest)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line is the next line, also a last one that does not end; of one longer than maxRequest only the head.
func (r *messageReader) line() (line []byte, long *head, err error) {
	for {
		piece, err := r.lines.ReadSlice('\n')
		if long == nil && len(line)+len(piece) > maxRequest {
			long = &head{}
			long.read(line)
			line = nil
		}
		if long != nil {
			long.read(piece)
		} else {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
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

// An errorLine answers with an error.
type errorLine struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *jsonrpc.Error  `json:"error"`
}

// answer refuses what a line asks.
func (r *messageReader) answer(id json.RawMessage, refusal *jsonrpc.Error) error {
	line, err := json.Marshal(errorLine{"2.0", id, refusal})
	if err != nil {
		return err
	}
	_, err = r.out.Write(append(line, '\n'))
	return err
}
