package source

import (
	"context"
	"os"
	"time"
)

// pollInterval is how often a file is checked for changes.
const pollInterval = time.Second

// WatchFile returns what is to be a Source's Watch: it calls changed when the file has another size or time than it had
// when WatchFile was called, so that nothing is missed between the reading and the watching, and again at each change.
// It looks every so often; zero means every second.
func WatchFile(file string, every time.Duration) func(ctx context.Context, changed func()) {
	type look struct {
		size int64
		when time.Time
	}
	return Watch(func() look {
		stat, err := os.Stat(file)
		if err != nil {
			return look{}
		}
		return look{stat.Size(), stat.ModTime()}
	}, every)
}

// Watch is WatchFile for whatever look sees.
func Watch[T comparable](look func() T, every time.Duration) func(ctx context.Context, changed func()) {
	if every == 0 {
		every = pollInterval
	}
	first := look()
	return func(ctx context.Context, changed func()) {
		before := first
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(every):
			}
			if now := look(); now != before {
				before = now
				changed()
			}
		}
	}
}
