//go:build unix

package kernel

// This file makes the test binary its own kernel child, and some worse ones.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"almanac/prelude"
	"almanac/session/vm"
)

func TestMain(m *testing.M) {
	if Main() {
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "act" {
		act(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// options are good for most tests: quick limits and a log that shows in the test.
func options(t testing.TB) Options {
	o := Options{Limits: vm.Limits{Time: time.Second, Output: 32 << 20}}
	for _, c := range prelude.Chunks() {
		o.Prelude = append(o.Prelude, vm.Chunk(c))
	}
	o.Logf = func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !strings.Contains(line, "scripts run without") {
			t.Log(line)
		}
	}
	return o
}

// newPool closes its pool with the test.
func newPool(t testing.TB, o Options) *Pool {
	p := NewPool(o)
	t.Cleanup(p.Close)
	return p
}

// get closes its kernel with the test and checks that the child reported no data race.
func get(t testing.TB, p *Pool) *Kernel {
	t.Helper()
	k, err := p.Get(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		k.Close()
		if said := k.stderr.String(); strings.Contains(said, "DATA RACE") {
			t.Errorf("the child says:\n%s", said)
		}
	})
	return k
}

// runLua runs source as a cell of the session and fails the test when the kernel dies of it.
func runLua(t testing.TB, k *Kernel, source string, h Host) vm.Reply {
	t.Helper()
	reply, err := k.Run(context.Background(), script(source), vm.Limits{}, h)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return reply
}

func script(source string) vm.Script {
	return vm.Script{Source: source, Name: "test", Surface: vm.Execute, Roots: []string{"demo"}}
}

// value is what a run without an error returned first.
func value(t testing.TB, reply vm.Reply) any {
	t.Helper()
	if reply.Err != nil {
		t.Fatalf("error: %+v", *reply.Err)
	}
	if len(reply.Values) == 0 {
		return nil
	}
	return reply.Values[0].Data
}

// alive tells whether a process exists, a reaped one does not.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// waitFor fails the test when what does not come true soon.
func waitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !cond(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 10 s", what)
		}
	}
}

// acting is the command of a child that plays a part instead of being a kernel.
func acting(t testing.TB, part string) []string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, "act", part}
}

// act plays a part: a program that holds a kernel, a probe of the walls, or a kernel that does not keep to the
// protocol.
func act(part string) {
	switch part {
	case "parent":
		actParent()
	case "probe":
		actProbe()
	case "silent":
		fmt.Fprintln(os.Stderr, "fatal error: nothing to say")
		os.Exit(5)
	default:
		actHostile(part)
	}
}

// actParent runs an endless loop in a kernel whose id it prints.
func actParent() {
	p := NewPool(Options{})
	k, err := p.Get(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(k.PID())
	l := vm.Limits{Time: time.Hour, Steps: 1 << 60}
	_, err = k.Run(context.Background(), script("while true do end"), l, Host{})
	fmt.Println(err)
}

// actProbe confines itself and prints what it could do all the same, as JSON from attempt to error.
func actProbe() {
	inherited := os.NewFile(7, "inherited")
	missing := confine(256 << 20)
	results := map[string]string{"missing": strings.Join(missing, "; ")}
	try := func(name string, err error) {
		results[name] = "done"
		if err != nil {
			results[name] = err.Error()
		}
	}
	_, err := os.ReadFile("/etc/passwd")
	try("read a file", err)
	_, err = os.ReadDir("/")
	try("list a folder", err)
	try("write a file", os.WriteFile("/tmp/kernel-probe", nil, 0o600))
	_, err = net.DialTimeout("tcp", "127.0.0.1:9", time.Second)
	if errors.Is(err, syscall.ECONNREFUSED) {
		err = nil
	}
	try("connect", err)
	_, err = os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	try("start a process", err)
	try("signal the parent", syscall.Kill(os.Getppid(), 0))
	_, err = syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	try("make code", err)
	_, err = inherited.Write([]byte("x"))
	try("write to what it inherited", err)
	// A goroutine on a thread of its own is no better off.
	done := make(chan error)
	for range 4 {
		go func() { _, err := os.ReadFile("/etc/passwd"); done <- err }()
	}
	for range 4 {
		if err := <-done; err == nil {
			try("read a file in a thread", nil)
		}
	}
	text, _ := json.Marshal(results)
	os.Stdout.Write(text)
}

// actHostile greets as a kernel does, answers pings, and the first other request with what the part says.
func actHostile(part string) {
	codec, err := newCodec()
	if err != nil {
		panic(err)
	}
	in := newFrameReader(os.Stdin)
	send := func(k kind, v any) {
		frame, err := codec.frame(k, v)
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(frame)
	}
	raw := func(payload ...byte) { os.Stdout.Write(rawFrame(kindReply, payload)) }
	version := wireVersion
	if part == "version" {
		version++
	}
	send(kindHello, hello{Version: version})
	if _, _, err := in.next(); err != nil {
		return
	}
	send(kindReady, ready{})
	for {
		k, _, err := in.next()
		if err != nil {
			return
		}
		if k != kindPing {
			break
		}
		send(kindPong, true)
	}
	switch part {
	case "garbage":
		os.Stdout.Write(bytes.Repeat([]byte{0xa5}, 1<<16))
	case "huge length":
		os.Stdout.Write([]byte{0xff, 0xff, 0xff, 0xff, 'R'})
	case "empty frame":
		os.Stdout.Write([]byte{0, 0, 0, 0})
	case "half a frame":
		os.Stdout.Write([]byte{0, 0, 1, 0, 'R', 0xa1})
		os.Stdout.Close()
	case "huge list":
		raw(0x9b, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff)
	case "many empty lists":
		raw(append([]byte{0x9a, 0, 0xe0, 0, 0}, bytes.Repeat([]byte{0x80}, 0xe00000)...)...)
	case "deep":
		raw(append(bytes.Repeat([]byte{0x81}, 1<<20), 0x80)...)
	case "tag":
		raw(0xc2, 0x41, 1)
	case "unknown field":
		raw(0xa1, 0x63, 'F', 'o', 'o', 1)
	case "unknown value":
		raw(0xa1, 0x66, 'V', 'a', 'l', 'u', 'e', 's', 0x81, 0xa1, 0x64, 'D', 'a', 't', 'a', 0x41, 'x')
	case "wrong type":
		raw(0xa1, 0x65, 'S', 't', 'e', 'p', 's', 0x61, 'x')
	case "out of turn":
		send(kindGlobList, []vm.Global{})
	case "endless snapshot":
		for {
			send(kindPiece, piece{Data: make([]byte, pieceSize)})
		}
	case "request":
		send(kindRun, runRequest{})
	case "unknown stream":
		send(kindWrite, []written{{Stream: "tty", Text: "x"}})
	case "closed pipe":
		os.Stdout.Close()
	case "two replies":
		send(kindReply, vm.Reply{})
		send(kindReply, vm.Reply{})
	default:
		panic("no part " + part)
	}
	// Stay, as one that means ill would.
	time.Sleep(time.Minute)
}

// rawFrame frames a payload that need not be CBOR.
func rawFrame(k kind, payload []byte) []byte {
	frame, err := sealFrame(append(openFrame(nil, k), payload...))
	if err != nil {
		panic(err)
	}
	return frame
}
