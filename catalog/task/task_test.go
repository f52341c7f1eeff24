package task_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"almanac/catalog/task"
)

func TestGuard(t *testing.T) {
	var list []int
	err := task.Guard("the reader", func() error { return errors.New(strings.Repeat("x", list[3])) })
	var caught *task.PanicError
	if !errors.As(err, &caught) ||
		!strings.HasPrefix(err.Error(), "the reader panicked: runtime error: index out of range") ||
		!strings.Contains(string(caught.Stack), "TestGuard") {
		t.Errorf("got %v", err)
	}
	own := errors.New("own")
	if err := task.Guard("it", func() error { return own }); err != own {
		t.Errorf("got %v", err)
	}
}

func TestUntil(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	made, err := task.Until(ctx, "it", func() (int, error) { return 1, nil })
	if made != 1 || err != nil {
		t.Errorf("got %d, %v", made, err)
	}
	var caught *task.PanicError
	if _, err := task.Until(ctx, "it", func() (int, error) { panic("no") }); !errors.As(err, &caught) {
		t.Errorf("got %v", err)
	}
	enough, begun, never := errors.New("enough"), make(chan bool), make(chan bool)
	go func() {
		<-begun
		cancel(enough)
	}()
	defer close(never)
	if made, err := task.Until(ctx, "it", func() (int, error) {
		close(begun)
		<-never
		return 1, nil
	}); made != 0 || err != enough {
		t.Errorf("got %d, %v", made, err)
	}
}

func TestSleep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if err := task.Sleep(ctx, time.Nanosecond); err != nil {
		t.Error(err)
	}
	cancel()
	if err := task.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
