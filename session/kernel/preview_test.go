//go:build unix

package kernel

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog/unknown"
	"almanac/session/vm"
)

// What only a real run gives goes to the machine of a preview and comes back, in calls and in what it returns.
func TestUnknownBothWays(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	id := unknown.Of("id", "demo.give")
	var back any
	h := Host{Call: func(_ context.Context, c CallRequest) (any, error) {
		if c.ID == "demo.take" {
			back = c.Args["v"]
		}
		return map[string]any{"id": id, "n": int64(1)}, nil
	}}
	s := script("local v = demo.give{}\ndemo.take{v = {v.id, v}}\nreturn {v.id}")
	s.Preview = true
	reply, err := k.Run(context.Background(), s, vm.Limits{}, h)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{id}, value(t, reply)); diff != "" {
		t.Errorf("returned: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]any{id, map[string]any{"id": id, "n": int64(1)}}, back); diff != "" {
		t.Errorf("called with: -want +got:\n%s", diff)
	}
}

// In a run that is no preview the mark breaks the protocol, in whatever frame it comes: the value would pass for one.
func FuzzUnknown(f *testing.F) {
	f.Add("<id of a.b>", false)
	f.Add("", true)
	f.Add(strings.Repeat("\xff", 70_000), true)
	c := testCodec(f)
	f.Fuzz(func(t *testing.T, text string, inside bool) {
		mark := any(unknown.Value(text))
		if inside {
			mark = []any{"x", map[string]any{text: mark}}
		}
		call, err := callFrame(nil, "a.b", 1, map[string]any{"v": mark})
		if err != nil {
			t.Fatal(err)
		}
		op, err := opFrame(nil, "call.start", []any{mark})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := c.frame(kindReply, vm.Reply{Values: []vm.Value{{Data: mark}}})
		if err != nil {
			t.Fatal(err)
		}
		for name, frame := range map[string][]byte{"call": call, "op": op, "reply": reply} {
			var asCall callRequest
			var asOp opRequest
			var asReply vm.Reply
			into := map[string]any{"call": &asCall, "op": &asOp, "reply": &asReply}[name]
			_, payload, err := newFrameReader(bytes.NewReader(frame)).next()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.decodeValues(payload, into, false); err == nil {
				t.Errorf("%s: the mark passed in a run that is no preview", name)
			}
			if err := c.decodeValues(payload, into, true); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := map[string]any{"call": asCall.Args["v"]}[name]
			switch name {
			case "op":
				got = asOp.Args[0]
			case "reply":
				got = asReply.Values[0].Data
			}
			if diff := cmp.Diff(mark, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", name, diff)
			}
		}
	})
}
