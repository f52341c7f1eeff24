package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each value has a name, under which it is found, and taken alone.
func TestContextNames(t *testing.T) {
	all := Context{
		Actor: "ann", AgentName: "clerk", TeamID: "shop", Tenant: "acme", SessionID: "s-1", ProjectPath: "/p",
		Workspace: "/w", Messages: []Message{{"user", "hello"}, {"tool", "40"}}, Set: map[string]any{"region": "eu"},
	}
	values := map[string]any{}
	for _, name := range append(ContextNames(), "set.region", "set.none") {
		value, ok := all.Value(name)
		if !ok {
			t.Errorf("%s: not known", name)
		}
		values[name] = value
		if none, ok := (Context{}).Value(name); !ok || none != nil && len(none.([]any)) > 0 {
			t.Errorf("%s: %v without one", name, none)
		}
	}
	hello := map[string]any{"role": "user", "text": "hello"}
	want := map[string]any{
		"actor": "ann", "agent_name": "clerk", "team_id": "shop", "tenant": "acme", "session_id": "s-1",
		"project_path": "/p", "workspace": "/w", "messages": []any{hello},
		"transcript": []any{hello, map[string]any{"role": "tool", "text": "40"}}, "set.region": "eu", "set.none": nil,
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, ok := all.Value("password"); ok {
		t.Error("a name that there is none of")
	}
	if diff := cmp.Diff(all, all.Only([]string{"set", "messages", "actor", "agent_name", "team_id", "tenant",
		"session_id", "project_path", "workspace"})); diff != "" {
		t.Errorf("all: (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(Context{Tenant: "acme"}, all.Only([]string{"tenant", "password"})); diff != "" {
		t.Errorf("one: (-want +got)\n%s", diff)
	}
	other := Context{Actor: "bob", Tenant: "acme"}
	if diff := cmp.Diff(Context{Actor: "bob", AgentName: "clerk", Tenant: "acme"},
		other.Or(Context{Actor: "ann", AgentName: "clerk", Tenant: "depot"})); diff != "" {
		t.Errorf("or: (-want +got)\n%s", diff)
	}
}
