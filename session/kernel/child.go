package kernel

// This file is the child's side: one machine, driven by frames on its pipe.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"almanac/session/vm"
)

// hiddenArgument is os.Args[1] of a kernel child; the memory limit in bytes follows it.
const hiddenArgument = "__kernel"

// interruptRepeat is how often an interrupt is repeated while it has no effect.
const interruptRepeat = 20 * time.Millisecond

// Exit codes of a child, beside those of the Go runtime.
const (
	exitProtocol = 3 // the parent violated the protocol
	exitSetup    = 4 // no machine could be made
)

// Main reports false at once in an ordinary process. In a kernel child it serves the parent until the pipe closes and
// then ends the process; a caller that sees true should return. Call it before anything else in main, and in TestMain
// of packages whose tests start kernels.
func Main() bool {
	if len(os.Args) < 3 || os.Args[1] != hiddenArgument {
		return false
	}
	memory, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil || memory <= 0 {
		os.Exit(exitSetup)
	}
	in, out := childPipes()
	missing := confine(memory)
	spareCollections(memory)
	if err := serve(in, out, missing); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitSetup)
	}
	return true
}

// A child serves the frames. The reading goroutine owns in, the main one everything else.
type child struct {
	codec  *codec
	in     *frameReader
	out    *frameWriter
	output *output
	frame  []byte
	// requests carries what the reader decoded, all but interrupts, to the main goroutine.
	requests chan any
	machine  *vm.Machine
	pieces   []byte // of a snapshot that the parent sends

	mu      sync.Mutex
	running uint64 // Seq of the run that is on, zero when none is
}

// The requests without a struct of their own.
type (
	keysRequest    []string
	globalsRequest struct{}
	pingRequest    struct{}
)

// serve answers frames until in ends, and the process with it. It returns only when there is no machine to serve.
func serve(in io.Reader, out io.Writer, missing []string) error {
	codec, err := newCodec()
	if err != nil {
		return err
	}
	c := &child{
		codec:    codec,
		in:       newFrameReader(in),
		out:      &frameWriter{w: out},
		requests: make(chan any),
	}
	c.output = newOutput(c.send)
	c.reply(kindHello, hello{Version: wireVersion, Missing: missing})
	go c.read()

	first, ok := c.receive().(start)
	if !ok || first.Version != wireVersion {
		return errors.New("kernel: no start frame of this version")
	}
	c.machine, err = vm.New(first.Limits, vm.Host{Call: c.call, Op: c.op, Write: c.output.write}, first.Prelude)
	if err != nil {
		c.reply(kindReady, ready{Error: err.Error()})
		return err
	}
	defer c.machine.Close()
	c.reply(kindReady, ready{})
	for {
		switch r := c.receive().(type) {
		case runRequest:
			c.run(r)
		case keysRequest:
			c.reply(kindKeyList, c.machine.Keys(r))
		case lookRequest:
			c.reply(kindPage, c.machine.Look(r.Path, r.From, r.Limit, r.Wide))
		case rowsRequest:
			c.reply(kindRowList, c.machine.Rows(r.Path, r.From, r.Limit))
		case globalsRequest:
			c.reply(kindGlobList, c.machine.Globals())
		case stateRequest:
			c.state(r)
		case snapshotRequest:
			c.snapshot(r)
		case piece:
			c.restore(r)
		case pingRequest:
			c.reply(kindPong, true)
		default:
			os.Exit(exitProtocol)
		}
	}
}

// read hands frames to the main goroutine and interrupts to the machine. It lives as long as the process, which ends
// when the parent does: also in the middle of a run.
func (c *child) read() {
	for {
		k, payload, err := c.in.next()
		if err != nil {
			os.Exit(0)
		}
		request, err := c.decode(k, payload)
		if err != nil {
			fmt.Fprintln(os.Stderr, "kernel:", err)
			os.Exit(exitProtocol)
		}
		if i, ok := request.(interrupt); ok {
			c.interrupt(i)
			continue
		}
		c.requests <- request
	}
}

func (c *child) receive() any { return <-c.requests }

func (c *child) decode(k kind, payload []byte) (request any, err error) {
	switch k {
	case kindStart:
		return decodeAs[start](c.codec, payload)
	case kindRun:
		return decodeAs[runRequest](c.codec, payload)
	case kindAnswer:
		var a answer
		err = c.codec.decodeValues(payload, &a, true) // the parent knows whether it is a preview
		return a, err
	case kindInterrupt:
		return decodeAs[interrupt](c.codec, payload)
	case kindKeys:
		return decodeAs[keysRequest](c.codec, payload)
	case kindLook:
		return decodeAs[lookRequest](c.codec, payload)
	case kindRows:
		return decodeAs[rowsRequest](c.codec, payload)
	case kindGlobals:
		return globalsRequest{}, nil
	case kindState:
		return decodeAs[stateRequest](c.codec, payload)
	case kindSnapshot:
		return decodeAs[snapshotRequest](c.codec, payload)
	case kindPiece:
		return decodeAs[piece](c.codec, payload)
	case kindPing:
		return pingRequest{}, nil
	}
	return nil, fmt.Errorf("frame %q is not a request", byte(k))
}

func decodeAs[T any](c *codec, payload []byte) (T, error) {
	var v T
	err := c.decode(payload, &v)
	return v, err
}

// interrupt stops the run that it is meant for, if that is still running. It holds the lock meanwhile, so that it
// cannot hit the next run, and repeats the interrupt until the run ends, since a run that is just beginning misses it.
func (c *child) interrupt(i interrupt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == i.Seq {
		c.machine.Interrupt(i.Reason)
		time.AfterFunc(interruptRepeat, func() { c.interrupt(i) })
	}
}

// state answers a stateRequest.
func (c *child) state(r stateRequest) {
	var answer stateReply
	var err error
	if r.Set {
		if answer.Changed, err = c.machine.SetState(r.Data); err == nil {
			answer.Globals = c.machine.Globals()
		}
	} else {
		answer.State, err = c.machine.State()
	}
	if err != nil {
		answer = stateReply{Error: reason(err)}
	}
	c.reply(kindStateIs, answer)
}

func (c *child) setRunning(seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = seq
}

func (c *child) run(r runRequest) {
	c.machine.SetLimits(r.Limits)
	c.setRunning(r.Seq)
	reply := c.machine.Run(r.Script)
	c.setRunning(0)
	c.output.flush()
	c.send(c.replyFrame(reply))
}

// replyFrame encodes a reply and leaves out what makes it too large: first the data of values, then all but the
// numbers.
func (c *child) replyFrame(reply vm.Reply) []byte {
	values := make([]vm.Value, len(reply.Values))
	var size valueSize
	for i, v := range reply.Values {
		if v.Data != nil && size.add(v.Data, 0) != nil {
			v.Data, v.Whole, v.Why = nil, false, "it is larger than what one run returns as data"
		}
		values[i] = v
	}
	reply.Values = values
	frame, err := c.checked(kindReply, reply)
	if err == nil {
		return frame
	}
	frame, err = c.checked(kindReply, vm.Reply{
		Err: &vm.Error{Kind: vm.Limit, Limit: "value", Message: "what the script returned is " + err.Error(),
			Hint: "return less, or keep it in a global"},
		Steps: reply.Steps, Elapsed: reply.Elapsed, Dropped: reply.Dropped,
	})
	if err != nil {
		panic(err)
	}
	return frame
}

// checked encodes v as a frame that the parent is sure to accept.
func (c *child) checked(k kind, v any) ([]byte, error) {
	frame, err := c.codec.frame(k, v)
	if err != nil {
		return nil, err
	}
	return frame, scan(frame[5:], true)
}

// reply sends an answer of bounded size. One that is too large is a bug and ends the process.
func (c *child) reply(k kind, v any) {
	frame, err := c.checked(k, v)
	if err != nil {
		panic(err)
	}
	c.send(frame)
}

// send writes a frame. If that fails, the parent is gone.
func (c *child) send(frame []byte) {
	if c.out.send(frame) != nil {
		os.Exit(0)
	}
}

// call is the machine's Host.Call.
func (c *child) call(id string, args map[string]any, line int) (any, error) {
	frame, err := callFrame(c.frame, id, line, args)
	if err != nil {
		return nil, &vm.HostError{Kind: vm.Runtime, Code: "too_large", Message: id + ": the arguments are " + err.Error()}
	}
	return c.ask(frame)
}

// op is the machine's Host.Op.
func (c *child) op(name string, args []any) (any, error) {
	frame, err := opFrame(c.frame, name, args)
	if err != nil {
		return nil, &vm.HostError{Kind: vm.Runtime, Code: "too_large", Message: name + ": the arguments are " + err.Error()}
	}
	return c.ask(frame)
}

// ask sends a call or an op and waits for its answer. What the script printed before goes first.
func (c *child) ask(frame []byte) (any, error) {
	if cap(frame) <= keepBuffer {
		c.frame = frame
	}
	c.output.flush()
	c.send(frame)
	a, ok := c.receive().(answer)
	switch {
	case !ok:
		os.Exit(exitProtocol)
	case a.Err == nil:
		return a.Value, nil
	case a.Err.Typed:
		return nil, &a.Err.HostError
	}
	return nil, errors.New(a.Err.Message)
}
