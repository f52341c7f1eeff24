package input

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, line string
		mode       Mode
		want       Input
	}{
		{"blank", " \n\t", LuaMode, Input{}},
		{"lua", "x = 1", LuaMode, Input{Form: Lua, Text: "x = 1"}},
		{"lua keeps its columns", "  x = 1 ", LuaMode, Input{Form: Lua, Text: "  x = 1"}},
		{"line ends", "a()\r\nb()\rc()", LuaMode, Input{Form: Lua, Text: "a()\nb()\nc()"}},
		{"an expression of older shells", "  = 1+1", LuaMode, Input{Form: Lua, Text: "    1+1"}},
		{"a sign alone", "=", LuaMode, Input{}},
		{"words", "who owes most?", AskMode, Input{Form: Words, Text: "who owes most?"}},
		{"a lone word is for the model", "really?", AskMode, Input{Form: Words, Text: "really?"}},
		{"ask once", "? who owes most", LuaMode, Input{Form: Words, Text: "who owes most"}},
		{"ask from ask", "?who", AskMode, Input{Form: Words, Text: "who"}},
		{"lua once", "!1+1", AskMode, Input{Form: Lua, Text: "1+1", Bang: true}},
		{"nothing once", "!", AskMode, Input{}},
		{"help", "?", LuaMode, Input{Form: Command, Name: "help"}},
		{"slash", "/", AskMode, Input{Form: Command, Name: "help"}},
		{"command", "/lua reset", AskMode, Input{Form: Command, Name: "lua", Text: "reset"}},
		{"command with code", "/preview\nx = 1\ny = 2", LuaMode, Input{Form: Command, Name: "preview", Text: "x = 1\ny = 2"}},
		{"command after blanks", "  /vars", LuaMode, Input{Form: Command, Name: "vars"}},
		{"question", "billing.refund.issue?", LuaMode, Input{Form: Question, Text: "billing.refund.issue"}},
		{"full question", "billing.refund.issue??", AskMode, Input{Form: Question, Text: "billing.refund.issue", Full: true}},
		{"a name's question", "x?", LuaMode, Input{Form: Question, Text: "x"}},
		{"not a question", `s = "a?"`, LuaMode, Input{Form: Lua, Text: `s = "a?"`}},
		{"a comment", "--why?", LuaMode, Input{Form: Lua, Text: "--why?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Parse(c.line, c.mode)); diff != "" {
				t.Errorf("Parse(%q), -want +got:\n%s", c.line, diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"x = 1", "?hi", "!1", "/lua reset", "a.b??", "", "/", "??", " ?\n?"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, line string, lua bool) {
		mode := AskMode
		if lua {
			mode = LuaMode
		}
		in := Parse(line, mode)
		if in.Form == Nothing && in.Text+in.Name != "" {
			t.Errorf("Parse(%q) = %+v: nothing with something in it", line, in)
		}
		if strings.Contains(in.Text, "\r") {
			t.Errorf("Parse(%q) keeps a carriage return", line)
		}
		if (in.Form == Words || in.Form == Lua) && strings.TrimSpace(in.Text) == "" {
			t.Errorf("Parse(%q) = %+v: blank", line, in)
		}
	})
}
