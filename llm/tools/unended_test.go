package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/session/trace"
)

func TestUnended(t *testing.T) {
	write := func(id, body string, v trace.Verdict) trace.Call {
		return trace.Call{ID: id, Mutates: true, Verdict: v, Args: map[string]any{"body": body}}
	}
	const lost = "no answer: the program ended while this ran; its result is lost\n"
	for _, c := range []struct {
		name         string
		ended, begun []trace.Call
		want         string
	}{
		{"nothing", nil, nil, lost + "no call of it changed data"},
		{"reads", []trace.Call{{ID: "a.get", Verdict: trace.OK}}, nil, lost + "no call of it changed data"},
		{"a preview", []trace.Call{write("a.b", "x", trace.Planned)}, nil, lost + "no call of it changed data"},
		{"a question", []trace.Call{write("a.b", "x", trace.OK), write("a.c", "y", trace.Interrupted)}, nil, lost +
			"  a.b({ body = \"x\" }): ok, changed data\n  a.c: not made\n" + notAgain},
		{"a write", []trace.Call{write("a.b", "x", trace.OK)}, []trace.Call{write("a.c", "y", "")}, lost +
			"  a.b({ body = \"x\" }): ok, changed data\n  a.c({ body = \"y\" }): may or may not have happened\n" +
			notAgain + ", nor those that may have happened before you have looked"},
	} {
		if diff := cmp.Diff(c.want, Unended(c.ended, c.begun)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
	var many []trace.Call
	for i := range 5000 {
		many = append(many, write(fmt.Sprintf("a.b%d", i%40), strings.Repeat("x", 4000), trace.OK))
	}
	text := Unended(many, many)
	if len(text) > 16<<10 || !strings.Contains(text, "further: a.b20: ok, changed data, ") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
}
