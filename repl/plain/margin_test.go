package plain

import (
	"context"
	"strings"
	"testing"

	"almanac/repl/event"
	"almanac/session"
	"almanac/session/vm"
)

// In line mode, too, every line that a script of the model's prints has a margin, in whatever pieces it comes.
func TestMargin(t *testing.T) {
	var out strings.Builder
	p := &plain{out: &out}
	for _, text := range []string{"approve? billing.refund.issue\n  ✓ billing", ".refund.issue\n", "\n", "end"} {
		p.show(context.Background(), func() {},
			[]event.Event{{Kind: event.Printed, Stream: vm.Stdout, Author: session.Model, Text: text}})
	}
	p.show(context.Background(), func() {}, []event.Event{{Kind: event.Said, Text: "said"}})
	p.show(context.Background(), func() {},
		[]event.Event{{Kind: event.Printed, Stream: vm.Stdout, Author: session.User, Text: "mine\n"}})
	want := "┊ approve? billing.refund.issue\n┊   ✓ billing.refund.issue\n┊ \n┊ end\nsaid\nmine\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
