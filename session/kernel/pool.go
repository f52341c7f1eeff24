package kernel

// This file starts children and keeps a spare ready.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"almanac/session/vm"
)

// Options configure a Pool's kernels. The zero value is ready to use.
type Options struct {
	// Command starts a child: a program and the arguments before the hidden one. Nil means this executable, whose main
	// must call Main first.
	Command []string
	// Memory is how many bytes a child may use. Zero means 256 MiB; below 32 MiB no child starts.
	Memory int64
	// Limits are the machine's own; zero fields mean its defaults.
	Limits vm.Limits
	// Prelude runs in each new machine. The pool compiles it once.
	Prelude []vm.Chunk
	// Spares is how many kernels are kept ready and started at a time; zero means 1.
	Spares int
	// Logf takes a line about each problem: a restriction that this system lacks, a spare that died. It may be called from
	// any goroutine. Nil drops the lines.
	Logf func(format string, args ...any)
}

const defaultMemory = 256 << 20

// errClosed is the answer of a pool after Close.
var errClosed = errors.New("kernel pool: closed")

const (
	// firstRetry and lastRetry are the waits between starts that fail.
	firstRetry = time.Second
	lastRetry  = time.Minute
	// maxFailures is how many kernels in a row may fail before the next one has to wait.
	maxFailures = 3
	// firstStart is how long a child may take to start, which is some 5 ms; each of the next ones has four times as long,
	// up to 16 s, for machines under load.
	firstStart = time.Second
	// probeTimeout is how long the spare may take to answer at first; it usually takes some 30 microseconds.
	probeTimeout = 300 * time.Millisecond
	// restart is how long the start of the next spare waits for the kernel given out to end: most scripts take less, and a
	// process that starts beside one doubles its time if processors are few.
	restart = 10 * time.Millisecond
)

// A Pool starts kernels and keeps spares ready. Its methods may be called concurrently.
type Pool struct {
	options Options
	codec   *codec
	prelude func() (vm.Compiled, error) // compiled once, while the first child starts
	ready   chan started
	waiting chan struct{} // those who wait for a spare offer to say so
	spawn   chan func()
	closing chan struct{}
	done    sync.WaitGroup
	warned  sync.Once

	mu     sync.Mutex
	closed bool
	live   map[*Kernel]struct{}
}

type started struct {
	kernel *Kernel
	err    error
}

// NewPool starts the first spares in the background. Whoever makes a pool closes it.
func NewPool(o Options) *Pool {
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	codec, err := newCodec()
	if err != nil {
		panic(err) // its options are constant
	}
	p := &Pool{
		options: o,
		codec:   codec,
		prelude: sync.OnceValues(func() (vm.Compiled, error) { return vm.Compile(o.Prelude) }),
		ready:   make(chan started),
		waiting: make(chan struct{}),
		spawn:   make(chan func()),
		closing: make(chan struct{}),
		live:    map[*Kernel]struct{}{},
	}
	p.done.Go(p.spawner)
	for range max(o.Spares, 1) {
		p.done.Go(p.keep)
	}
	return p
}

// Get returns a kernel that nobody has used. It waits only when the spare is just being started, or does not answer
// and is replaced. The kernel is the caller's to close; Close of the pool ends it too.
func (p *Pool) Get(ctx context.Context) (*Kernel, error) {
	// A spare that was stopped from outside looks like any other. On a busy machine each gets more time than the last.
	for timeout, failures := probeTimeout, 0; ; {
		select {
		case p.waiting <- struct{}{}:
			continue
		case s := <-p.ready:
			if s.err != nil {
				return nil, s.err
			}
			err := s.kernel.ping(ctx, timeout)
			if err == nil {
				return s.kernel, nil
			}
			if ctx.Err() != nil {
				s.kernel.Close()
				return nil, ctx.Err()
			}
			if failures++; failures == maxFailures {
				return nil, fmt.Errorf("kernel: %w", err)
			}
			p.options.Logf("kernel: spare replaced: %v", err)
			timeout *= 2
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.closing:
			return nil, errClosed
		}
	}
}

// Close ends the spare and every kernel that the pool gave out, and waits until they are gone.
func (p *Pool) Close() {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	live := make([]*Kernel, 0, len(p.live))
	for k := range p.live {
		live = append(live, k)
	}
	p.mu.Unlock()
	if first {
		close(p.closing)
	}
	for _, k := range live {
		k.Close()
	}
	p.done.Wait()
}

// keep owns a spare. One that dies or does not start is replaced at once, a few times, then at growing intervals;
// callers who ask meanwhile get the reason as an error.
func (p *Pool) keep() {
	wait, failures, slow := firstRetry, 0, 0
	for !p.isClosed() {
		began := time.Now()
		spare, err := p.start(firstStart << (2 * min(max(failures, slow), maxFailures-1)))
		switch { // a machine that is slow now will be for a while, and a start given up is lost
		case err != nil:
			slow = failures + 1
		case time.Since(began) < firstStart/4:
			slow = 0
		}
		if err == nil {
			select {
			case p.ready <- started{kernel: spare}:
				wait, failures = firstRetry, 0
				p.rest(spare)
				continue
			case <-spare.done:
				err = fmt.Errorf("kernel: spare died: %w", spare.gone())
			case <-p.closing:
				return
			}
		}
		if p.isClosed() {
			return
		}
		p.options.Logf("%v", err)
		if failures++; failures < maxFailures {
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case p.ready <- started{err: err}:
		case <-timer.C:
			wait = min(2*wait, lastRetry)
		case <-p.closing:
		}
		timer.Stop()
	}
}

// rest returns when the kernel given out has ended, another caller waits for one, or restart has passed.
func (p *Pool) rest(given *Kernel) {
	timer := time.NewTimer(restart)
	defer timer.Stop()
	select {
	case <-given.done:
	case <-p.waiting:
	case <-timer.C:
	case <-p.closing:
	}
}

func (p *Pool) isClosed() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}

// spawner starts processes from one thread that lives as long as the pool: on Linux a child asks to be ended with the
// thread that started it.
func (p *Pool) spawner() {
	runtime.LockOSThread()
	for {
		select {
		case start := <-p.spawn:
			start()
		case <-p.closing:
			return
		}
	}
}

// start starts a kernel and waits until its machine is ready, or the timeout has passed.
func (p *Pool) start(timeout time.Duration) (*Kernel, error) {
	k, err := p.launch()
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	timer := time.AfterFunc(timeout, func() { k.end(&Lost{Reason: "it did not start in time"}) })
	defer timer.Stop()
	if err := p.greet(k); err != nil {
		k.Close()
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return k, nil
}

// greet sends a new child its prelude and reads its first replies.
func (p *Pool) greet(k *Kernel) error {
	prelude, err := p.prelude()
	if err != nil {
		return err
	}
	frame, err := p.codec.frame(kindStart, start{Version: wireVersion, Limits: p.options.Limits, Prelude: prelude})
	if err != nil {
		return fmt.Errorf("the prelude is %w", err)
	}
	_ = k.out.send(frame) // a broken pipe shows in what is read
	var h hello
	if err := k.expect(kindHello, &h); err != nil {
		return err
	}
	if h.Version != wireVersion {
		return fmt.Errorf("the child uses protocol version %d, want %d", h.Version, wireVersion)
	}
	if len(h.Missing) > 0 {
		p.warned.Do(func() { p.options.Logf("kernel: scripts run without %s", strings.Join(h.Missing, ", ")) })
	}
	var r ready
	if err := k.expect(kindReady, &r); err != nil {
		return err
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	return nil
}

// launch starts the process.
func (p *Pool) launch() (*Kernel, error) {
	command := p.options.Command
	if command == nil {
		self, err := ownExecutable()
		if err != nil {
			return nil, err
		}
		command = []string{self}
	}
	childIn, toChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromChild, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		toChild.Close()
		return nil, err
	}
	k := &Kernel{
		codec:  p.codec,
		memory: p.options.Memory,
		limits: p.options.Limits,
		pipes:  [2]*os.File{toChild, fromChild},
		in:     newFrameReader(fromChild),
		out:    &frameWriter{w: toChild},
		stderr: &head{},
		turn:   make(chan struct{}, 1),
		done:   make(chan struct{}),
	}
	k.turn <- struct{}{}
	args := append(command[1:len(command):len(command)], hiddenArgument, strconv.FormatInt(p.options.Memory, 10))
	k.cmd = exec.Command(command[0], args...)
	k.cmd.Env = childEnv()
	k.cmd.Stdin, k.cmd.Stdout, k.cmd.Stderr = childIn, childOut, k.stderr
	k.cmd.WaitDelay = time.Second
	k.cmd.SysProcAttr = childAttr()
	err = p.spawned(k)
	childIn.Close()
	childOut.Close()
	if err != nil {
		toChild.Close()
		fromChild.Close()
		return nil, err
	}
	go k.reap(func() { p.forget(k) })
	return k, nil
}

// spawned starts k's process on the spawner's thread and counts it among the living.
func (p *Pool) spawned(k *Kernel) error {
	result := make(chan error, 1)
	start := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.closed {
			result <- errClosed
			return
		}
		err := k.cmd.Start()
		if err == nil {
			p.live[k] = struct{}{}
		}
		result <- err
	}
	select {
	case p.spawn <- start:
		return <-result
	case <-p.closing:
		return errClosed
	}
}

func (p *Pool) forget(k *Kernel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.live, k)
}

// childEnv is a child's whole environment: settings of the runtime and of the race detector (GORACE, which only a build
// with the detector reads), and the time zone; nothing of the parent's own. With
// one processor a call of an action takes half as long: the machine and the reader of its answers share a thread.
func childEnv() []string {
	env := []string{"GOTRACEBACK=none", "GOMAXPROCS=1", fmt.Sprintf("GOGC=%d", mostGarbage)}
	for _, name := range []string{"TZ", "GORACE"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
