package team

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"almanac/catalog/team/bus"
)

// A name that is new in the team gets nothing that everybody was sent before; one that was away does, and what was sent
// to a name waits for it. A name with a number is new each time.
func TestNewcomers(t *testing.T) {
	b := open(t)
	ann, bob := join(t, b, "ann"), join(t, b, "bob")
	send := func(to, s string) {
		t.Helper()
		if err := ann.Send(t.Context(), Item{Kind: Message, To: to, Text: s}); err != nil {
			t.Fatal(err)
		}
	}
	gets := func(m member, want ...string) {
		t.Helper()
		if err := m.fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range m.Unread() {
			got = append(got, i.Text)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s gets %v, want %v", m.Agent(), got, want)
		}
	}
	leave := func(m member) {
		t.Helper()
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	send("", "one")
	send("cy", "hello")
	gets(bob, "one")
	cy, second := join(t, b, "cy"), join(t, b, "bob")
	gets(cy, "hello")
	gets(second)
	send("", "two")
	gets(cy, "hello", "two")
	gets(second, "two")
	leave(cy)
	leave(second)
	send("", "three")
	gets(join(t, b, "cy"), "hello", "two", "three")
	gets(join(t, b, "bob")) // bob-2 again, and another session
	leave(bob)
	gets(join(t, b, "bob"), "one", "two", "three")
}

// The numbers of an inbox are its own and stay, also when items go and the session starts again.
func TestNumbers(t *testing.T) {
	b := open(t)
	ann, bob, cy := join(t, b, "ann"), join(t, b, "bob"), join(t, b, "cy")
	send := func(m member, to, s string) {
		t.Helper()
		if err := m.Send(t.Context(), Item{Kind: Message, To: to, Text: s}); err != nil {
			t.Fatal(err)
		}
	}
	numbers := func(m member, want string) {
		t.Helper()
		if err := m.fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, i := range m.Inbox(3) {
			got += fmt.Sprint(i.Number, " ", i.Text, ", ")
		}
		if got != want {
			t.Errorf("%s has %s want %s", m.Agent(), got, want)
		}
	}
	send(ann, "bob", "for bob")
	send(ann, "", "for all")
	send(ann, "cy", "for cy")
	numbers(cy, "2 for cy, 1 for all, ")
	for i := range keptRead + 3 {
		send(bob, "cy", fmt.Sprint(i))
	}
	numbers(cy, "25 22, 24 21, 23 20, ")
	for _, i := range cy.Unread() {
		cy.Read(i.ID)
	}
	if err := cy.writeMark(t.Context()); err != nil {
		t.Fatal(err)
	}
	numbers(cy, "25 22, 24 21, 23 20, ")
	if n := len(cy.Inbox(0)); n != keptRead+2 {
		t.Error(n, "items are left")
	}
	if err := cy.Close(); err != nil {
		t.Fatal(err)
	}
	send(ann, "cy", "later")
	numbers(join(t, b, "cy"), "26 later, 25 22, 24 21, ")
}

// What the person has opened is not unread, and waits for the model, also when the session starts again.
func TestSeen(t *testing.T) {
	b := open(t)
	ann, bob := join(t, b, "ann"), join(t, b, "bob")
	for _, s := range []string{"one", "two"} {
		if err := ann.Send(t.Context(), Item{Kind: Message, To: "bob", Text: s}); err != nil {
			t.Fatal(err)
		}
		bob.next(t)
	}
	bob.Seen(bob.Unread()[0].ID)
	has := func(unread, pending int) {
		t.Helper()
		p := bob.Pending()
		if len(bob.Unread()) != unread || len(p) != pending || !p[0].Seen {
			t.Error(bob.Unread(), p)
		}
	}
	has(1, 2)
	if err := bob.Close(); err != nil {
		t.Fatal(err)
	}
	bob = join(t, b, "bob")
	if got := bob.next(t); got.Text != "two" {
		t.Error(got)
	}
	has(1, 2)
	bob.Read(bob.Pending()[1].ID)
	has(0, 1)
	bob.Read(bob.Pending()[0].ID)
	if got := bob.Pending(); len(got) > 0 {
		t.Error(got)
	}
}

// Data that was damaged on the disk is told of once, and what stands before the damage is there. What comes after is
// new, also where it takes the places of what was read and lost.
func TestDamagedMail(t *testing.T) {
	t.Run("all read", func(t *testing.T) { damageMail(t, func(int) bool { return true }, "new") })
	t.Run("one unread", func(t *testing.T) { damageMail(t, func(n int) bool { return n != 10 }, "message 10", "new") })
}

// damageMail damages mail of which the messages that read chooses were read, and wants those unread.
func damageMail(t *testing.T, read func(n int) bool, want ...string) {
	dir := t.TempDir()
	var told []bus.State
	within := func(name string, f func(t *testing.T, b *bus.Bus)) {
		t.Run(name, func(t *testing.T) {
			f(t, openWith(t, bus.Options{Dir: dir, State: func(s bus.State) { told = append(told, s) }}))
		})
	}
	within("before", func(t *testing.T, b *bus.Bus) {
		ann, bob := join(t, b, "ann"), join(t, b, "bob")
		for i := range 50 {
			if err := ann.Send(t.Context(), Item{Kind: Message, To: "bob", Text: fmt.Sprintf("message %d", i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := bob.fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		for n, i := range bob.Unread() {
			if read(n) {
				bob.Read(i.ID)
			}
		}
	})
	const stream = "almanac_shop_mail"
	blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "*", "streams", stream, "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("blocks %q, %v", blocks, err)
	}
	data, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	copy(data[len(data)/2:], strings.Repeat("\xA7", 40))
	if err := os.WriteFile(blocks[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	within("after", func(t *testing.T, b *bus.Bus) {
		ann, bob := join(t, b, "ann"), join(t, b, "bob")
		if err := ann.Send(t.Context(), Item{Kind: Message, To: "bob", Text: "new"}); err != nil {
			t.Fatal(err)
		}
		if err := bob.fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range bob.Unread() {
			got = append(got, i.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("unread: %q", got)
		}
	})
	within("again", func(*testing.T, *bus.Bus) {}) // nothing is damaged any more
	damaged := bus.State{Connected: true, Damage: true, Text: "team bus: data of " + stream + " in " + dir +
		" was damaged: what cannot be read is lost, the rest is there"}
	if !slices.Equal(told, []bus.State{damaged}) {
		t.Errorf("told %+v", told)
	}
}

// A stream that has lost its end, as that of a server elsewhere may, gives places again that were read.
func TestCut(t *testing.T) {
	m := mark{UpTo: 30, Also: []uint64{27, 33}, Seen: []uint64{26, 32}, Joined: 29, Numbers: []uint64{27, 31, 32}}
	m.cut(28)
	want := mark{UpTo: 28, Also: []uint64{27}, Seen: []uint64{26}, Joined: 28, Numbers: []uint64{27}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("%+v\nwant %+v", m, want)
	}
}
