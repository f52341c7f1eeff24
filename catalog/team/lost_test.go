package team

import (
	"context"
	"errors"
	"testing"
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
