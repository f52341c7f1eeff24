//go:build unix

package kernel

import (
	"context"
	"fmt"
	"testing"
	"time"

	"almanac/session/vm"
)

// BenchmarkStart measures from nothing to a machine that stands.
func BenchmarkStart(b *testing.B) {
	p := newPool(b, options(b))
	get(b, p) // the first start also fills caches
	for b.Loop() {
		k, err := p.start(firstStart)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		k.Close()
		b.StartTimer()
	}
}

// BenchmarkGet measures a fresh kernel when the spare is warm, with an empty run.
func BenchmarkGet(b *testing.B) {
	p := newPool(b, options(b))
	for b.Loop() {
		k, err := p.Get(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		runLua(b, k, "", Host{})
		b.StopTimer()
		k.Close()
		time.Sleep(10 * time.Millisecond) // until the next spare is warm
		b.StartTimer()
	}
}

func BenchmarkEmptyRun(b *testing.B) {
	k := get(b, newPool(b, options(b)))
	for b.Loop() {
		runLua(b, k, "", Host{})
	}
}

// BenchmarkCall measures one action call that does nothing, from script to parent and back.
func BenchmarkCall(b *testing.B) {
	k := get(b, newPool(b, options(b)))
	h := Host{Call: func(context.Context, CallRequest) (any, error) { return nil, nil }}
	source := fmt.Sprintf("local f, a = demo.x, {} for i = 1, %d do f(a) end", b.N)
	reply, err := k.Run(context.Background(), script(source), vm.Limits{Time: time.Hour, Steps: 1 << 60}, h)
	if err != nil || reply.Err != nil {
		b.Fatal(err, reply.Err)
	}
}

// BenchmarkCallInProcess is the engine's share of BenchmarkCall.
func BenchmarkCallInProcess(b *testing.B) {
	o := options(b)
	h := vm.Host{
		Call:  func(string, map[string]any, int) (any, error) { return nil, nil },
		Op:    func(string, []any) (any, error) { return nil, nil },
		Write: func(vm.Stream, string) {},
	}
	code, err := vm.Compile(o.Prelude)
	if err != nil {
		b.Fatal(err)
	}
	m, err := vm.New(vm.Limits{Time: time.Hour, Steps: 1 << 60}, h, code)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	source := fmt.Sprintf("local f, a = demo.x, {} for i = 1, %d do f(a) end", b.N)
	if reply := m.Run(script(source)); reply.Err != nil {
		b.Fatal(reply.Err)
	}
}

// BenchmarkMachine is the machine's share of BenchmarkStart.
func BenchmarkMachine(b *testing.B) {
	o := options(b)
	code, err := vm.Compile(o.Prelude)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := vm.New(o.Limits, vm.Host{}, code)
		if err != nil {
			b.Fatal(err)
		}
		m.Close()
	}
}

func BenchmarkPrint10MB(b *testing.B) {
	k := get(b, newPool(b, options(b)))
	b.SetBytes(10_000_000)
	for b.Loop() {
		runLua(b, k, "for i = 1, 10000 do print(('x'):rep(999)) end", Host{Write: func(vm.Stream, string) {}})
	}
}
