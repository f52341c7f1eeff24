// Package replay records the exchanges of a provider in a file and replays them without one.
//
//	Recorder       an llm.Provider that forwards to another and records the exchanges
//	Player         an llm.Provider that answers from a recording
//	MismatchError  a request that differs from the recorded one
//
// A recording is a JSONL file with one exchange per line: the last message of the request, on which the answer depends
// in a deterministic conversation, and the chunks of the answer. It is plain text: protect it like the conversation.
// Start at Record and Play.
package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"almanac/llm"
)

// An exchange is one line of a recording.
type exchange struct {
	Model    string      `json:"model,omitempty"`
	Messages int         `json:"messages"`
	Tools    []string    `json:"tools,omitempty"`
	Last     llm.Message `json:"last"`
	// Reasoning is played before Deltas.
	Reasoning []string   `json:"reasoning,omitempty"`
	Deltas    []string   `json:"deltas,omitempty"`
	Response  *response  `json:"response,omitempty"`
	Error     *llm.Error `json:"error,omitempty"`
	Failure   string     `json:"failure,omitempty"` // an error that is no llm.Error
}

// A response is an llm.Response with its arguments as text: they may be no JSON.
type response struct {
	Text  string    `json:"text,omitempty"`
	Calls []call    `json:"calls,omitempty"`
	Usage llm.Usage `json:"usage"`
	Stop  string    `json:"stop,omitempty"`
}

type call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// A Recorder passes requests on and writes each exchange to a file when it is over. Safe for concurrent use.
type Recorder struct {
	provider llm.Provider

	mu   sync.Mutex
	file *os.File
}

// Record returns a Recorder over p that appends to the file at path, which is made when it is not there.
func Record(p llm.Provider, path string) (*Recorder, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return &Recorder{provider: p, file: file}, nil
}

// Close closes the file; the provider is the caller's.
func (r *Recorder) Close() error { return r.file.Close() }

// Complete implements llm.Provider. A completion whose exchange cannot be written fails. One that was interrupted is
// not written: it would not end the same way again.
func (r *Recorder) Complete(ctx context.Context, q llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	x := describe(q)
	p, err := r.provider.Complete(ctx, q, func(piece llm.Piece) {
		if piece.Reasoning != "" {
			x.Reasoning = append(x.Reasoning, piece.Reasoning)
		}
		if piece.Text != "" {
			x.Deltas = append(x.Deltas, piece.Text)
		}
		hear(piece)
	})
	if err != nil && ctx.Err() != nil {
		return p, err
	}
	if err == nil {
		x.Response = &response{Text: p.Text, Usage: p.Usage, Stop: p.Stop}
		for _, c := range p.Calls {
			x.Response.Calls = append(x.Response.Calls, call{c.ID, c.Name, string(c.Args)})
		}
	} else if !errors.As(err, &x.Error) {
		x.Failure = err.Error()
	}
	if failed := r.write(x); failed != nil {
		return llm.Response{}, errors.Join(err, failed)
	}
	return p, err
}

func (r *Recorder) write(x exchange) error {
	line, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

func describe(q llm.Request) exchange {
	x := exchange{Model: q.Model, Messages: len(q.Messages)}
	for _, t := range q.Tools {
		x.Tools = append(x.Tools, t.Name)
	}
	if n := len(q.Messages); n > 0 {
		x.Last = q.Messages[n-1]
	}
	return x
}

// A Player answers requests from a recording, in its order. Safe for concurrent use, though the order of concurrent
// requests is nobody's.
type Player struct {
	mu        sync.Mutex
	exchanges []exchange
	next      int
}

// Play reads the recording at path.
func Play(path string) (*Player, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	p, err := Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Parse reads a recording.
func Parse(r io.Reader) (*Player, error) {
	p := &Player{}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			var x exchange
			if err := json.Unmarshal(text, &x); err != nil {
				return nil, fmt.Errorf("recording: line %d: %w", n, err)
			}
			p.exchanges = append(p.exchanges, x)
		}
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("recording: line %d: %w", n, err)
		}
	}
}

// Left returns how many exchanges have not been asked for.
func (p *Player) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.exchanges) - p.next
}

// A MismatchError is a request that differs from the recorded one at its place. The exchange stays the next.
type MismatchError struct {
	// N counts exchanges from 1.
	N int
	// What names the first part that differs: "role" or "text" of the last message, or "tools".
	What      string
	Want, Got string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("recording: request %d: different %s\n  recorded: %s\n  asked:    %s", e.N, e.What, e.Want, e.Got)
}

// Complete implements llm.Provider. It fails with a *MismatchError, or with an *llm.Error of kind BadRecord when the
// recording is over.
func (p *Player) Complete(ctx context.Context, q llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	x, err := p.take(describe(q))
	if err != nil {
		return llm.Response{}, err
	}
	for _, piece := range x.pieces() {
		if err := ctx.Err(); err != nil {
			return llm.Response{}, err
		}
		hear(piece)
	}
	switch {
	case x.Error != nil:
		return llm.Response{}, x.Error
	case x.Failure != "":
		return llm.Response{}, errors.New(x.Failure)
	case x.Response == nil:
		return llm.Response{}, &llm.Error{Kind: llm.BadRecord, Message: "recording: an exchange has no answer"}
	}
	r := llm.Response{
		Text: x.Response.Text, Reasoning: strings.Join(x.Reasoning, ""),
		Usage: x.Response.Usage, Stop: x.Response.Stop,
	}
	for _, c := range x.Response.Calls {
		r.Calls = append(r.Calls, llm.ToolCall{ID: c.ID, Name: c.Name, Args: json.RawMessage(c.Args)})
	}
	return r, nil
}

func (x exchange) pieces() []llm.Piece {
	var all []llm.Piece
	for _, text := range x.Reasoning {
		all = append(all, llm.Piece{Reasoning: text})
	}
	for _, text := range x.Deltas {
		all = append(all, llm.Piece{Text: text})
	}
	return all
}

func (p *Player) take(got exchange) (exchange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == len(p.exchanges) {
		return exchange{}, &llm.Error{
			Kind:    llm.BadRecord,
			Message: fmt.Sprintf("recording: has only %d exchanges, but another was requested", len(p.exchanges)),
			Hint:    "record the conversation again",
		}
	}
	want := p.exchanges[p.next]
	if err := compare(want, got); err != nil {
		err.N = p.next + 1
		return exchange{}, err
	}
	p.next++
	return want, nil
}

// compare tells how got differs from what was recorded, nil when it does not.
func compare(want, got exchange) *MismatchError {
	differ := func(what, w, g string) *MismatchError { return &MismatchError{What: what, Want: w, Got: g} }
	if want.Last.Role != got.Last.Role {
		return differ("role", string(want.Last.Role), string(got.Last.Role))
	}
	if want.Last.Text != got.Last.Text {
		w, g := aroundDifference(want.Last.Text, got.Last.Text)
		return differ("text", w, g)
	}
	if !slices.Equal(want.Tools, got.Tools) {
		return differ("tools", strings.Join(want.Tools, ", "), strings.Join(got.Tools, ", "))
	}
	return nil
}

// aroundDifference returns quoted pieces of both texts around the first byte that differs.
func aroundDifference(a, b string) (string, string) {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	piece := func(s string) string {
		from, to := max(at-30, 0), min(at+60, len(s))
		text := fmt.Sprintf("%q", s[from:to])
		if from > 0 {
			text = "…" + text
		}
		if to < len(s) {
			text += "…"
		}
		return text
	}
	return piece(a), piece(b)
}
