package source

import (
	"context"
	"errors"
	"testing"

	"almanac/catalog"
)

// A Loader whose program ends does not wait for the goroutine that builds, and keeps nothing of what that comes to.
func TestCloseLeavesTheBuilder(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	building, free := make(chan bool, 1), make(chan bool)
	file := &shelf{entries: []catalog.Entry{{ID: "file.read"}}}
	keyed := file.source("file")
	keyed.Key = func(context.Context) (string, error) { return "one", nil }
	l, err := Start(ctx, []Source{keyed}, Options{Cache: t.TempDir(), Changed: func() {
		select {
		case building <- true:
		default:
		}
		<-free
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-building
	cancel()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	close(free)
	<-l.idle
	if err := l.cache().write("late", nil); !errors.Is(err, errEnded) {
		t.Errorf("got %v", err)
	}
}
