//go:build unix

package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/session/vm"
)

// What an action returns reaches the script, and what the script makes of it comes back, unchanged.
func TestValuesBothWays(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	loop := map[string]any{}
	loop["self"] = loop
	deep := any("bottom")
	for range maxDepth + 1 {
		deep = []any{deep}
	}
	type names []string
	tests := []struct {
		name  string
		value any
		want  any    // nil: the same
		err   string // of the call, instead
	}{
		{name: "text", value: "Grüße"},
		{name: "bytes", value: "\x00\xff\xfe\x80"},
		{name: "bytes in a field name", value: map[string]any{"\xff": "x"}},
		{name: "integer", value: int64(7)},
		{name: "largest integer", value: int64(1<<63 - 1)},
		{name: "smallest integer", value: int64(-1 << 63)},
		{name: "beyond 2^53", value: int64(1<<53 + 1)},
		{name: "beyond int64", value: uint64(1 << 63), want: "9223372036854775808"},
		{name: "big", value: new(big.Int).Lsh(big.NewInt(1), 100), want: "1267650600228229401496703205376"},
		{name: "number text", value: json.Number("9007199254740993"), want: int64(9007199254740993)},
		{name: "fraction", value: -0.25},
		{name: "truth", value: true},
		{name: "list", value: []any{int64(1), "a", []any{}, map[string]any{"n": nil}}},
		{name: "empty list", value: []any{}},
		{name: "nil list", value: []any(nil), want: []any{}},
		{name: "object", value: map[string]any{"a": map[string]any{"b": []any{false}}}},
		{name: "Go types", value: map[string]names{"x": {"a", "b"}}, want: map[string]any{"x": []any{"a", "b"}}},
		{name: "cyclic", value: loop, err: "nested deeper than 200 levels, or cyclic"},
		{name: "deep", value: deep, err: "nested deeper than 200 levels"},
		{name: "function", value: func() {}, err: "func() is not data"},
		{name: "wide keys", value: map[int]string{1: "x"}, err: "its keys are not strings"},
		{name: "100 MB", value: strings.Repeat("x", 100<<20), err: "the result is larger than 16 MiB"},
		{name: "too many", value: make([]int8, maxItems), err: "the result is more than"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var back any
			h := Host{Call: func(_ context.Context, c CallRequest) (any, error) {
				if c.ID == "demo.take" {
					back = c.Args["v"]
					return nil, nil
				}
				return test.value, nil
			}}
			reply := runLua(t, k, "local v = demo.give{}\ndemo.take{v = v}", h)
			if test.err != "" {
				if reply.Err == nil || reply.Err.Kind != vm.Runtime || !strings.Contains(reply.Err.Message, test.err) {
					t.Errorf("error %+v, want %q", reply.Err, test.err)
				}
				return
			}
			value(t, reply)
			want := test.want
			if want == nil {
				want = test.value
			}
			if diff := cmp.Diff(want, back); diff != "" {
				t.Errorf("came back changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCallRequest(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	var got CallRequest
	h := Host{Call: func(_ context.Context, c CallRequest) (any, error) { got = c; return nil, nil }}
	value(t, runLua(t, k, "\n\ndemo.sub.act{n = 1, name = 'x'}", h))
	want := CallRequest{ID: "demo.sub.act", Args: map[string]any{"n": int64(1), "name": "x"}, Line: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Errors of the host keep what they carry.
func TestHostErrors(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	tests := []struct {
		name   string
		err    error
		source string
		want   vm.Error // Kind, Message, Code and Hint count
	}{
		{"plain", errors.New("no such invoice"), "demo.x{}", vm.Error{Kind: vm.Runtime, Message: "no such invoice"}},
		{"typed", &vm.HostError{Kind: vm.Runtime, Message: "limit: want integer", Hint: "limit = 5", Code: "bad_argument"},
			"demo.x{}", vm.Error{Kind: vm.Runtime, Message: "limit: want integer", Hint: "limit = 5", Code: "bad_argument"}},
		{"denied", &vm.HostError{Fatal: true, Kind: vm.Denied, Message: "read-only", Code: "denied"},
			"while true do pcall(demo.x, {}) end", vm.Error{Kind: vm.Denied, Message: "read-only", Code: "denied"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := Host{Call: func(context.Context, CallRequest) (any, error) { return nil, test.err }}
			got := runLua(t, k, test.source, h).Err
			if got == nil {
				t.Fatal("no error")
			}
			if got.Kind != test.want.Kind || !strings.Contains(got.Message, test.want.Message) ||
				got.Code != test.want.Code || got.Hint != test.want.Hint {
				t.Errorf("error %+v, want %+v", *got, test.want)
			}
		})
	}
	if got := runLua(t, k, "demo.x{}", Host{}).Err; got == nil || !strings.Contains(got.Message, "no actions here") {
		t.Errorf("without a host: %+v", got)
	}
}

// A result that fits into no frame loses its data, not the kernel.
func TestHugeReturn(t *testing.T) {
	o := options(t)
	o.Limits.Value = 64 << 20
	k := get(t, newPool(t, o))
	reply := runLua(t, k, "x = 1 return ('x'):rep(30e6), 7", Host{})
	if reply.Err != nil || len(reply.Values) != 2 {
		t.Fatalf("reply %+v", reply.Err)
	}
	if v := reply.Values[0]; v.Data != nil || v.Whole {
		t.Errorf("data of %d bytes, whole %v", v.Size, v.Whole)
	}
	if v := reply.Values[1]; v.Data != int64(7) {
		t.Errorf("second value %v", v.Data)
	}
	if got := value(t, runLua(t, k, "return x", Host{})); got != int64(1) {
		t.Errorf("x = %v", got)
	}
}

func TestHugeArguments(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	h := Host{Call: func(context.Context, CallRequest) (any, error) { t.Error("called"); return nil, nil }}
	got := runLua(t, k, "demo.x{text = ('x'):rep(17 * 2^20)}", h).Err
	if got == nil || got.Kind == vm.Lost {
		t.Errorf("error %+v", got)
	}
	if got := runLua(t, k, "--"+strings.Repeat("x", maxFrame), h).Err; got == nil ||
		got.Kind != vm.Limit || got.Limit != "source" {
		t.Errorf("huge script: %+v", got)
	}
}

func TestPrint(t *testing.T) {
	o := options(t)
	o.Limits.Time = 20 * time.Second // ten megabytes, also under the race detector
	k := get(t, newPool(t, o))
	counts := map[vm.Stream]int{}
	h := Host{Write: func(s vm.Stream, text string) { counts[s] += len(text) }}
	value(t, runLua(t, k, "for i = 1, 10000 do print(('x'):rep(999)) end", h))
	if counts[vm.Stdout] != 10_000_000 {
		t.Errorf("%d bytes of 10,000,000", counts[vm.Stdout])
	}
	// What was printed before a call is there when the call is.
	var seen string
	h = Host{
		Write: func(_ vm.Stream, text string) { seen += text },
		Call: func(context.Context, CallRequest) (any, error) {
			if seen != "one\n" {
				t.Errorf("before the call: %q", seen)
			}
			return nil, nil
		},
	}
	value(t, runLua(t, k, "print('one') demo.x{} print('two')", h))
	if seen != "one\ntwo\n" {
		t.Errorf("printed %q", seen)
	}
}
