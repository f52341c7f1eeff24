package kernel

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/session/vm"
)

func testCodec(t testing.TB) *codec {
	c, err := newCodec()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every frame comes out as it went in.
func TestFrames(t *testing.T) {
	c := testCodec(t)
	v := vm.Value{Type: "table", Repr: "{1}", Data: []any{int64(1), nil, "\xff"}, Whole: true, Size: 1}
	tests := []struct {
		kind kind
		v    any
	}{
		{kindHello, hello{Version: 1, Missing: []string{"landlock"}}},
		{kindStart, start{Version: 1, Limits: vm.Limits{Steps: 1 << 40, Time: time.Second}, Prelude: vm.Compiled("b\xff")}},
		{kindReady, ready{Error: "no"}},
		{kindRun, runRequest{Seq: 1 << 60, Script: script2("return 1"), Limits: vm.Limits{Depth: 3}}},
		{kindReply, vm.Reply{Values: []vm.Value{v}, Err: &vm.Error{
			Kind: vm.Runtime, Message: "m", Line: 2, Value: &v, Traceback: []string{"a"},
		},
			Steps: 5, Elapsed: time.Minute, Globals: []vm.Global{{Name: "x", Size: 3}},
			Changed: vm.Diff{Added: []string{"x"}}, Dropped: 1}},
		{kindKeyList, []vm.Key{{Name: "\x80", Type: "number"}}},
		{kindGlobList, []vm.Global{}},
		{kindCall, callRequest{ID: "a.b", Line: -1, Args: map[string]any{"n": 1.5}}},
		{kindOp, opRequest{Name: "catalog.search", Args: []any{"q", map[string]any{}}}},
		{kindWrite, []written{{Stream: vm.Stdout, Text: "\xc3"}}},
		{kindAnswer, answer{Value: math.Inf(1)}},
		{kindAnswer,
			answer{Err: &hostError{Typed: true, HostError: vm.HostError{Fatal: true, Kind: vm.Denied, Code: "denied"}}}},
		{kindInterrupt, interrupt{Seq: 2, Reason: "interrupted"}},
	}
	var pipe bytes.Buffer
	for _, test := range tests {
		frame, err := c.frame(test.kind, test.v)
		if err != nil {
			t.Fatalf("%c: %v", test.kind, err)
		}
		pipe.Write(frame)
	}
	in := newFrameReader(&pipe)
	for _, test := range tests {
		k, payload, err := in.next()
		if err != nil || k != test.kind {
			t.Fatalf("frame %c, %v, want %c", k, err, test.kind)
		}
		got := reflect.New(reflect.TypeOf(test.v))
		if err := c.decode(payload, got.Interface()); err != nil {
			t.Fatalf("%c: %v", k, err)
		}
		if diff := cmp.Diff(test.v, got.Elem().Interface(),
			cmp.AllowUnexported(callRequest{}, opRequest{}, written{}, answer{})); diff != "" {
			t.Errorf("%c: -want +got:\n%s", k, diff)
		}
	}
	if _, _, err := in.next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func script2(source string) vm.Script {
	return vm.Script{Source: source, Name: "cell 1", Surface: vm.Query, Roots: []string{"billing"}, Expr: true}
}

// The frames written by hand are those that the library would write.
func TestHandWrittenFrames(t *testing.T) {
	c := testCodec(t)
	args := map[string]any{"list": []any{int64(-1), int64(300), int64(1 << 40), 0.5, "\xff", true, false, nil}}
	check := func(name string, frame []byte, err error, want any) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, payload, err := newFrameReader(bytes.NewReader(frame)).next()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := reflect.New(reflect.TypeOf(want))
		if err := c.decode(payload, got.Interface()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got.Elem().Interface(),
			cmp.AllowUnexported(callRequest{}, opRequest{}, written{}, answer{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	frame, err := callFrame(nil, "a.b", 3, args)
	check("call", frame, err, callRequest{ID: "a.b", Line: 3, Args: args})
	frame, err = callFrame(nil, "a.b", 3, nil)
	check("call without arguments", frame, err, callRequest{ID: "a.b", Line: 3, Args: map[string]any{}})
	frame, err = opFrame(nil, "op", []any{args})
	check("op", frame, err, opRequest{Name: "op", Args: []any{args}})
	frame, err = answerFrame(nil, args)
	check("answer", frame, err, answer{Value: args})
	frame, err = writeFrame(nil, []part{{vm.Stdout, []byte("a")}, {vm.Stderr, []byte("\xff")}})
	check("write", frame, err, []written{{Stream: vm.Stdout, Text: "a"}, {Stream: vm.Stderr, Text: "\xff"}})
}

func TestScan(t *testing.T) {
	tests := []struct {
		name  string
		bytes string
		err   string // "" when it passes
	}{
		{"nothing", "", "truncated"},
		{"null", "\xf6", ""},
		{"list", "\x82\x01\x20", ""},
		{"map", "\xa1\x61a\xfb\x00\x00\x00\x00\x00\x00\x00\x00", ""},
		{"text cut short", "\x63ab", "truncated"},
		{"list cut short", "\x82\x01", "truncated"},
		{"head cut short", "\x19\x01", "truncated"},
		{"float cut short", "\xfb\x01", "truncated"},
		{"more than one", "\x01\x02", "after the end"},
		{"list of 2^63", "\x9b\x80\x00\x00\x00\x00\x00\x00\x00\x01", "truncated"},
		{"text of 2^64-1", "\x7b\xff\xff\xff\xff\xff\xff\xff\xff", "truncated"},
		{"open list", "\x9f\xff", "not allowed"},
		{"open text", "\x7f\xff", "not allowed"},
		{"tag", "\xc2\x41\x01", "not allowed"},
		{"undefined", "\xf7", "not allowed"},
		{"simple value", "\xe0", "not allowed"},
		{"long simple value", "\xf8\xff", "not allowed"},
		{"deep", strings.Repeat("\x81", maxLevels) + "\x01", ""},
		{"deeper", strings.Repeat("\x81", maxLevels+1) + "\x01", "nested deeper"},
		{"many", "\x9a\x00\x0f\xff\xff" + strings.Repeat("\x01", 1<<20-1), ""},
		{"too many", "\x9a\x00\x10\x00\x00" + strings.Repeat("\x01", 1<<20), "more than"},
	}
	for _, test := range tests {
		err := scan([]byte(test.bytes), true)
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.err)
		}
	}
}

// No bytes do more to the reader than fail.
func FuzzFrames(f *testing.F) {
	c := testCodec(f)
	for _, v := range []any{vm.Reply{Values: []vm.Value{{Data: []any{"x", 1.5}}}}, hello{Version: 1},
		[]written{{Stream: vm.Stdout, Text: "x"}}} {
		frame, err := c.frame(kindReply, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
	}
	call, err := callFrame(nil, "a.b", 1, map[string]any{"x": []any{nil, true}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(call)
	f.Add([]byte{0, 0, 0, 2, 'c', 0x83})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newFrameReader(bytes.NewReader(data))
		for {
			k, payload, err := in.next()
			if err != nil {
				return
			}
			// What the parent takes from a child, all of it whatever the kind says.
			for _, into := range []any{&vm.Reply{}, &callRequest{}, &opRequest{}, &[]written{}, &[]vm.Key{}, &[]vm.Global{},
				&hello{}, &ready{}, &answer{}, &piece{}, &snapshotEnd{}, &restored{}} {
				if err := c.decode(payload, into); err == nil && k == kindAnswer {
					checkData(t, into)
				}
			}
		}
	})
}

// checkData fails the test when an answer's value is not made of the seven types of data.
func checkData(t *testing.T, v any) {
	switch v := v.(type) {
	case *answer:
		checkData(t, v.Value)
	case nil, bool, int64, float64, string:
	case []any:
		for _, item := range v {
			checkData(t, item)
		}
	case map[string]any:
		for _, item := range v {
			checkData(t, item)
		}
	case *vm.Reply, *callRequest, *opRequest, *[]written, *[]vm.Key, *[]vm.Global, *hello, *ready:
	default:
		t.Fatalf("%T is not data", v)
	}
}

// Any text and number survive the wire.
func FuzzValues(f *testing.F) {
	f.Add("text", int64(1), 0.5, uint64(1<<63))
	f.Add("\xff\x00", int64(math.MinInt64), math.Inf(-1), uint64(0))
	c := testCodec(f)
	f.Fuzz(func(t *testing.T, s string, n int64, x float64, u uint64) {
		if math.IsNaN(x) {
			x = 0
		}
		want := map[string]any{s: []any{n, x, s, map[string]any{}}, s + "'": nil}
		frame, err := answerFrame(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		var got answer
		if err := c.decode(frame[5:], &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Value); diff != "" {
			t.Error(diff)
		}
		if frame, err = answerFrame(nil, u); err != nil {
			t.Fatal(err)
		}
		if err := c.decode(frame[5:], &got); err != nil {
			t.Fatal(err)
		}
		if i, ok := got.Value.(int64); ok != (u <= math.MaxInt64) || ok && uint64(i) != u {
			t.Errorf("%d came as %#v", u, got.Value)
		}
	})
}

func TestSizes(t *testing.T) {
	var size *sizeError
	for _, v := range []any{strings.Repeat("x", maxFrame+1),
		[]any{strings.Repeat("x", maxFrame/2), strings.Repeat("x", maxFrame/2)},
		make([]any, maxItems), make([]byte, maxFrame+1)} {
		if frame, err := answerFrame(nil, v); !errors.As(err, &size) {
			t.Errorf("%T: frame of %d bytes, error %v", v, len(frame), err)
		}
	}
	// The largest value that passes is taken by the other side.
	frame, err := answerFrame(nil, make([]any, maxItems-100))
	if err != nil {
		t.Fatal(err)
	}
	if err := testCodec(t).decode(frame[5:], &answer{}); err != nil {
		t.Error(err)
	}
}
