package session

import (
	"errors"
	"strings"
	"testing"

	"almanac/catalog"
)

// What the host fills in nobody else sends, neither beside it nor inside of another argument.
func TestInjectedNamesAreRefused(t *testing.T) {
	entry := &catalog.Entry{ID: "a.b", Inject: []catalog.Injection{{Field: "tenant_id", From: "tenant"}}}
	type table = map[string]any
	for _, c := range []struct {
		field string
		args  table
	}{
		{"tenant_id", table{"tenant_id": "evil"}},
		{"tenant_id", table{"tenant_id": nil}},
		{"Tenant_ID", table{"Tenant_ID": "evil"}},
		{"body.tenant_id", table{"n": 1, "body": table{"tenant_id": "evil"}}},
		{"filter.tenant_id[]", table{"filter": table{"tenant_id[]": "evil"}}},
		{"filter. tenant.id", table{"filter": table{" tenant.id": "evil"}}},
		{"rows[2].at.tenant_id", table{"rows": []any{table{"n": 1}, table{"at": table{"tenant_id": "evil"}}}}},
		{"", table{"n": 1, "text": "tenant_id", "tenant": "x", "filter": table{"tenant_ids": "x"}}},
	} {
		err := checkInjected(entry, c.args)
		var wrong *catalog.ArgError
		switch {
		case c.field == "" && err != nil:
			t.Errorf("%v: %v", c.args, err)
		case c.field != "" && (!errors.As(err, &wrong) || wrong.Field != c.field):
			t.Errorf("%v: got %v, want %s refused", c.args, err, c.field)
		}
	}
}

// The conversation as an argument: the newest messages that fit a result, without secrets.
func TestMessagesAreFilledIn(t *testing.T) {
	b := newBench(t, func(o *Options) { o.UserBudget.Result = 2048 })
	b.openDesk()
	said := []catalog.Message{
		{Role: "user", Text: strings.Repeat("x", 3000)}, {Role: "assistant", Text: "the password?"},
		{Role: "call", Text: "desk.show()"}, {Role: "tool", Text: "hunter2 is the password"},
		{Role: "user", Text: "the password is hunter2"},
	}
	b.session.SetMessages(func() []catalog.Message { return said })
	out := b.run(User, "return json.encode(desk.peer{}.heard)")
	want := `[{"role":"assistant","text":"the password?"},{"role":"user","text":"the password is [redacted]"}]`
	if out.Err != nil || out.Values[0].Data != want {
		t.Error(show(out))
	}
}
