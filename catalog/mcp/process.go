package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog/subprocess"
)

const (
	// maxMessage is the longest message that a server may send, in bytes.
	maxMessage = 16 << 20
	// maxNoise is how much a server may write between two messages that is not a message, in bytes.
	maxNoise = 4 << 20
	// tailBytes is how much of a server's standard error is kept.
	tailBytes = 4 << 10
	// leave is how long a process has to end after its input was closed, and again after it was terminated.
	leave = time.Second
)

// A process is a started server. Its standard output yields messages only: other lines go where its standard error
// goes.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *messageReader
	tail   *tail
	// ended is closed when the process and its group have ended; wait is then the result of cmd.Wait.
	ended chan struct{}
	wait  error
}

// start runs the server's command in a process group of its own. The caller closes the process.
func start(s endpoint) (*process, error) {
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Env = s.Dir, append(subprocess.Environment(s.Env), fmt.Sprintf("%s=%d", depthVariable, s.depth+1))
	subprocess.OwnGroup(cmd)
	p := &process{cmd: cmd, tail: &tail{}, ended: make(chan struct{})}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = write, p.tail
	cmd.WaitDelay = time.Second // a grandchild may hold standard error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		write.Close()
		read.Close()
		return nil, err
	}
	started := make(chan error, 1)
	go func() {
		// The system may tie the process to the thread that started it, so that thread must live as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.wait = cmd.Wait()
		subprocess.KillGroup(cmd) // its remaining children
		close(p.ended)
	}()
	err = <-started
	write.Close()
	if err != nil {
		read.Close()
		return nil, err
	}
	p.stdout = &messageReader{file: read, lines: bufio.NewReaderSize(read, 64<<10), noise: p.tail}
	return p, nil
}

// Close ends the process: it closes its input, then terminates it, then kills it and all it started.
func (p *process) Close() error {
	p.stdin.Close()
	for _, harder := range []func(*exec.Cmd){func(*exec.Cmd) {}, subprocess.EndGroup, subprocess.KillGroup} {
		harder(p.cmd)
		timer := time.NewTimer(leave)
		select {
		case <-p.ended:
			timer.Stop()
			return p.stdout.Close()
		case <-timer.C:
		}
	}
	p.stdout.Close()
	return errors.New("the process does not end")
}

// kill kills the process and what it started at once.
func (p *process) kill() {
	subprocess.KillGroup(p.cmd)
	<-p.ended
	p.stdin.Close()
	p.stdout.Close()
}

// last says how the process ended and quotes its last output, for an error.
func (p *process) last() string {
	// Its pipe closes before the process is reaped.
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	how := "it closed its output"
	select {
	case <-p.ended:
		how = "it ended without an error"
		if p.wait != nil {
			how = "it ended: " + p.wait.Error()
		}
	case <-timer.C:
	}
	if said := p.tail.String(); said != "" {
		how += "; last output: " + said
	}
	return how
}

// A messageReader passes on the lines that are messages, and sends all others to noise.
type messageReader struct {
	file  *os.File
	lines *bufio.Reader
	noise io.Writer
	rest  []byte
	since int // bytes of noise since the last message
}

func (r *messageReader) Close() error { return r.file.Close() }

// Read gives the next bytes of messages. It fails when a message is too long or the noise too much.
func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := readLine(r.lines)
		text := readable(bytes.TrimSpace(line))
		switch {
		case len(text) == 0:
		case isMessage(text):
			r.rest, r.since = append(text, '\n'), 0
			err = nil // it comes again
		default:
			r.since += len(line)
			r.noise.Write(append(text[:min(len(text), tailBytes)], '\n'))
			if r.since > maxNoise && err == nil {
				err = fmt.Errorf("it wrote %d bytes to its standard output that are not messages: a server must write nothing "+
					"else there", r.since)
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// readLine reads one line of at most maxMessage bytes.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var whole []byte
	for {
		part, err := lines.ReadSlice('\n')
		whole = append(whole, part...)
		if len(whole) > maxMessage {
			return nil, fmt.Errorf("it sent a message of more than %d MiB", maxMessage>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return whole, err
		}
	}
}

// isMessage reports whether text is a message of JSON-RPC or a batch of them.
func isMessage(text []byte) bool {
	switch text[0] {
	case '{':
		_, err := jsonrpc.DecodeMessage(text)
		return err == nil
	case '[':
		return len(text) > 1 && bytes.HasPrefix(bytes.TrimSpace(text[1:]), []byte("{")) && bytes.HasSuffix(text, []byte("}]"))
	}
	return false
}

// maxDepth is how deep a message may nest: the library does not read a deeper one.
const maxDepth = 1000

// readable is the message for the library: in place of an answer that nests too deep for it, for which the call would
// wait in vain, an error under its id; and a list of tools without those that it cannot read.
func readable(text []byte) []byte {
	if len(text) > maxDepth && text[0] == '{' && !isMessage(text) {
		if answer := tooDeep(text); answer != nil {
			return answer
		}
	}
	return listable(text)
}

// listable is the message with a tool without a name in place of each in a list that the library cannot read: it would
// refuse the whole list.
func listable(text []byte) []byte {
	if !bytes.Contains(text, []byte(`"tools"`)) {
		return text
	}
	var message, result map[string]json.RawMessage
	var tools []json.RawMessage
	if json.Unmarshal(text, &message) != nil || json.Unmarshal(message["result"], &result) != nil ||
		json.Unmarshal(result["tools"], &tools) != nil {
		return text
	}
	bad := 0
	for i, tool := range tools {
		if json.Unmarshal(tool, new(sdk.Tool)) != nil {
			tools[i] = json.RawMessage(`{"name":""}`)
			bad++
		}
	}
	if bad == 0 {
		return text
	}
	result["tools"], _ = json.Marshal(tools)
	message["result"], _ = json.Marshal(result)
	text, _ = json.Marshal(message)
	return text
}

// tooDeep is an error under the id of an answer that nests too deep, and nil for any other text.
func tooDeep(text []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	depth, deepest := 0, 0
	var key string // of the message; its value comes next
	var id any
	for {
		token, err := dec.Token()
		if err != nil {
			break
		}
		delim, _ := token.(json.Delim)
		switch {
		case delim == '{' || delim == '[':
			depth++
			deepest = max(depth, deepest)
		case delim != 0:
			if depth--; depth == 1 {
				key = ""
			}
		case depth == 1 && key == "":
			if key, _ = token.(string); key == "method" {
				return nil
			}
		case depth == 1:
			if key == "id" {
				id = token
			}
			key = ""
		}
	}
	if id == nil || depth > 0 || deepest <= maxDepth {
		return nil
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{
		"code": jsonrpc.CodeInternalError, "message": fmt.Sprintf("its answer nests deeper than %d levels", maxDepth)}})
	return answer
}

// A tail keeps the end of its input. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailBytes):]...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// shownLines is how many of the last lines an error shows.
const shownLines = 5

// String is the last lines, separated by " | ".
func (t *tail) String() string {
	t.mu.Lock()
	text := clean(string(t.text), tailBytes)
	t.mu.Unlock()
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	lines = lines[max(0, len(lines)-shownLines):]
	for i, line := range lines {
		lines[i] = clean(cmp.Or(strings.TrimSpace(line), line), 200)
	}
	return strings.Join(lines, " | ")
}
