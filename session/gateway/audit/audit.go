// Package audit writes what clients of the gateway do as lines of JSON, for other programs to read.
//
//	Record   one line: a tool call, a run or an action call as it begins or has ended, or a request that was refused
//	Log      a file of them, or a stream; Reopen lets another program move the file away
package audit

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/text"
)

// An Event is what a Record is about.
type Event string

// The events. What begins is told before it is done; of action calls only those that change data are.
const (
	ToolBegin Event = "tool_begin"
	ToolEnd   Event = "tool_end"
	RunBegin  Event = "run_begin"
	RunEnd    Event = "run_end"
	CallBegin Event = "call_begin"
	CallEnd   Event = "call_end"
	Refused   Event = "refused" // a request without a good token, or beyond a rate
)

// Outcomes of tool calls and runs. Those of action calls are verdicts, as in trace.Call.
const (
	OK    = "ok"
	Error = "error"
)

// A Record is one line. Fields that do not belong to its Event are zero.
type Record struct {
	Time  time.Time `json:"time"`
	Event Event     `json:"event"`
	// Client is the name in the configuration, Program what it says of itself; Remote is where a refused request came
	// from.
	Client  string `json:"client,omitempty"`
	Tenant  string `json:"tenant,omitempty"`
	Actor   string `json:"actor,omitempty"`
	Program string `json:"program,omitempty"`
	Remote  string `json:"remote,omitempty"`
	// Session names the session's log, ToolCall one use of a tool, Run a script in that log.
	Session  string `json:"session,omitempty"`
	ToolCall string `json:"tool_call,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Run      string `json:"run,omitempty"`
	Mode     string `json:"mode,omitempty"` // of a run: run, fresh, preview or query
	// Action is called as the Nth of its run, in the script's line Line.
	Action  string       `json:"action,omitempty"`
	N       int          `json:"n,omitempty"`
	Line    int          `json:"line,omitempty"`
	Mutates bool         `json:"mutates,omitempty"`
	Risk    catalog.Risk `json:"risk,omitempty"`
	// Args are without secrets; a value of more than some bytes is its size.
	Args map[string]any `json:"args,omitempty"`
	// Outcome is how it ended, and Rule which rule, grant or person decided.
	Outcome string `json:"outcome,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Error   string `json:"error,omitempty"`
	// Millis is how long it took. Bytes is the size of an action's result, or of the text that answers a tool call.
	Millis float64 `json:"ms,omitempty"`
	Bytes  int     `json:"bytes,omitempty"`
	Calls  int     `json:"calls,omitempty"` // of a run
	// Times counts requests that were refused alike since the last line about some.
	Times int `json:"times,omitempty"`
	// Trace is the id of the trace that it is part of; Parent is what the request said of that, as in W3C Trace Context.
	Trace  string `json:"trace_id,omitempty"`
	Parent Parent `json:"-"`
}

// A Parent is the trace context of a request.
type Parent struct{ Traceparent, Tracestate string }

// Trace is the id of the trace; empty where the request names none.
func (p Parent) Trace() string {
	parts := strings.Split(p.Traceparent, "-")
	if len(parts) < 4 || len(parts[1]) != 32 {
		return ""
	}
	if _, err := hex.DecodeString(parts[1]); err != nil {
		return ""
	}
	return parts[1]
}

const (
	// maxArg bounds a value of the arguments, maxArgs all of them, in bytes of JSON.
	maxArg, maxArgs = 512, 4 << 10
	// maxError bounds the text of an error.
	maxError = 500
)

// Bound is args as a Record has them: of large values only the size.
func Bound(args map[string]any) map[string]any {
	if len(args) == 0 {
		return nil
	}
	short, room := map[string]any{}, maxArgs
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value, err := json.Marshal(args[name])
		switch {
		case room < len(name):
			short["..."] = fmt.Sprintf("[%d more]", len(args)-len(short))
			return short
		case err != nil:
			short[name] = "[not data]"
		case len(value) > min(maxArg, room):
			short[name] = fmt.Sprintf("[%d bytes]", len(value))
		default:
			short[name] = args[name]
			room -= len(value)
		}
		room -= len(name) + 16
	}
	return short
}

// A Log is where records go. Safe for concurrent use.
type Log struct {
	path    string // empty for a stream
	secrets *secret.Filter
	mu      sync.Mutex
	out     io.Writer
	file    *os.File // nil for a stream
	torn    bool     // the last write failed and may have left half a line
}

// Open opens the file at path, to which it appends; only the user can read a new one. Secrets are taken out of every
// record, as far as they are known when it is written.
func Open(path string, secrets *secret.Filter) (*Log, error) {
	l := &Log{path: path, secrets: secrets}
	return l, l.Reopen()
}

// To makes a Log of a stream.
func To(out io.Writer, secrets *secret.Filter) *Log { return &Log{out: out, secrets: secrets} }

// Reopen opens the file again, which may be another by now. An error leaves the one that was open.
func (l *Log) Reopen() error {
	if l.path == "" {
		return nil
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file, l.out, l.torn = file, file, false
	return nil
}

// Check tells whether Open could write to path, without making the file.
func Check(path string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if file, err = os.CreateTemp(filepath.Dir(path), ".audit-*"); err == nil {
			defer os.Remove(file.Name())
		} else if at := (*fs.PathError)(nil); errors.As(err, &at) {
			at.Path = path
		}
	}
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return file.Close()
}

// Write adds a line. It returns when the system has it, which is before it is on disk.
func (l *Log) Write(r Record) error {
	r.Error = text.ClipBytes(r.Error, maxError)
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	line = append(l.secrets.Now().JSON(line), '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.torn {
		line = append([]byte{'\n'}, line...)
	}
	_, err = l.out.Write(line)
	if l.torn = err != nil; l.torn {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Close closes the file.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
