package vm

import (
	"strings"
	"testing"

	"almanac/catalog/unknown"
)

// In a preview a value that only a real run gives can be kept, passed on, returned, shown and put together with text.
// Anything that would need it says which value it is.
func TestUnknown(t *testing.T) {
	const why = "<id of test.make> " + unknown.Why
	for _, test := range []struct{ source, want string }{
		{"return r.id", "<id of test.make>"},
		{"return r", "{ id = <id of test.make>, kind = \"made\", list = <list of test.make> }"},
		{"return type(r.id), type(tostring(r.id)), type('x' .. r.id), r.id and 1 or 2, not r.id, r.id ~= nil, r.kind",
			`"unknown" "unknown" "unknown" 1 false true "made"`},
		{"return r.id .. '!', 1 .. r.id .. r.id", "<id of test.make>! 1<id of test.make><id of test.make>"},
		{"return ('%5s|%d'):format('x', r.id), table.concat({'a', r.id}, '-'), json.encode{r.id}",
			`    x|<id of test.make> a-<id of test.make> ["<id of test.make>"]`},
		{"print(r.id, {r.id}) io.write(r.id, '\\n')",
			"<id of test.make>\t{ <id of test.make> }\n<id of test.make>\n"},
		{"return r.list[1].name, r.list.x", "<list[1].name of test.make> <list.x of test.make>"},
		{"keep = {[r.id] = 1, x = r.id} return keep.x == r.id, rawequal(keep.x, r.id), keep[r.id]", "true true 1"},
		{"return test.echo{v = {r.id}, w = 'a' .. r.id}", "{ v = { <id of test.make> }, w = a<id of test.make> }"},
		{"return parallel({1, 2}, function(n) return test.echo{v = r.id, n = n}.v end)",
			"{ <id of test.make>, <id of test.make> }"},
		{"return r.id + 1", why}, {"return 1 - r.id", why}, {"return -r.id", why}, {"return r.id % 2", why},
		{"return r.id // 2", why}, {"return r.id & 1", why}, {"return ~r.id", why}, {"return r.id ^ 2", why},
		{"return 9007199254740993 + r.id", why}, {"return r.id * 9007199254740993", why},
		{"return r.id < 1", why}, {"return 'a' >= r.id", why}, {"return 9007199254740993 < r.id", why},
		{"return r.id == 1", why}, {"return r.id ~= 'x'", why}, {"return r.id == r.kind", why},
		{"return r.id == r.list", why}, {"return r.id == 9007199254740993", why},
		{"local function f(v) return v.id == 'x' end return f(r)", why},
		{"return #r.id", why}, {"for k in pairs(r.id) do end", why}, {"for i in ipairs(r.id) do end", why},
		{"return r.id.x.y()", "<id.x.y of test.make> " + unknown.Why}, {"r.id.x = 1", why},
		{"return r.id:upper()", "<id.upper of test.make> " + unknown.Why}, {"return ('x' .. r.id).y", "x" + why},
		{"return ('x'):rep(r.id)", why}, {"return string.upper(r.id)", why}, {"return math.max(1, r.id)", why},
		{"return tonumber(r.id)", why}, {"return table.concat(r.id)", why}, {"return ('x'):sub(r.id)", why},
		{"return ('%d'):rep(2, r.id)", why}, {"table.sort{r.id, 1}", why}, {"return r.list[r.id]", why},
		{"return test.echo(r.id)", `{ ["\0alone"] = <id of test.make> }`}, // a lone argument may be one
		{"return pcall(function() return r.id + 1 end)", "false \"test:1: " + why + "\""},
	} {
		m := newRig(t, Limits{})
		m.outside.Call = func(id string, args map[string]any, _ int) (any, error) {
			if id == "test.make" {
				return map[string]any{"id": unknown.Of("id", id), "list": unknown.Of("list", id), "kind": "made"}, nil
			}
			return args, nil
		}
		m.outside.Op = parallelOps(t, m)
		reply := m.Run(Script{Source: "local r = test.make{} " + test.source, Name: "test", Surface: Execute,
			Roots: []string{"test"}, Preview: true})
		got := m.printed[Stdout]
		if reply.Err != nil {
			got = reply.Err.Message
			if reply.Err.Line != 1 {
				t.Errorf("%s: line %d", test.source, reply.Err.Line)
			}
		}
		var values []string
		for _, v := range reply.Values {
			values = append(values, v.Repr)
		}
		if got += strings.Join(values, " "); got != test.want && !(reply.Err != nil && strings.HasSuffix(got, test.want)) {
			t.Errorf("%s:\n got %s\nwant %s", test.source, got, test.want)
		}
	}
}

// parallelOps starts calls and answers them at once, in order.
func parallelOps(t *testing.T, m *rig) func(name string, args []any) (any, error) {
	var answers []any
	started := int64(0)
	return func(name string, args []any) (any, error) {
		switch name {
		case "call.start":
			given, _ := args[1].(map[string]any)
			answer, err := m.outside.Call(args[0].(string), given, 0)
			if err != nil {
				t.Fatal(err)
			}
			started++
			answers = append(answers, map[string]any{"ticket": started, "data": answer})
			return started, nil
		case "call.wait":
			answer := answers[0]
			answers = answers[1:]
			return answer, nil
		}
		return nil, nil
	}
}
