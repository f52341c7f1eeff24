package kernel

// This file is the parent's side of one child.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"almanac/session/vm"
)

const (
	// askTimeout bounds a look into the globals.
	askTimeout = 2 * time.Second
	// lastWordsGrace is how long a child that closed its pipe may take to end.
	lastWordsGrace = 500 * time.Millisecond
	// defaultTime is what a zero vm.Limits.Time means.
	defaultTime = 1500 * time.Millisecond
)

// A Host does for a running script what only the parent can. Its functions run on the goroutine that called Run, one at
// a time; ctx is the context of Run, and ends also when the kernel dies. Values and errors are as for vm.Host. If a
// function is nil, the request fails.
type Host struct {
	Call func(ctx context.Context, c CallRequest) (any, error)
	Op   func(ctx context.Context, name string, args []any) (any, error)
	// Write takes printed text as it comes, at most some 30 ms late.
	Write func(s vm.Stream, text string)
}

// A CallRequest asks for one action.
type CallRequest struct {
	ID   string
	Args map[string]any
	// Line is the line of the script that asked, from 1; zero when not known.
	Line int
	// Place says which calls of the machine it comes after, compared element by element; nil from a Kernel, whose calls
	// come one after the other.
	Place []int64
}

// A Kernel is one child process with one machine, whose globals persist between runs. Its methods may be called
// concurrently and take turns.
type Kernel struct {
	codec  *codec
	cmd    *exec.Cmd
	memory int64
	limits vm.Limits
	pipes  [2]*os.File // to the child, from the child
	in     *frameReader
	out    *frameWriter
	stderr *head
	// turn holds a token while nobody speaks with the child.
	turn chan struct{}
	seq  uint64
	buf  []byte

	done   chan struct{} // closed when the process was reaped
	mu     sync.Mutex
	lost   *Lost // why the parent ended it; set before the kill, or when it was reaped
	cancel context.CancelCauseFunc
}

// Run runs s in the kernel's machine and serves what it asks with h until it ends. A failed script is Reply.Err. When
// ctx ends, the run is interrupted, and the process ended if it does not react. The error is a *Lost, and then the
// Reply has an Err too, or ctx's own if the turn never came. A zero l means the limits of Options.
func (k *Kernel) Run(ctx context.Context, s vm.Script, l vm.Limits, h Host) (vm.Reply, error) {
	if err := k.take(ctx); err != nil {
		return vm.Reply{Err: &vm.Error{Kind: vm.Interrupt, Message: interruptReason(ctx)}}, err
	}
	defer k.release()
	if lost := k.gone(); lost != nil {
		return lost.reply(), lost
	}
	if l == (vm.Limits{}) {
		l = k.limits
	}
	k.seq++
	request, err := k.codec.frame(kindRun, runRequest{Seq: k.seq, Script: s, Limits: l})
	if err != nil {
		return vm.Reply{Err: &vm.Error{Kind: vm.Limit, Limit: "source", Message: "the script is " + err.Error()}}, nil
	}

	hostCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k.onDeath(cancel)
	defer k.onDeath(nil)
	r := run{Kernel: k, host: h, preview: s.Preview, ctx: hostCtx}
	limit := l.Time
	if limit <= 0 {
		limit = defaultTime
	}
	r.watch = newWatch(limit, func(interrupted bool) { k.end(stuck(interrupted, limit)) })
	defer r.watch.stop()
	// A panic of a host function must not leave a kernel that waits for an answer.
	whole := false
	defer func() {
		if !whole {
			k.end(&Lost{Reason: "its run was abandoned"})
		}
	}()
	if k.out.send(request) == nil {
		seq := k.seq
		stop := context.AfterFunc(ctx, func() { k.interrupt(r.watch, seq, interruptReason(ctx)) })
		defer stop()
	}
	reply, lost := r.serve()
	whole = true
	if lost != nil {
		return lost.reply(), lost
	}
	return reply, nil
}

// interrupt asks the child to stop run seq. It sets the watch first, since the pipe may be full.
func (k *Kernel) interrupt(w *watch, seq uint64, reason string) {
	w.interrupt()
	if frame, err := k.codec.frame(kindInterrupt, interrupt{Seq: seq, Reason: reason}); err == nil {
		// A child that is gone needs no interrupt: the run finds out by itself.
		_ = k.out.send(frame)
	}
}

func interruptReason(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return "interrupted: " + cause.Error()
	}
	return "interrupted"
}

// stuck is why a run was ended that the machine itself could not stop.
func stuck(interrupted bool, limit time.Duration) *Lost {
	if interrupted {
		return &Lost{Reason: "it ignored an interrupt", kind: vm.Interrupt, message: "interrupted"}
	}
	return &Lost{Reason: "it did not stop at its time limit", kind: vm.Limit, limit: "time",
		message: fmt.Sprintf("the script used more than %s of Lua time", limit)}
}

// A run is one script on its way.
type run struct {
	*Kernel
	host    Host
	preview bool
	ctx     context.Context
	watch   *watch
}

// serve answers the child's frames until the reply comes.
func (r *run) serve() (vm.Reply, *Lost) {
	for {
		k, payload, err := r.in.next()
		if err != nil {
			return vm.Reply{}, r.fell(err)
		}
		if k == kindReply {
			var reply vm.Reply
			if err := r.codec.decodeValues(payload, &reply, r.preview); err != nil {
				return vm.Reply{}, r.fell(err)
			}
			return reply, nil
		}
		if err := r.handle(k, payload); err != nil {
			return vm.Reply{}, r.fell(err)
		}
	}
}

// handle serves the request in a frame and answers it. The watch is paused meanwhile, unless that time is the script's
// own.
func (r *run) handle(k kind, payload []byte) error {
	r.watch.pause()
	var frame []byte
	var err error
	own := false
	switch k {
	case kindWrite:
		err = r.write(payload)
	case kindCall:
		var c callRequest
		if err = r.codec.decodeValues(payload, &c, r.preview); err == nil {
			value, failed := r.call(CallRequest{ID: c.ID, Args: c.Args, Line: c.Line})
			own = vm.OwnTime("", failed)
			frame, err = r.answer(value, failed)
		}
	case kindOp:
		var o opRequest
		if err = r.codec.decodeValues(payload, &o, r.preview); err == nil {
			value, failed := r.op(o)
			own = vm.OwnTime(o.Name, failed)
			frame, err = r.answer(value, failed)
		}
	default:
		err = fmt.Errorf("unexpected frame %q", byte(k))
	}
	r.watch.resume(own)
	if frame != nil {
		err = r.out.send(frame)
	}
	return err
}

func (r *run) write(payload []byte) error {
	var parts []written
	if err := r.codec.decode(payload, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		switch p.Stream {
		case vm.Stdout, vm.Stderr, vm.Logs:
		default:
			return fmt.Errorf("unknown stream %q", string(p.Stream))
		}
	}
	if r.host.Write == nil {
		return nil
	}
	for _, p := range parts {
		r.host.Write(p.Stream, p.Text)
	}
	return nil
}

func (r *run) call(c CallRequest) (any, error) {
	if r.host.Call == nil {
		return nil, errors.New(c.ID + ": no actions here")
	}
	return r.host.Call(r.ctx, c)
}

func (r *run) op(o opRequest) (any, error) {
	if r.host.Op == nil {
		return nil, errors.New(o.Name + ": not available here")
	}
	return r.host.Op(r.ctx, o.Name, o.Args)
}

// answer makes the frame for the result of a host function. A value too large for a frame becomes an error of this
// call.
func (r *run) answer(v any, err error) ([]byte, error) {
	if r.ctx.Err() != nil {
		err = &vm.HostError{Fatal: true, Kind: vm.Interrupt, Message: interruptReason(r.ctx)}
	}
	if err == nil {
		frame, bad := answerFrame(r.buf, v)
		if bad == nil {
			if cap(frame) <= keepBuffer {
				r.buf = frame
			}
			return frame, nil
		}
		err = &vm.HostError{Kind: vm.Runtime, Code: "too_large", Message: "the result is " + bad.Error(),
			Hint: "ask for fewer rows or fewer fields"}
	}
	wire := &hostError{HostError: vm.HostError{Message: err.Error()}}
	if typed := (*vm.HostError)(nil); errors.As(err, &typed) {
		wire = &hostError{Typed: true, HostError: *typed}
	}
	frame, err := r.codec.frame(kindAnswer, answer{Err: wire})
	if err != nil {
		wire = &hostError{HostError: vm.HostError{Message: "the error is " + err.Error()}}
		frame, err = r.codec.frame(kindAnswer, answer{Err: wire})
	}
	return frame, err
}

// Keys names what the global table at path holds, for completion; an empty path means the globals themselves.
func (k *Kernel) Keys(ctx context.Context, path []string) ([]vm.Key, error) {
	if path == nil {
		path = []string{}
	}
	var keys []vm.Key
	err := k.ask(ctx, askTimeout, kindKeys, path, kindKeyList, &keys)
	return keys, err
}

// Look shows one value of the session's and up to limit of its entries from number from on, each in at most wide cells;
// see vm.Machine.Look.
func (k *Kernel) Look(ctx context.Context, path []vm.Step, from, limit, wide int) (vm.Page, error) {
	var page vm.Page
	err := k.ask(ctx, askTimeout, kindLook, lookRequest{Path: path, From: from, Limit: limit, Wide: wide}, kindPage, &page)
	return page, err
}

// Rows reads up to limit items of a list of the session's from number from on, as data; see vm.Machine.Rows.
func (k *Kernel) Rows(ctx context.Context, path []vm.Step, from, limit int) (vm.Rows, error) {
	var rows vm.Rows
	err := k.ask(ctx, askTimeout, kindRows, rowsRequest{Path: path, From: from, Limit: limit}, kindRowList, &rows)
	return rows, err
}

// State reads the state of the machine; see vm.Machine.State.
func (k *Kernel) State(ctx context.Context) (vm.State, error) {
	var r stateReply
	err := k.ask(ctx, askTimeout, kindState, stateRequest{}, kindStateIs, &r)
	if err == nil && r.Error != "" {
		err = errors.New(r.Error[:min(len(r.Error), maxReason)])
	}
	return r.State, err
}

// SetState makes data the state of the machine, and tells which globals there are then and how that changed them. An
// error that is no *Lost and not ctx's says why it could not; then the machine is unchanged.
func (k *Kernel) SetState(ctx context.Context, data map[string]any) ([]vm.Global, vm.Diff, error) {
	var r stateReply
	err := k.ask(ctx, askTimeout, kindState, stateRequest{Set: true, Data: data}, kindStateIs, &r)
	if err == nil && r.Error != "" {
		err = errors.New(r.Error[:min(len(r.Error), maxReason)])
	}
	return r.Globals, r.Changed, err
}

// globals lists the variables that scripts have set.
func (k *Kernel) globals(ctx context.Context) ([]vm.Global, error) {
	var globals []vm.Global
	err := k.ask(ctx, askTimeout, kindGlobals, nil, kindGlobList, &globals)
	return globals, err
}

// ask sends a request and decodes its reply into v. Once sent it is not abandoned: a request takes well under a
// millisecond, and a kernel left in the middle of one would be lost.
func (k *Kernel) ask(ctx context.Context, timeout time.Duration, request kind, body any, reply kind, v any) error {
	if err := k.take(ctx); err != nil {
		return err
	}
	defer k.release()
	if lost := k.gone(); lost != nil {
		return lost
	}
	frame, err := k.codec.frame(request, body)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	timer := time.AfterFunc(timeout, func() { k.end(&Lost{Reason: "no answer"}) })
	defer timer.Stop()
	_ = k.out.send(frame) // a broken pipe shows in what is read
	return k.expect(reply, v)
}

// expect reads one frame of the given kind into v; anything else ends the kernel.
func (k *Kernel) expect(want kind, v any) error {
	got, payload, err := k.in.next()
	if err == nil && got != want {
		err = fmt.Errorf("unexpected frame %q", byte(got))
	}
	if err == nil {
		err = k.codec.decode(payload, v)
	}
	if err != nil {
		return k.fell(err)
	}
	return nil
}

// take waits for the turn to speak with the child.
func (k *Kernel) take(ctx context.Context) error {
	select {
	case <-k.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	if ctx.Err() != nil {
		k.release()
		return ctx.Err()
	}
	return nil
}

func (k *Kernel) release() { k.turn <- struct{}{} }

// Close ends the process and waits until it is gone. It may be called at any time, more than once, and during a run,
// which then ends with *Lost.
func (k *Kernel) Close() {
	k.Discard()
	<-k.done
}

// Discard is Close without waiting for the process to end, which takes a millisecond.
func (k *Kernel) Discard() {
	k.end(&Lost{Reason: "closed", kind: vm.Interrupt, message: "the Lua process was closed"})
}

// PID is the id of the process.
func (k *Kernel) PID() int { return k.cmd.Process.Pid }

// end kills the process for the given reason, unless it is ending already.
func (k *Kernel) end(why *Lost) {
	k.mu.Lock()
	if k.lost == nil {
		k.lost = why
	}
	k.mu.Unlock()
	// The only error is that it is gone.
	_ = k.cmd.Process.Kill()
}

// gone is why the kernel is lost, or nil while it lives.
func (k *Kernel) gone() *Lost {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lost
}

// onDeath sets the function to call when the process ends; nil for none.
func (k *Kernel) onDeath(cancel context.CancelCauseFunc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cancel = cancel
}

// fell is why the pipe failed with err. A child that closed its pipe gets a moment to end by itself, so that its own
// output gives the reason; one that garbled a frame is ended.
func (k *Kernel) fell(err error) *Lost {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) || isBrokenPipe(err) {
		select {
		case <-k.done:
		case <-time.After(lastWordsGrace):
		}
	}
	k.end(&Lost{Reason: "protocol violation: " + err.Error()})
	<-k.done
	return k.gone()
}

// reap waits for the process, records why it ended and closes the pipes. It runs in a goroutine of its own for the life
// of the process.
func (k *Kernel) reap(forget func()) {
	err := k.cmd.Wait()
	k.mu.Lock()
	if k.lost == nil {
		k.lost = lastWords(k.stderr.String(), err, k.memory)
	}
	if k.cancel != nil {
		k.cancel(k.lost)
	}
	k.mu.Unlock()
	forget()
	close(k.done)
	// A run still reads what came before the end.
	<-k.turn
	k.pipes[0].Close()
	k.pipes[1].Close()
	k.turn <- struct{}{}
}
