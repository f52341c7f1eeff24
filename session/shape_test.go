package session

import (
	"fmt"
	"strings"
	"testing"

	"almanac/session/vm"
)

// Records take the order of the action that declares all their fields and the fewest others, the last called of
// several.
func TestArrange(t *testing.T) {
	w := &world{shapes: []shape{
		{"invoice.list", strings.Fields("id status amount due")},
		{"customer.list", strings.Fields("name id")},
		{"invoice.get", strings.Fields("due amount id status lines")},
		{"order.list", strings.Fields("status id amount due")},
	}}
	record := func(fields string) any {
		r := map[string]any{}
		for _, name := range strings.Fields(fields) {
			r[name] = 1
		}
		return r
	}
	for _, test := range []struct {
		data any
		want string
	}{
		{record("id name"), "name id"},
		{[]any{record("id amount"), record("id due")}, "status id amount due"},
		{record("lines id"), "due amount id status lines"},
		{record("id other"), ""},
		{record("id"), ""},
		{[]any{record("id name"), "text"}, ""},
		{"text", ""},
		{nil, ""},
	} {
		values := []vm.Value{{Data: test.data}}
		w.arrange(values)
		if got := strings.Join(values[0].Fields, " "); got != test.want {
			t.Errorf("%s: %s, want %s", fmt.Sprint(test.data), got, test.want)
		}
	}
}
