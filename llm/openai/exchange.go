package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"almanac/llm"
)

// This file stands between go-openai and the socket: it turns failures into llm errors while their bodies and
// headers can still be seen, and gives go-openai a stream of nothing but data lines.

const (
	maxErrorBody = 1 << 20  // bytes read of a failed answer
	maxLine      = 16 << 20 // bytes of one line of a stream, and of an answer that is not a stream
)

// An exchange is one request and its answer. It is go-openai's HTTP client, and that of the Responses interface.
type exchange struct {
	client *http.Client
	base   string
	model  string
	// responses tells that it is one of the Responses interface.
	responses bool
	// body is the beginning of a failed answer.
	body   []byte
	status int
	done   bool // the stream's end mark has been seen, or the answer came in one piece
}

// Do sends the request. A failure status and an answer that is a page are errors of type *llm.Error.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, err
	}
	x.status = resp.StatusCode
	if resp.StatusCode < 200 || resp.StatusCode >= 400 {
		defer resp.Body.Close()
		x.body, _ = io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		return nil, x.statusError(resp)
	}
	in := bufio.NewReader(resp.Body)
	first, err := firstByte(in)
	if err != nil && !errors.Is(err, io.EOF) {
		resp.Body.Close()
		return nil, err
	}
	switch first {
	case '<':
		defer resp.Body.Close()
		x.body, _ = io.ReadAll(io.LimitReader(in, maxErrorBody))
		return nil, x.pageError()
	case '{', '[':
		defer resp.Body.Close()
		line, err := oneLine(in)
		if err != nil {
			return nil, err
		}
		x.done = true
		resp.Body = io.NopCloser(bytes.NewReader(line))
	default:
		resp.Body = &dataLines{in: in, close: resp.Body.Close, done: &x.done}
	}
	return resp, nil
}

// refusesChat tells whether the server refused because the model is to be asked over the Responses interface.
func (x *exchange) refusesChat() bool {
	return x.status >= 400 && x.status < 500 && wantsResponses(string(x.body))
}

// refusesUsage tells whether the server refused the request for the field that asks for usage.
func (x *exchange) refusesUsage() bool {
	return (x.status == http.StatusBadRequest || x.status == http.StatusUnprocessableEntity) &&
		(bytes.Contains(x.body, []byte("stream_options")) || bytes.Contains(x.body, []byte("include_usage")))
}

// firstByte returns the first byte that is not white space and leaves it to be read.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch b {
		case ' ', '\t', '\r', '\n':
			continue
		case 0xEF, 0xBB, 0xBF: // a byte order mark
			continue
		}
		return b, in.UnreadByte()
	}
}

// oneLine makes one data line of an answer that is a single JSON value.
func oneLine(in io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(in, maxLine))
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	line.WriteString("data: ")
	if json.Compact(&line, body) != nil {
		return nil, fmt.Errorf("answer is not JSON: %s", brief(string(body)))
	}
	line.WriteByte('\n')
	return unlikeError(line.Bytes()), nil
}

// dataLines reads a stream of events and gives only their data, one line each.
type dataLines struct {
	in    *bufio.Reader
	close func() error
	done  *bool
	rest  []byte
	err   error
}

func (d *dataLines) Close() error { return d.close() }

func (d *dataLines) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		line, err := readLine(d.in)
		d.err = err
		d.rest = dataLine(line)
		if bytes.Equal(d.rest, []byte("data: [DONE]\n")) {
			*d.done = true
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// readLine reads to the end of the line. The last line may lack one.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("a stream line exceeds %d MiB", maxLine>>20)
		}
	}
}

// dataLine returns line as a data line for go-openai, or nothing for a line without data: a comment, an event's
// name, a blank. A bare JSON object counts as data: some servers put errors so.
func dataLine(line []byte) []byte {
	line = bytes.TrimSpace(line)
	payload, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok && (len(line) == 0 || line[0] != '{') {
		return nil
	}
	payload = bytes.TrimSpace(payload)
	if len(payload) == 0 {
		return nil
	}
	return unlikeError(append(append([]byte("data: "), payload...), '\n'))
}

// unlikeError hides an error line from go-openai, which would take it for the begin of one that goes on, and drop
// what is not in OpenAI's own form.
func unlikeError(line []byte) []byte {
	return bytes.Replace(line, []byte(`data: {"error"`), []byte(`data: { "error"`), 1)
}

// read takes the chunks of the stream into a until it ends.
func (x *exchange) read(next func() ([]byte, error), a *answer) error {
	for {
		line, err := next()
		if errors.Is(err, io.EOF) || err != nil && a.stop != "" {
			break
		}
		if err != nil {
			return x.brokenError(err.Error(), err)
		}
		var c chunk
		if bytes.HasPrefix(line, []byte("[")) {
			return x.streamError(readFault(line))
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return x.brokenError("unreadable chunk: "+brief(string(line)), err)
		}
		if f, bad := c.fault(line); bad {
			return x.streamError(f)
		}
		a.take(c)
		if what := a.excess(); what != "" {
			return x.endlessError(what)
		}
	}
	if !x.done && a.stop == "" {
		return x.brokenError("the stream ended in the middle of the answer", io.ErrUnexpectedEOF)
	}
	return nil
}

func (x *exchange) endlessError(what string) *llm.Error {
	return &llm.Error{
		Kind: llm.Endless, Message: x.server() + ": the answer of " + x.model + " was cut off: " + what,
		Hint: "ask again in smaller steps, or try another model",
	}
}

func (x *exchange) brokenError(what string, err error) *llm.Error {
	return &llm.Error{Kind: llm.Broken, Message: x.server() + ": " + what, Hint: "ask again", Err: err}
}
