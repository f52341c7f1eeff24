//go:build unix

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"almanac/llm/openai/openaitest"
)

func lua(script string) openaitest.Reply {
	args, _ := json.Marshal(map[string]string{"script": script})
	return openaitest.Reply{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: string(args)}}}
}

// Esc Esc goes back to before a prompt, with wrong keys on the way and in a window that is too small; the model is told
// that Lua went back, and a later session goes on from what is left.
func TestRewind(t *testing.T) {
	home := newHome(t)
	x := start(t, setup{home: home, model: []openaitest.Reply{
		lua("total = 1 return total"), {Text: "It is one."},
		lua("total = 2 return total"), {Text: "It is two."},
		lua("return total"), {Text: "It is one again.", Expect: "the developer took Lua back"},
	}})
	x.line("one")
	x.want(`It is one\.`)
	x.line("two")
	x.want(`It is two\.`)
	x.text("x")
	x.keys("Escape", "Escape")
	x.want(`ask ❯ x`) // there is something to lose
	x.keys("BSpace")
	x.want(`ask ❯\s*\n`)
	x.keys("Escape", "Escape")
	x.want(`go back to before\n`, `❯ \[2\] two`, `  \[1\] one`, `1 of 2`)
	x.text("y")
	x.keys("F4", "Left", "BSpace")
	x.want(`❯ \[2\] two`, `a word chooses nothing: an arrow, then Enter; Esc leaves`)
	x.keys("Enter")
	x.want(`❯ \[2\] two`, `an arrow, then Enter goes back`)
	x.paste("nonsense")
	x.resize(24, 6)
	x.want(`❯ \[2\] two`)
	x.wait("an arrow", func() bool { // what a busy program reads in one go with a paste belongs to it
		x.keys("Down")
		return strings.Contains(x.screen(), "❯ [1] one")
	})
	x.resize(80, 24)
	x.keys("Up", "Up", "Enter")
	x.want(`go back to before \[2\] two`, `❯ 1  the conversation and the globals`)
	x.text("9")
	x.text("2")
	x.want(`❯ 2  the conversation alone`, `an arrow, then Enter goes back`)
	x.keys("Enter")
	x.want(`❯ 2  the conversation alone`, `a word chooses nothing`)
	x.keys("Escape")
	x.want(`❯ \[2\] two`)
	x.keys("Escape")
	x.gone(`go back to before`)
	x.want(`ask ❯\s*\n`)
	x.keys("Escape", "Escape")
	x.want(`❯ \[2\] two`)
	x.keys("Enter")
	x.want(`❯ 1  the conversation and the globals`)
	x.keys("Enter")
	x.want(`back to before \[2\]; the globals are as they were`, `ask ❯ two`)
	x.text(", please")
	x.keys("Enter")
	x.want(`It is one again\.`)
	x.line("/quit")
	x.ended()

	y := open(t, setup{home: home, args: []string{"--continue"}, model: []openaitest.Reply{{Text: "As before."}}})
	y.want(`1 global from cell`)
	y.line("!total")
	y.want(`\n1\n`)
	y.line("and then?")
	y.want(`As before\.`)
	var said []string
	for _, m := range y.server.Requests()[0].Messages {
		if m.Role == "user" {
			said = append(said, m.Content)
		}
	}
	if got := strings.Join(said, "|"); got != "one|two, please|and then?" {
		t.Errorf("the conversation went on as %q", got)
	}
}
