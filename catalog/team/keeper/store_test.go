package keeper

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// at is a message whose place in the conversation can be seen.
func at(n, size int) Message {
	text := fmt.Sprintf("message %d", n)
	return Message{Role: "user", Text: text + strings.Repeat("x", size-len(text))}
}

// Beyond the limits the oldest go, and of one keeper the oldest messages.
func TestLimits(t *testing.T) {
	var l Library
	began := time.Now()
	add := func(i, size int, age time.Duration) []*Keeper {
		return l.Add(Keeper{ID: fmt.Sprint("k-", i), At: began.Add(-age), Messages: []Message{at(i, size)}})
	}
	for i := range MaxKeepers {
		if gone := add(i, 100, time.Hour-time.Duration(i)*time.Second); len(gone) > 0 {
			t.Fatal(gone)
		}
	}
	if gone := add(MaxKeepers, 100, 0); len(gone) != 1 || gone[0].ID != "k-0" {
		t.Error("one more:", gone)
	}
	if gone := add(MaxKeepers, 100, 0); len(gone) != 0 {
		t.Error("the same again:", gone)
	}
	for i := range MaxTotal/MaxText - 1 {
		if gone := add(1000+i, MaxText, time.Minute); len(gone) != 1 {
			t.Error("large:", len(gone))
		}
	}
	if gone := add(2000, MaxText, 0); len(gone) != MaxKeepers-MaxTotal/MaxText+1 {
		t.Error("too large:", len(gone))
	}
	if gone := add(3000, 20, MaxAge+time.Hour); len(gone) != 1 || gone[0].ID != "k-3000" {
		t.Error("too old:", gone)
	}
	if n := len(l.Keepers()); n != MaxTotal/MaxText {
		t.Error(n)
	}

	big := Keeper{ID: "big", Messages: []Message{at(1, MaxText/2), at(2, 100), {Role: "call", Text: "f()"},
		{Role: ToolRole, Text: strings.Repeat("x", MaxText/2)}}, At: began}
	l.Add(big)
	if k, ok := l.Keeper("big"); !ok || len(k.Messages) != 3 || k.Messages[0].Text != at(2, 100).Text {
		t.Error(k)
	}
	big.Messages = append(big.Messages, Message{Role: ToolRole, Text: strings.Repeat("y", MaxText-10)})
	l.Add(big)
	if k, ok := l.Keeper("big"); !ok || len(k.Messages) != 1 || k.Size() != MaxText-10 {
		t.Error(k)
	}
}

// Answers are cut at their limit, and say what is left and where.
func TestAnswerSaysWhatIsLeft(t *testing.T) {
	var l Library
	for i, id := range []string{"small-aaaa", "large-bbbb"} {
		k := Keeper{ID: id, Topic: "prices", From: "ann", At: time.Now().Add(-time.Duration(i) * time.Hour)}
		for n := range 1 + 12*i {
			said := fmt.Sprintf("price %d ", n) + strings.Repeat("and so on ", 99)
			k.Messages = append(k.Messages, Message{Role: "user", Text: said})
		}
		l.Add(k)
	}
	for _, c := range []struct{ keeper, want string }{
		{"", "\n\n… 6,6?? more characters, 7 messages; ask with keeper_id \"large-bbbb\""},
		{"large-bbbb", "\n\n… 5,6?? more characters, 6 messages; ask for something narrower"},
		{"small-aaaa", "and so on and so on"},
	} {
		got := l.Raw("price", c.keeper)
		tail := got[max(0, len(got)-len(c.want)):]
		for i := range tail {
			if i >= len(c.want) || tail[i] != c.want[i] && c.want[i] != '?' {
				t.Errorf("%s: %d characters, the end is %q, want %q", c.keeper, len(got), tail, c.want)
				break
			}
		}
	}
}

// A value is a value of a bucket.
type value struct {
	jetstream.KeyValueEntry
	key string
	raw []byte
}

func (v value) Key() string        { return v.key }
func (v value) Value() []byte      { return v.raw }
func (v value) Created() time.Time { return time.Now() }

// What anybody may have written into the bucket is a keeper or nothing.
func TestDecode(t *testing.T) {
	good := Keeper{ID: "a-b", Topic: "red \x1b[31m", From: "ann\nbob", Messages: []Message{{"user", "hi\x00\u202e"}}}
	raw, err := encode(&good)
	if err != nil {
		t.Fatal(err)
	}
	k, err := decode(value{key: "a-b", raw: raw})
	if err != nil || k.Topic != "red" || k.From != "ann bob" || k.Messages[0].Text != "hi" {
		t.Error(k, err)
	}
	long := Keeper{ID: "a-b", Topic: strings.Repeat("t", 1<<20), Messages: []Message{at(1, 7<<20)}}
	if raw, err = encode(&long); err != nil {
		t.Fatal(err)
	}
	if k, err = decode(value{key: "a-b", raw: raw}); err == nil {
		t.Error(k.Size(), "bytes of a bomb")
	}
	for _, v := range []value{
		{key: "a-c", raw: raw[:100]}, {key: "a-b", raw: nil}, {key: "a-b", raw: []byte("{}")}, {key: "a/../b", raw: raw},
	} {
		if k, err := decode(v); err == nil {
			t.Error(v.key, k)
		}
	}
}

// A session that begins with a server that does not answer waits no longer than it is told.
func TestWait(t *testing.T) {
	s := NewStore(func(context.Context) (jetstream.KeyValue, error) { return nil, fmt.Errorf("no server") })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Follow(ctx) }()
	if _, _, err := s.Put(ctx, Keeper{}); err == nil || err.Error() != "no server" {
		t.Error(err)
	}
	cancel()
	if s.Wait(ctx) {
		t.Error("nothing was read")
	}
	<-done
}
