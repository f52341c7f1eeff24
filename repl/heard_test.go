package repl

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/llm"
)

// Of a script that keeps a part of the conversation only that is left out.
func TestMatter(t *testing.T) {
	for _, c := range []struct{ tool, script, want string }{
		{"lua_tools_execute", `return context.offload{topic = "refunds"}`, ``},
		{"lua_tools_execute", `print(context.offload{topic = "refunds (of {1})"}.keeper_id);`, ``},
		{"lua_tools_execute", "-- keep it\nreturn call('context_offload', {topic = \"refunds\"}).result", ``},
		{"lua_tools_execute", `context.offload{topic = "refunds", message_count = #{1, 2}} return crm.customer.list{}`,
			`context.offload{…} return crm.customer.list{}`},
		{"lua_tools_execute", `local n = #crm.customer.list{} local k = context.offload({topic = "n"}).keeper_id return n, k`,
			`local n = #crm.customer.list{} local k = context.offload{…}.keeper_id return n, k`},
		{"lua_tools_execute", `context_offload{topic = "a"} context.offload{topic = "b"} return 40 * 3`,
			`context_offload{…} context.offload{…} return 40 * 3`},
		{"lua_tools_execute", `return help(context.offload)`, `return help(context.offload)`},
		{"lua_tools_execute", `return "context.offload"`, `return "context.offload"`},
		{"lua_tools_execute", `return context.offload{topic = `, ``},
		{"lua_tools_execute", `return context.offload`, `return context.offload`},
		{"lua_tools_execute", `return 1`, `return 1`},
		{"lua_tools_execute", ``, `lua_tools_execute`},
		{"lua_tools_describe", `crm.customer.list`, ``},
		{"lua_tools_query", `return catalog.search("keep")`, ``},
		{"context_offload", ``, ``},
		{"crm_customer_list", ``, `crm_customer_list`},
	} {
		if got := matter(c.tool, c.script); got != c.want {
			t.Errorf("%s %s:\n%q\nwant %q", c.tool, c.script, got, c.want)
		}
	}
}

// The answer of a call is heard where the call is.
func TestHeard(t *testing.T) {
	call := func(id, script string) llm.ToolCall {
		raw, err := json.Marshal(map[string]string{"script": script})
		if err != nil {
			t.Fatal(err)
		}
		return llm.ToolCall{ID: id, Name: "lua_tools_execute", Args: raw}
	}
	got := heard([]llm.Message{
		{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "How many?"},
		{Role: llm.Assistant, Calls: []llm.ToolCall{
			call("1", `context.offload{topic = "numbers"} return #crm.customer.list{}`),
			call("2", `return context.offload{topic = "numbers"}`),
		}},
		{Role: llm.ToolRole, CallID: "1", Text: "40"}, {Role: llm.ToolRole, CallID: "2", Text: "keeper numbers-abcd"},
		{Role: llm.Assistant, Text: "40."},
	})
	want := []catalog.Message{
		{Role: "user", Text: "How many?"},
		{Role: "call", Text: "context.offload{…} return #crm.customer.list{}"},
		{Role: "tool", Text: "40"},
		{Role: "assistant", Text: "40."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
