package team

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog"
	"almanac/catalog/team/bus"
	"almanac/catalog/team/keeper"
)

// saying are messages, each with its role before a colon.
func saying(lines ...string) (all []catalog.Message) {
	for _, line := range lines {
		role, words, _ := strings.Cut(line, ": ")
		all = append(all, catalog.Message{Role: role, Text: words})
	}
	return all
}

// What one session keeps another finds.
func TestKeepers(t *testing.T) {
	b := open(t)
	ann, bob := join(t, b, "ann"), join(t, b, "bob")
	const id = "refund-rules-xahi"
	summary := func(written string, err error) func(context.Context, string, []keeper.Passage) (string, error) {
		return func(context.Context, string, []keeper.Passage) (string, error) { return written, err }
	}
	said := saying("user: Within how many days may a customer send goods back?",
		"assistant: Goods may be returned within 30 days, 60 in December. The key is hunter2.",
		"user: And who pays the shipping of a return?",
		"assistant: We pay the shipping when the parcel was damaged; otherwise the customer does.")
	passages := "[" + id + "#3] refund rules, kept by ann\nuser: And who pays the shipping of a return?\nassistant: We pay the " +
		"shipping when the parcel was damaged; otherwise the customer does."
	kept := false
	type table = map[string]any
	asked := table{"query": "Who pays for shipping a return?"}
	for _, c := range []struct {
		who  *member
		id   string
		args table
		want string
		said []catalog.Message
		sum  func(context.Context, string, []keeper.Passage) (string, error)
	}{
		{who: &bob, id: "context.keepers", want: "[]"},
		{who: &bob, id: "context.retrieve", args: table{"query": "refunds"}, want: "map[found:false mode:raw result:" +
			"nothing is kept in this team yet; context.offload keeps a part of a conversation]"},
		{who: &ann, id: "context.offload", args: table{"topic": "refunds"}, want: "context.offload: this session has no " +
			"conversation to keep a part of"},
		{who: &ann, id: "context.offload", args: table{"topic": "refund rules"}, said: said, want: "keeper " + id +
			" holds messages 1 to 4 of 4"},
		{who: &ann, id: "context.offload", args: table{"topic": "refund rules"}, said: said, want: "keeper " + id},
		{who: &bob, id: "context.retrieve", args: asked, want: passages},
		{who: &bob, id: "context.retrieve", args: table{"query": "Who pays for shipping a return?", "keeper_id": id},
			want: passages},
		{who: &bob, id: "context.retrieve", args: table{"query": "december"}, want: "[" + id +
			"#2] refund rules, kept by ann\nassistant: Goods may be returned within 30 days, 60 in December. The key is [secret]."},
		{who: &bob, id: "context.retrieve", args: table{"query": "weather"},
			want: `nothing kept about "weather"; 1 keeper: ` +
				"refund rules (" + id + ")"},
		{who: &bob, id: "context.retrieve", args: table{"query": "x", "mode": "clever"},
			want: "argument mode: want smart or raw, got clever"},
		{who: &bob, id: "context.retrieve", args: table{"query": "x", "keeper_id": "refund-rules"}, want: `keeper ` +
			`"refund-rules": there is none; did you mean ` + id + "?"},
		{who: &bob, id: "context.search", args: table{"query": "december", "limit": 1}, want: "keeper_id:" + id},
		{who: &bob, id: "context.search", args: table{"query": "december", "limit": 51},
			want: "argument limit: want 1 to 50"},
		{who: &bob, id: "context.keepers", args: table{"topic": "refund"}, want: "from:ann keeper_id:" + id + " messages:4"},
		{who: &bob, id: "context.keepers", args: table{"topic": "weather"}, want: "[]"},

		{who: &bob, id: "context.retrieve", args: asked,
			sum:  summary("We do, if it was damaged ["+id+"#4], as Petra says ["+id+"#9] [other#1].", nil),
			want: "We do, if it was damaged [" + id + "#4], as Petra says.\n\n[" + id + "#4] refund rules, kept by ann"},
		{who: &bob, id: "context.retrieve", args: asked,
			sum: summary("Nobody [other#1].", nil), want: passages + "\n\n(no summary: the model's cited none of the passages)"},
		{who: &bob, id: "context.retrieve", args: asked,
			sum: summary("", errors.New("model: out of tokens")), want: passages + "\n\n(no summary: model: out of tokens)"},
		{who: &bob, id: "context.retrieve", args: asked, sum: summary("", nil),
			want: passages},
	} {
		c.who.said, c.who.options.Summarise = c.said, c.sum
		for c.who == &bob && kept && len(bob.Keepers(t.Context())) == 0 {
			time.Sleep(time.Millisecond) // it comes in a moment
		}
		if got := fmt.Sprint(c.who.call(t, c.id, c.args)); !strings.Contains(got, c.want) {
			t.Errorf("%s %v\n%s\nwant\n%s", c.id, c.args, got, c.want)
		}
		kept = kept || c.id == "context.offload" && c.said != nil
	}
	got, from := bob.Enrich(t.Context(), "Who pays for shipping a return?")
	if !strings.HasPrefix(got, passages) || !slices.Equal(from, []string{id}) {
		t.Error(got, from)
	}
	again := join(t, b, "eve") // reads it anew
	if k, err := again.Keeper(t.Context(), id); err != nil || k.From != "ann" || len(k.Messages) != 4 {
		t.Error(k, err)
	}
}

// A session follows what others keep also after the program that ran the bus has ended.
func TestKeepersFollow(t *testing.T) {
	t.Parallel() // the client takes ten seconds to see that it hears nothing
	dir := t.TempDir()
	first, second := openIn(t, dir), openIn(t, dir)
	bob, cyd := join(t, second, "bob"), join(t, second, "cyd")
	bob.synced(t.Context())
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	kept := keeper.Keeper{Topic: "refunds", From: "cyd", Messages: []keeper.Message{{Role: "user", Text: "thirty days"}}}
	if err := cyd.try(t.Context(), func(ctx context.Context) error {
		_, _, err := cyd.keepers.Put(ctx, kept)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); len(bob.Keepers(t.Context())) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("bob does not hear of it")
		}
	}
}

func bucket(t *testing.T, in *Team) jetstream.KeyValue {
	t.Helper()
	kv, err := in.bucket(t.Context(), "keepers", keeper.Bucket())
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// Keepers outlive the server; where there are too many the oldest goes, and whoever keeps is told. What else is in the
// bucket harms nobody.
func TestKeepersStay(t *testing.T) {
	dir := t.TempDir()
	b, err := bus.Open(t.Context(), bus.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ann, err := Join(t.Context(), b, Options{Team: "shop", Agent: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range keeper.MaxKeepers {
		k := keeper.Keeper{Topic: fmt.Sprint("topic ", i), Messages: []keeper.Message{{Role: "user", Text: "hi"}}}
		if _, gone, err := ann.keepers.Put(t.Context(), k); err != nil || len(gone) > 0 {
			t.Fatal(gone, err)
		}
	}
	if _, err := bucket(t, ann).Put(t.Context(), "junk", []byte("\xff\x00")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(ann.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}

	if b, err = bus.Open(t.Context(), bus.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	bob := join(t, b, "bob")
	if n := len(bob.Keepers(t.Context())); n != keeper.MaxKeepers {
		t.Fatal(n, "keepers")
	}
	bob.said = saying("user: one more")
	want := "; gone for it, because a team keeps at most 200 and 8.0 MiB: topic-0-"
	if got := fmt.Sprint(bob.call(t, "context.offload", map[string]any{"topic": "more"})); !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	keys, err := bucket(t, bob.Team).Keys(t.Context())
	if err != nil || len(keys) != keeper.MaxKeepers+1 { // and junk
		t.Error(len(keys), err)
	}
}
