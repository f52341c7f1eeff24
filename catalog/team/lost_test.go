package team

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// What is under way when the connection is lost does not wait for an answer that cannot come: it is done again.
func TestLostAttempt(t *testing.T) {
	dir := t.TempDir()
	holder := openIn(t, dir)
	ann := join(t, openIn(t, dir), "ann")
	tries := 0
	err := ann.try(t.Context(), func(ctx context.Context) error {
		if tries++; tries > 1 {
			return nil
		}
		if err := holder.Close(); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Error("it waited: ", ctx.Err())
		}
		return ctx.Err()
	})
	if err != nil || tries != 2 {
		t.Error(tries, err)
	}
	if err := ann.Send(t.Context(), Item{Kind: Message, Text: "on"}); err != nil {
		t.Error(err)
	}
}

// A second attempt reads what the first one asked for.
func TestSecondRead(t *testing.T) {
	ann := join(t, open(t), "ann")
	ids := []string{}
	for _, title := range []string{"one", "two"} {
		id, _ := created(t, ann.Team, newTask{Title: title})
		ids = append(ids, id)
	}
	kv, err := ann.board.records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for attempt := range 2 {
		n := 0
		err := eachValue(t.Context(), kv, ids, func(jetstream.KeyValueEntry) { n++ })
		if n != len(ids) || err != nil {
			t.Errorf("attempt %d: %d of %d: %v", attempt+1, n, len(ids), err)
		}
	}
}
