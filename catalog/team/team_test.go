package team

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/team/bus"
)

// open opens a bus of the test's own.
func open(t *testing.T) *bus.Bus {
	t.Helper()
	return openIn(t, t.TempDir())
}

// openIn opens the bus of a folder.
func openIn(t *testing.T, dir string) *bus.Bus {
	t.Helper()
	return openWith(t, bus.Options{Dir: dir})
}

func openWith(t *testing.T, o bus.Options) *bus.Bus {
	t.Helper()
	b, err := bus.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// A member is a session in a team, with what arrives there.
type member struct {
	*Team
	arrived chan Item
	said    []catalog.Message // its conversation
}

// join joins the team shop.
func join(t *testing.T, b *bus.Bus, agent string) member {
	t.Helper()
	arrived := make(chan Item, 200)
	got, err := Join(t.Context(), b, Options{
		Team: "shop", Agent: agent, Arrived: func(i Item) { arrived <- i },
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	})
	return member{Team: got, arrived: arrived}
}

// next is the next item that arrives, in a line.
func (m member) next(t *testing.T) Item {
	t.Helper()
	select {
	case i := <-m.arrived:
		return i
	case <-t.Context().Done():
		t.Fatal("nothing arrived")
	}
	return Item{}
}

// call calls an action of the team and returns its data, or the error's text.
func (m member) call(t *testing.T, id string, args map[string]any) any {
	t.Helper()
	entries := m.Entries()
	at := slices.IndexFunc(entries, func(e catalog.Entry) bool { return e.ID == id })
	if at < 0 {
		t.Fatalf("no action %s", id)
	}
	args, err := entries[at].Input.Check(args)
	if err != nil {
		return err.Error()
	}
	call := catalog.Call{ID: id, Args: args, Context: catalog.Context{Messages: m.said}}
	for _, in := range entries[at].Inject {
		value, _ := call.Context.Value(in.From)
		call = call.With(map[string]any{in.Field: value})
	}
	r, err := entries[at].Action(t.Context(), call)
	if err != nil {
		return err.Error()
	}
	return r.Data
}

func line(i Item) string {
	return fmt.Sprintf("%s %s>%s [%s] %s", i.Kind, i.From, i.To, i.Topic, i.Text)
}

func TestNames(t *testing.T) {
	b := open(t)
	for _, c := range []struct{ team, agent, want string }{
		{"shop", "ann", "ann"},
		{"shop", "ann", "ann-2"},
		{"shop", "ann", "ann-3"},
		{"depot", "ann", "ann"},
		{"shop", strings.Repeat("x", 32), strings.Repeat("x", 32)},
		{"shop", strings.Repeat("x", 32), strings.Repeat("x", 30) + "-2"},
		{"", "ann", `name "": want 1 to 32 of a to z, 0 to 9, _ and -`},
		{"shop", "Ann B.", `name "Ann B.": want 1 to 32 of a to z, 0 to 9, _ and -`},
		{"shop.*", "ann", `name "shop.*": want 1 to 32 of a to z, 0 to 9, _ and -`},
	} {
		joined, err := Join(t.Context(), b, Options{Team: c.team, Agent: c.agent})
		got := fmt.Sprint(err)
		if err == nil {
			got = joined.Agent()
			defer joined.Close()
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.team, c.agent, got, c.want)
		}
	}
}

// A session that was killed has its name again at once, with what waits for it; one that left has too.
func TestNameOfTheDead(t *testing.T) {
	b := open(t)
	bob := join(t, b, "bob")
	ann := join(t, b, "ann")
	ended := exec.Command("sleep", "0")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	ann.mu.Lock()
	ann.me.PID = ended.Process.Pid // as if it were another process, which has ended
	ann.mu.Unlock()
	if err := ann.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "map[result:sent to ann, who is not in the team now: it is kept for that name for 30 days]"
	if got := fmt.Sprint(bob.call(t, "peer.message", map[string]any{"to": "ann", "content": "there?"})); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if all, err := bob.Peers(t.Context()); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
	again := join(t, b, "ann")
	if again.Agent() != "ann" {
		t.Errorf("joined as %s", again.Agent())
	}
	if got := line(again.next(t)); got != "message bob>ann [] there?" {
		t.Error(got)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	third := join(t, b, "ann")
	if got := line(third.next(t)); third.Agent() != "ann" || got != "message bob>ann [] there?" {
		t.Error(third.Agent(), got)
	}
}

func TestMail(t *testing.T) {
	b := open(t)
	ann, bob := join(t, b, "ann"), join(t, b, "bob")
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"to": "bob", "content": "the key is hunter2\x1b[2J"}, "map[result:sent to bob]"},
		{map[string]any{"content": "lunch", "topic": "food"}, "map[result:sent to everybody: 1 other agent now]"},
		{map[string]any{"to": "bo", "content": "?"},
			"map[result:sent to bo, who is not in the team now: it is kept for that name for 30 days; did you mean bob?]"},
		{map[string]any{"to": "bob", "content": " \n"}, "argument content: want some text, got nothing"},
		{map[string]any{"to": "", "content": "?"}, "argument to: want a name, or leave it out for everybody, got nothing"},
		{map[string]any{"to": "b.>", "content": "?"}, `name "b.>": want 1 to 32 of a to z, 0 to 9, _ and -`},
		{map[string]any{"to": "ann", "content": "?"}, "ann: this session has that name itself: peer.discover lists the others"},
		{map[string]any{"to": "bob", "content": strings.Repeat("x", MaxText+1)},
			"message: text of 16385 B: want at most 16384 B: say the main points, and offload the rest with context.offload"},
	} {
		if got := fmt.Sprint(ann.call(t, "peer.message", c.args)); got != c.want {
			t.Errorf("%.100v: %s, want %s", c.args, got, c.want)
		}
	}
	for _, want := range []string{"message ann>bob [] the key is [secret]", "message ann> [food] lunch"} {
		if got := line(bob.next(t)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	unread := bob.Unread()
	if len(unread) != 2 || len(ann.Unread()) != 0 {
		t.Fatal(unread, ann.Unread())
	}
	bob.Read(unread[1].ID)
	if err := bob.Close(); err != nil {
		t.Fatal(err)
	}
	again := join(t, b, "bob")
	if got := line(again.next(t)); got != "message ann>bob [] the key is [secret]" || len(again.Unread()) != 1 {
		t.Error(got, again.Unread())
	}
	if got := again.Inbox(1); len(again.Inbox(0)) != 2 || len(got) != 1 || got[0].Topic != "food" {
		t.Error(again.Inbox(0), got)
	}
}

// A flood is refused, and what others have sent stays; what is read makes room.
func TestFlood(t *testing.T) {
	b := open(t)
	ann, bob, eve := join(t, b, "ann"), join(t, b, "bob"), join(t, b, "eve")
	send := func(m member, to, s string) error {
		return m.Send(t.Context(), Item{Kind: Message, To: to, Text: s})
	}
	if err := send(bob, "ann", "first"); err != nil {
		t.Fatal(err)
	}
	for i := range maxFromOne {
		if err := send(eve, "ann", fmt.Sprint(i)); err != nil {
			t.Fatal(i, err)
		}
	}
	want := "ann: 100 items of yours are there and most of them unread: wait until it has read some"
	if err := send(eve, "ann", "more"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := send(bob, "ann", "second"); err != nil {
		t.Error(err)
	}
	var got []string
	for range maxFromOne + 2 {
		i := ann.next(t)
		got = append(got, i.Text)
		ann.Read(i.ID)
	}
	if got[0] != "first" || got[len(got)-1] != "second" {
		t.Error(got)
	}
	if err := ann.writeMark(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := send(eve, "ann", "room"); err != nil {
		t.Error(err)
	}
	if all := ann.Inbox(0); len(all) > 2+keptRead+1 {
		t.Error(len(all), "items are kept")
	}
	for i := range maxFromOne + 1 { // for everybody the sender's own oldest go
		if err := send(eve, "", fmt.Sprint(i)); err != nil {
			t.Fatal(i, err)
		}
	}
}

// What is no item is counted and does no harm.
func TestMalformed(t *testing.T) {
	b := open(t)
	ann := join(t, b, "ann")
	send := func(from, raw string) {
		if _, err := b.JetStream().Publish(t.Context(), ann.mailSubject("ann", from), []byte(raw)); err != nil {
			t.Fatal(err)
		}
	}
	for _, raw := range []string{
		"", "null", "[]", `{"kind":"order","text":"x"}`, `{"kind":"message","text":7}`, "\xff\xfe",
		`{"kind":"message","text":"` + strings.Repeat("x", MaxText+1) + `"}`,
	} {
		send("eve", raw)
	}
	send("Eve!", `{"kind":"message","text":"x"}`)
	send("eve", `{"kind":"message","text":"fine \u202e\u001b]0;x\u0007","From":"bob"}`)
	if got := ann.next(t); line(got) != "message eve>ann [] fine" || ann.Skipped() != 8 {
		t.Errorf("%q, %d skipped", line(got), ann.Skipped())
	}
}

func TestPeers(t *testing.T) {
	b := open(t)
	ann := join(t, b, "ann")
	bob, err := Join(t.Context(), b, Options{Team: "shop", Agent: "bob", Roles: []string{"reviewer"}, Parent: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	bob.Doing("reading\nthe diff")
	if err := bob.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := func() (all string) {
		peers, err := ann.Peers(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range peers {
			all += fmt.Sprintf("%s %s of %q %q %v\n", p.Name, p.Role, p.Parent, p.Doing, p.You)
		}
		return all
	}
	const alone = "ann  of \"\" \"\" true\n"
	listed := func(want string) { // others hear of a member soon, not at once
		for end := time.Now().Add(20 * time.Second); !strings.Contains(list(), want); {
			if time.Now().After(end) {
				t.Fatal(list())
			}
		}
	}
	listed(alone + "bob reviewer of \"ann\" \"reading the diff\" false\n")
	bob.SetRoles([]string{"clerk", "reviewer"})
	listed("bob clerk and reviewer of")
	found, _ := ann.call(t, "peer.discover", map[string]any{"role": "reviewer"}).([]any)
	if len(found) != 1 || found[0].(map[string]any)["name"] != "bob" {
		t.Error(found)
	}
	if err := bob.Close(); err != nil {
		t.Fatal(err)
	}
	if got := list(); got != alone {
		t.Error(got)
	}
}
