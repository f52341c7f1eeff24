//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"almanac/catalog/regular"
	"almanac/llm/openai/openaitest"
)

// calling is a script of the model's that names the actions it calls.
func calling(script string, ids ...string) openaitest.Reply {
	args, _ := json.Marshal(map[string]any{"script": script, "actions": ids})
	return openaitest.Reply{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: string(args)}}}
}

// Three sessions of a team, two people and one prompt without a person, divide a job: what arrives is a line that tears
// no other, the model reads it with the next prompt, and what nobody has read is there at the next start.
func TestTeam(t *testing.T) {
	home := newHome(t)
	args := []string{"--team", "shop", "--allow", "peer.*"}
	ann := start(t, setup{home: home, args: args, width: 90, height: 24, model: []openaitest.Reply{
		{Text: "The first line of it.\nThe second line.", Delay: 300 * time.Millisecond,
			Expect: "> which invoices are overdue?"},
		calling(`return peer.task.create{title = "list the overdue invoices"}`, "peer.task.create"), {Text: "Carl can take it."},
	}})
	ann.want(`team shop as ann`)
	bo := open(t, setup{home: home, args: args, env: []string{"USER=bo"}})
	bo.want(`team shop as bo`)
	bo.line(`peer.ask{question = "which invoices are overdue?", target = "ann"}`)
	ann.want(`┊ bo asks: which invoices are overdue\? · /inbox 1 answer`, `team shop as ann, 1 unread`)

	ann.line("what is there to do?")
	ann.want(`the model also reads 1 item of the inbox`, `The first`)
	bo.line(`peer.message{to = "ann", content = "it is for the letter of today"}`)
	ann.want(`The first line of it\.`, `The second line\.`, `┊ bo writes: it is for the letter of today`)
	ann.idle()
	ann.want(`team shop as ann, 1 unread`)

	ann.line("who does it?")
	ann.want(`Carl can take it\.`)
	ann.line("/tasks")
	ann.want(`open\s+list the overdue invoices`)
	carl := open(t, setup{home: home, env: []string{"USER=carl"}, first: `RC=0`, width: 100, height: 24,
		args: append(args, "--catalog", "demo", "-p", "take a task"),
		model: []openaitest.Reply{
			calling(`local t = peer.task.take()
peer.message{to = "bo", content = "I " .. t.title} return t`, "peer.task.take", "peer.message"),
			{Text: "I have it."},
		}})
	carl.want(`I have it\.`)
	bo.want(`┊ carl writes: I list the overdue invoices`)
	bo.line("/inbox")
	bo.want(`carl writes: I list the overdue invoices`)
	bo.line("/quit")
	bo.want(`RC=0`)
	ann.line(`!peer.message{to = "bo", content = "thanks"}`)
	ann.want(`who is not in the team now`)
	bo = open(t, setup{home: home, args: args, env: []string{"USER=bo"}})
	bo.want(`inbox: 2 unread, /inbox`)
}

// Ctrl+Z in the session that runs the bus takes it from nobody: another one runs it until the first goes on, and then.
func TestTeamStopped(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	home := newHome(t)
	ann := start(t, setup{home: home})
	ann.tmux("respawn-pane", "-k", "-t", "s",
		"env -i PS1='shell: ' HISTFILE= HOME="+home+" TERM=xterm-256color PATH=$PATH LANG=C.UTF-8 bash --norc -i")
	ann.want("^shell:")
	ann.line(suite.program + " --team shop --context-agent-name ann")
	ann.want("team shop as ann")
	bo := open(t, setup{home: home, args: []string{"--team", "shop", "--context-agent-name", "bo", "--allow", "peer.*"}})
	bo.want("team shop as bo")
	ann.keys("C-z")
	ann.want("Stopped")
	bo.line(`print(peer.message{to = "ann", content = "are you there?"}.result)`)
	bo.want("sent to ann")
	ann.keys("C-l")
	ann.line("fg")
	ann.want("bo writes: are you there")
}

// Who joins when nothing else happens any more is seen to have joined.
func TestLateTeam(t *testing.T) {
	home := newHome(t)
	bus := filepath.Join(home, ".local/share/almanac/bus")
	if err := os.MkdirAll(bus, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(filepath.Join(bus, "lock")) // as another program that does not answer yet
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if held, err := regular.TryLock(lock); !held {
		t.Fatal(err)
	}
	args := []string{"--team", "shop", "--context-agent-name", "ann"}
	ann := start(t, setup{home: home, args: args, width: 90, height: 24})
	ann.want(`team: not connected`)
	time.Sleep(time.Second) // the screen stands still
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	ann.want(`team shop as ann`)
}
